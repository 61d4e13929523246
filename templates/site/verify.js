/* Checks this site in the reader's browser: digests of files, the journal's chain, numbers. */
"use strict";
(() => {
  const place = document.getElementById("verify");
  if (!place) return;
  const root = document.documentElement.dataset.root;
  const GENESIS = "0".repeat(64);
  const PRINTED = ', "digest": "';
  const PAGES = ["index.json", "leaderboard/returns.json", "leaderboard/forecasts.json"];
  const MOST = 20;
  const LOTS = 1e-6; // the page's mean is over lots of sales, each of whole millionths
  const make = (tag, words, more) => Object.assign(document.createElement(tag), { textContent: words }, more);
  const count = (number) => number.toLocaleString("en");
  const text = (bytes) => new TextDecoder().decode(bytes);
  const sha256 = async (bytes) => {
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const link = (...parts) => sha256(new TextEncoder().encode(parts.join("")));
  const read = async (path) => {
    const ask = () => fetch(root + path, { cache: "no-store" });
    const reply = await ask().catch(ask).catch(() => null); // a connection may break off once
    if (!reply) throw new Error(`${path}: the server does not answer`);
    if (!reply.ok) throw new Error(`${path}: the server does not give it (${reply.status})`);
    return new Uint8Array(await reply.arrayBuffer());
  };
  const isPacked = (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b;
  const unpacked = (bytes) => {
    if (!isPacked(bytes)) return text(bytes);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };

  /* Sums over the journal's entries, by contestant; amounts in millionths of a dollar. */
  class Books {
    constructor() {
      this.seats = new Map();
      this.outcomes = new Map();
    }

    add(kind, contestant, postings, event) {
      if (kind === "resolved") this.outcomes.set(event.market, Number(event.outcome?.yes_pays ?? NaN));
      if (!contestant) return;
      if (!this.seats.has(contestant)) this.seats.set(contestant, { said: [], profit: 0, fees: 0, capital: 0 });
      const seat = this.seats.get(contestant);
      if (kind === "turn") seat.said.push(...event.forecasts);
      for (const [book, , , amount] of postings) {
        if (book === "fees") seat.fees += amount;
        else if (book === "profit" || book === "capital") seat[book] -= amount;
      }
    }

    estimates() {
      const values = new Map();
      for (const [contestant, seat] of this.seats) {
        let scored = 0;
        let sum = 0;
        for (const { market, probability } of seat.said) {
          const truth = this.outcomes.get(market);
          if (truth !== 0 && truth !== 1) continue;
          scored += 1;
          sum += (probability - truth) ** 2;
        }
        values.set(contestant, {
          brier: scored ? sum / scored : null,
          realised_return: seat.capital ? (seat.profit - seat.fees) / seat.capital : null,
        });
      }
      return values;
    }

    amounts() {
      const dollars = ({ profit, fees }) => ({ realised: profit / 1e6, fees: fees / 1e6 });
      return new Map(Array.from(this.seats, ([contestant, seat]) => [contestant, dollars(seat)]));
    }
  }

  class Check {
    constructor(say) {
      this.say = say;
      this.differing = [];
      this.files = this.unpacked = this.entries = this.numbers = 0;
      this.head = GENESIS;
    }

    hold(fits, path, words) {
      if (!fits) this.differing.push(`${path}: ${words}`);
      return fits;
    }

    async fileOf(path, digests) {
      const bytes = await read(path);
      this.files += 1;
      if (path.endsWith(".gz") && !isPacked(bytes)) this.unpacked += 1;
      else this.hold(await sha256(bytes) === digests[path], path, "its bytes have another digest");
      return bytes;
    }

    async heads() {
      const rows = text(await read("heads.jsonl")).split("\n").slice(0, -1);
      let before = GENESIS;
      for (const [n, row] of rows.entries()) {
        const [said, rest] = row.split(PRINTED);
        before = await link(before, said);
        if (!this.hold(rest === `${before}"}`, "heads.jsonl", `line ${n + 1} does not follow from the lines before`)) break;
      }
      return rows.map((row) => JSON.parse(row));
    }

    async journal(manifest, heads) {
      const books = new Books();
      const told = new Map(heads.map((head) => [head.entry, head.head]));
      const until = heads[heads.length - 1].overview_entry;
      let estimates = new Map();
      let whole = true;
      for (const path of Object.keys(manifest.files).filter((name) => name.includes("/journal-")).sort()) {
        for (const line of (await unpacked(await this.fileOf(path, manifest.files))).split("\n")) {
          if (!line) continue;
          const { seq, digest, head, event } = JSON.parse(line);
          this.head = await link(this.head, head, event);
          this.entries += 1;
          const follows = seq === this.entries && digest === this.head;
          if (whole) whole = this.hold(follows, path, `entry ${this.entries} does not follow from the entry before`);
          if (told.has(seq)) this.hold(told.get(seq) === digest, "heads.jsonl", `entry ${seq} has another digest in ${path}`);
          const [, , kind, , contestant, postings] = JSON.parse(head);
          books.add(kind, contestant, postings, JSON.parse(event));
          if (seq === until) estimates = books.estimates();
          if (this.entries % 500 === 0) this.say(`${count(this.entries)} of ${count(manifest.entry)} entries checked`);
        }
      }
      const ends = this.entries === manifest.entry && (this.head === manifest.head || !manifest.entry);
      this.hold(ends, "bundle/manifest.json", "the journal does not end with its entry and its head");
      return [estimates, books.amounts()];
    }

    async pages(digests, sources) {
      const ids = new Map();
      for (const path of PAGES) {
        const { columns, rows } = JSON.parse(text(await this.fileOf(path, digests))).ranking;
        for (const { slug, kind, cells } of rows) {
          const own = `contestants/${slug}/index.json`;
          if (kind === "market" && !(own in digests)) continue;
          if (!ids.has(slug)) ids.set(slug, JSON.parse(text(await this.fileOf(own, digests))).id);
          const values = Object.assign({}, ...sources.map((source) => source.get(ids.get(slug))));
          for (const [n, { key }] of columns.entries()) {
            if (!(key in values) || cells[n].value === null) continue;
            const published = Number(cells[n].value);
            const most = key === "realised_return" ? LOTS : 1e-9 + 1e-12 * Math.abs(published);
            const same = Math.abs(published - values[key]) <= most;
            this.numbers += 1;
            this.hold(same, path, `${key} of ${ids.get(slug)} is ${published}, the journal comes to ${values[key]}`);
          }
        }
      }
    }

    async run() {
      const heads = await this.heads();
      const last = heads[heads.length - 1];
      const bytes = await read("bundle/manifest.json");
      const manifest = JSON.parse(text(bytes));
      const fits = last.manifest === await sha256(bytes) && last.head === manifest.head;
      this.hold(fits, "bundle/manifest.json", "it is not what heads.jsonl says");
      const sources = await this.journal(manifest, heads);
      const list = text(await this.fileOf("bundle/files/front.sums", manifest.files));
      const digests = Object.fromEntries(list.split("\n").map((line) => line.split("  ").reverse()));
      await this.pages(digests, sources);
    }

    words() {
      const all = this.differing.length;
      const words = [
        `${count(this.entries)} entries of the journal, chained by SHA-256; the last has the digest ${this.head}.`,
        `${count(this.numbers)} numbers worked out again from the journal: Brier scores, realised profit, fees and realised returns.`,
        `${count(this.files)} files read.`,
      ];
      if (this.unpacked) words.push(`The server unpacked ${count(this.unpacked)} of them: their own digests were not checked.`);
      words.push(all ? `${count(all)} of these do not fit:` : "Everything fits.");
      return [...words, ...this.differing.slice(0, MOST)];
    }
  }

  const button = make("button", "Check it in this browser", { type: "button" });
  const report = make("div", "");
  report.setAttribute("role", "status");
  place.append(button, report);
  const show = (...lines) => report.replaceChildren(...lines.map((line) => make("p", line)));
  button.addEventListener("click", async () => {
    if (location.protocol === "file:") return show("A browser reads no other files of a folder on a disk. Serve the folder with a web server, such as arena site serve.");
    if (!globalThis.crypto?.subtle || !globalThis.DecompressionStream) return show("This browser cannot: it needs a page by https or from this machine, and a version of 2023 or later.");
    button.disabled = true;
    const check = new Check(show);
    try {
      await check.run();
    } catch (error) {
      check.differing.push(`The check ended early: ${error.message}`);
    }
    show(...check.words());
    button.disabled = false;
  });
})();
