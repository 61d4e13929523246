/* Two contestants of one's own choice: what the table of pairs says of them, and their page. */
(() => {
  const table = document.querySelector(".verdicts table");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const names = rows.map((row) => row.cells[0].querySelector("a, bdi").textContent);
  const make = (tag, more = {}) => Object.assign(document.createElement(tag), more);
  const bar = make("p", { className: "pick" });
  const said = make("strong");
  const to = make("a", { textContent: "Side by side" });
  said.setAttribute("role", "status");
  const choose = (label, chosen) => {
    const box = make("select");
    box.setAttribute("aria-label", label);
    box.append(...names.map((name, n) => make("option", { value: n, textContent: name })));
    box.value = chosen;
    box.addEventListener("change", show);
    return box;
  };
  const show = () => {
    const [a, b] = [one.value, other.value].map(Number);
    const mark = rows[a].cells[b + 1].firstElementChild;
    const verdict = mark ? mark.getAttribute("aria-label") : "";
    const words = { better: `${names[a]} is better.`, worse: `${names[b]} is better.` };
    said.textContent = words[verdict] ?? (verdict ? `${verdict[0].toUpperCase()}${verdict.slice(1)}.` : "");
    to.hidden = !mark?.href;
    if (mark?.href) to.href = mark.href;
  };
  const one = choose("First contestant", 0);
  const other = choose("Second contestant", 1);
  bar.append(one, "and", other, said, to);
  table.closest(".scroll").before(bar);
  show();
})();
