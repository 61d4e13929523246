/* Search in a long list: parts of an index are loaded as scripts once they are asked for. */
(() => {
  const place = document.querySelector("[data-find]");
  const shards = Number(place?.dataset.shards);
  if (!shards) return;
  const make = (tag, more = {}) => Object.assign(document.createElement(tag), more);
  const name = place.dataset.find;
  const folder = `${document.documentElement.dataset.root}${name}/`;
  const MOST = 50;
  const parts = [];
  let left = shards;
  let failed = 0;

  const input = make("input", { type: "search", autocomplete: "off", spellcheck: false });
  const label = make("label", { textContent: `Search all ${name} ` });
  const status = make("p", { className: "quiet" });
  const list = make("ul", { className: "found" });
  status.setAttribute("role", "status");
  label.append(input);
  place.append(label, status, list);

  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  window.A = (key, data) => {
    const nth = Number(key.split("/")[1]);
    const { text, venue, category, state } = data;
    data.plain = text.map((said, n) => plain(`${said} ${venue[n]} ${category[n]} ${state[n]}`));
    parts[shards - nth] = data;
  };

  const show = () => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    const found = [];
    let count = 0;
    for (const part of words.length ? parts : []) {
      part?.plain.forEach((said, n) => {
        if (!words.every((word) => said.includes(word))) return;
        count += 1;
        if (count <= MOST) found.push([part, n]);
      });
    }
    list.replaceChildren(...found.map(([part, n]) => {
      const item = make("li");
      const closes = part.closes[n] && `closes ${part.closes[n]}`;
      const about = [part.state[n], part.category[n], closes, part.venue[n]].filter(Boolean);
      const to = make("a", { href: folder + part.path[n] });
      to.append(make("bdi", { textContent: part.text[n] }));
      item.append(to, " ", make("small", { textContent: about.join(" \u00b7 ") }));
      return item;
    }));
    const more = left ? `, ${left} of ${shards} parts still to be read` : "";
    const lost = failed ? `; ${failed} parts could not be read` : "";
    const first = count > MOST ? `, the first ${MOST} are listed` : "";
    status.textContent = words.length ? `${count} found${first}${more}${lost}.` : "";
  };

  /* One after the other, the newest first, so that the newest are found at once. */
  const load = (nth) => {
    if (!nth) return;
    const script = make("script", { src: `${folder}s/page-${nth}.js` });
    const next = () => {
      left -= 1;
      script.remove();
      show();
      load(nth - 1);
    };
    script.addEventListener("load", next);
    script.addEventListener("error", () => { failed += 1; next(); });
    document.head.append(script);
  };
  input.addEventListener("focus", () => load(shards), { once: true });
  input.addEventListener("input", show);
})();
