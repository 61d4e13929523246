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
  const chooser = make("select", { hidden: true });
  chooser.setAttribute("aria-label", "Category");
  label.append(input);
  place.append(label, chooser, status, list);
  const listed = place.parentElement.querySelectorAll("[data-find] ~ *");

  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  window.A = (key, data) => {
    const nth = Number(key.split("/")[1]);
    const { text, venue, category, state } = data;
    data.plain = text.map((said, n) => plain(`${said} ${venue[n]} ${category[n]} ${state[n]}`));
    parts[shards - nth] = data;
    const named = new Set(parts.flatMap((part) => part.category).filter(Boolean));
    const chosen = chooser.value;
    chooser.replaceChildren(new Option("Category", ""), ...[...named].sort().map((one) => new Option(one)));
    chooser.value = chosen;
    chooser.hidden = named.size < 2;
  };

  const show = () => {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    const asked = words.length > 0 || chooser.value !== "";
    for (const other of listed) other.hidden = asked;
    const found = [];
    let count = 0;
    for (const part of asked ? parts : []) {
      part?.plain.forEach((said, n) => {
        if (chooser.value && part.category[n] !== chooser.value) return;
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
    status.textContent = asked ? `${count} found${first}${more}${lost}.` : "";
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
  /* The newest part names the categories; the others are read once somebody asks. */
  place.addEventListener("focusin", () => load(shards), { once: true });
  for (const one of [input, chooser]) one.addEventListener("input", show);
})();
