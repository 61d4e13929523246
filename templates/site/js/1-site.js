/* What a browser adds to the pages; every number is there without it. */
"use strict";
(() => {
  const root = document.documentElement;
  const make = (tag, said, more) => Object.assign(document.createElement(tag), { textContent: said }, more);

  /* Light, dark, or as the system has it; a browser may refuse to keep the choice. */
  const THEMES = ["auto", "light", "dark"];
  const kept = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const keep = (theme) => {
    try { localStorage.setItem("theme", theme); } catch { /* it holds for this page alone */ }
  };
  const toggle = make("button", "", { type: "button", className: "theme" });
  const wear = (theme) => {
    if (theme === "auto") root.removeAttribute("data-theme");
    else root.dataset.theme = theme;
    toggle.textContent = `Theme: ${theme}`;
  };
  let theme = THEMES.includes(kept()) ? kept() : "auto";
  toggle.addEventListener("click", () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    keep(theme);
    wear(theme);
  });
  wear(theme);
  document.querySelector("body > header")?.append(toggle);

  /* The sections stand in one line that scrolls on a phone: the one that is open comes into view. */
  /* Asked for here, its place would be laid out with the whole page in one task; it is told later. */
  const here = document.querySelector("header [aria-current]");
  if (here) new IntersectionObserver(([seen], watch) => {
    watch.disconnect();
    here.closest("ul").scrollLeft += seen.boundingClientRect.left - innerWidth / 3;
  }).observe(here);

  /* What a link leads to is opened, where a browser does not do so by itself. */
  const reveal = () => {
    const to = document.getElementById(location.hash.slice(1));
    const shut = to?.closest("details:not([open])");
    if (shut) {
      shut.open = true;
      to.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  /* A warning on pages whose newest data are older than they should be. */
  const hours = (Date.now() - Date.parse(root.dataset.asOf ?? "")) / 36e5;
  if (Number(root.dataset.stale) > 0 && hours > Number(root.dataset.stale)) {
    const age = hours < 48 ? `${Math.floor(hours)} hours` : `${Math.floor(hours / 24)} days`;
    const words = `The newest data on this page are ${age} old. There may be a newer copy of it.`;
    document.querySelector("main")?.prepend(make("p", words, { className: "note stale" }));
  }

  /* Sorting. What has no value stands last both ways; equals stay as the page had them. */
  const valueOf = (cell) => {
    if (cell.dataset.v !== undefined) return cell.dataset.v === "" ? null : number(cell.dataset.v);
    const time = cell.querySelector("time");
    if (time) return time.dateTime;
    const copy = cell.cloneNode(true);
    copy.querySelectorAll("small, svg, .vh").forEach((one) => one.remove());
    const text = copy.textContent.trim();
    return !text || text.startsWith("n/a") || text === "unknown" ? null : number(text);
  };
  const number = (text) => {
    const plain = text.replace(/[$,%+]/g, "").replace("\u2212", "-");
    return plain.trim() && !Number.isNaN(Number(plain)) ? Number(plain) : text.toLowerCase();
  };
  const compare = (a, b) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return typeof a === "number" ? a - b : a.localeCompare(b, "en");
  };

  class Sorter {
    constructor(table) {
      this.body = table.tBodies[0];
      this.rows = [...this.body.rows];
      const last = table.tHead.rows[table.tHead.rows.length - 1];
      this.heads = [...last.cells];
      this.heads.forEach((head, n) => this.addButton(head, n));
      this.by = null;
      this.changed = () => {};
    }

    addButton(head, n) {
      const name = (head.querySelector("a") ?? head).textContent.trim();
      if (!name || head.matches(".shape, .plot")) return;
      head.dataset.k = head.dataset.k ?? String(n);
      const button = make("button", "", { type: "button" });
      button.setAttribute("aria-label", `Sort by ${name}`);
      button.addEventListener("click", () => this.turn(head));
      const tail = make("span", "\u2060", { className: "tail" });
      tail.append(...head.querySelectorAll(".way"), button);
      head.append(tail);
    }

    /* The better end first, then the other one, then back to the order of the page. */
    turn(head) {
      const first = this.first(head);
      const now = this.by?.key === head.dataset.k ? this.by.way : 0;
      const way = now === 0 ? first : now === first ? -first : 0;
      this.sort(way ? { key: head.dataset.k, way } : null);
      this.changed();
    }

    first(head) {
      if (head.dataset.low !== undefined) return 1;
      const values = this.rows.map((row) => valueOf(row.cells[head.cellIndex]));
      return values.some((value) => typeof value === "number") && !head.matches(".rank") ? -1 : 1;
    }

    sort(by) {
      if (!by && !this.by) return;
      const head = by && this.heads.find((one) => one.dataset.k === by.key);
      this.by = head ? by : null;
      for (const one of this.heads) one.removeAttribute("aria-sort");
      let rows = this.rows;
      if (head) {
        head.setAttribute("aria-sort", by.way > 0 ? "ascending" : "descending");
        const valued = rows.map((row) => [valueOf(row.cells[head.cellIndex]), row]);
        const some = valued.filter(([value]) => value !== null);
        some.sort((a, b) => by.way * compare(a[0], b[0]));
        rows = [...some, ...valued.filter(([value]) => value === null)].map(([, row]) => row);
      }
      this.body.append(...rows);
    }
  }
  const sorters = new Map();
  for (const table of document.querySelectorAll("table[data-sort]")) {
    if (table.tHead && table.tBodies[0]?.rows.length > 1) sorters.set(table, new Sorter(table));
  }

  /* The filters, and a view of the table that has an address. */
  const table = document.querySelector("table[data-filter]");
  const sorter = sorters.get(table);
  if (!sorter) return;
  const box = make("input", "", { type: "search", placeholder: "Find a contestant", spellcheck: false });
  box.setAttribute("aria-label", "Find a contestant");
  const status = make("span", "", { className: "quiet" });
  status.setAttribute("role", "status");
  let bar = document.querySelector(".bar");
  if (!bar) {
    bar = make("div", "", { className: "bar" });
    table.closest(".scroll").before(bar);
  }
  const named = [...new Set(sorter.rows.map((row) => row.dataset.p).filter(Boolean))].sort();
  const provider = named.length > 1 ? make("select", "") : null;
  if (provider) {
    provider.setAttribute("aria-label", "Provider");
    provider.append(new Option("Provider", ""), ...named.map((name) => new Option(name, name)));
    bar.append(provider);
  }
  bar.append(box, status);
  const base = document.getElementById("base");
  let lit = "";

  const show = () => {
    const terms = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of sorter.rows) {
      const said = row.querySelector("th").textContent.toLowerCase();
      const of = !provider?.value || row.dataset.p === provider.value || row.matches(".market");
      row.hidden = !of || !terms.every((term) => said.includes(term));
      shown += !row.hidden;
      row.classList.toggle("hl", lit !== "" && row.id === `hl=${lit}`);
    }
    const all = sorter.rows.length;
    status.textContent = shown < all ? `${shown} of ${all} shown` : "";
  };
  const save = () => {
    const said = new URLSearchParams();
    if (box.value) said.set("q", box.value);
    if (provider?.value) said.set("p", provider.value);
    if (sorter.by) said.set("sort", (sorter.by.way < 0 ? "-" : "") + sorter.by.key);
    if (base?.checked) said.set("base", "1");
    if (lit) said.set("hl", lit);
    const hash = said.toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  };
  const restore = () => {
    if (location.hash && !location.hash.includes("=")) return;
    const said = new URLSearchParams(location.hash.slice(1));
    const sort = said.get("sort") ?? "";
    if (box.value !== (said.get("q") ?? "")) box.value = said.get("q") ?? "";
    if (provider) provider.value = named.includes(said.get("p")) ? said.get("p") : "";
    if (base) base.checked = said.get("base") === "1";
    sorter.sort(sort ? { key: sort.replace(/^-/, ""), way: sort.startsWith("-") ? -1 : 1 } : null);
    lit = said.get("hl") ?? "";
    show();
    if (lit) table.querySelector("tr.hl")?.scrollIntoView({ block: "center" });
  };
  const change = () => { show(); save(); };
  sorter.changed = change;
  box.addEventListener("input", change);
  for (const one of [provider, base]) one?.addEventListener("change", change);
  table.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#hl="]');
    if (!link) return;
    event.preventDefault();
    const row = link.getAttribute("href").slice(4);
    lit = lit === row ? "" : row;
    change();
  });
  addEventListener("hashchange", restore);
  restore();
})();
