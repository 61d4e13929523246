/* Figures: what a chart shows where you point, by pointer or by key, and lines that stand out.
   Every number comes from the figure's own table. */
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const clamp = (n, most) => Math.max(0, Math.min(most, n));
  const span = (chart) => chart.dataset.t.split(" ").map(Number);

  const ready = (figure) => {
    const charts = [...figure.querySelectorAll(".ch-box > svg")];
    const out = figure.querySelector("output");
    const table = figure.querySelector(".ch-data table");
    if (!charts.length || !out || !table) return;
    const timed = "t" in charts[0].dataset;
    const pinned = new Set();
    let rows, heads, stamps, here = -1;

    const read = () => {
      if (rows) return;
      heads = [...table.tHead.rows[0].cells].map((c) => c.textContent);
      rows = [...table.tBodies[0].rows];
      stamps = timed ? rows.map((r) => Date.parse(r.cells[0].dataset.v) / 1000) : [];
    };
    const mark = () => {
      for (const chart of charts) {
        chart.classList.toggle("ch-pin", pinned.size > 0);
        for (const part of chart.querySelectorAll("[data-s]")) {
          const nth = +part.dataset.s;
          part.classList.toggle("ch-on", timed ? pinned.has(nth) : nth === here);
        }
      }
    };
    const cross = () => {
      for (const chart of charts) {
        let line = chart.querySelector(".ch-at");
        const [left, top, right, bottom] = chart.dataset.b.split(" ").map(Number);
        const [from, to] = span(chart);
        if (here < 0 || stamps[here] < from || stamps[here] > to) { if (line) line.remove(); continue; }
        if (!line) {
          line = document.createElementNS(SVG, "path");
          line.setAttribute("class", "ch-x ch-at");
          chart.append(line);
        }
        const x = left + (stamps[here] - from) / (to - from || 1) * (right - left);
        line.setAttribute("d", `M${Math.round(x)} ${top}V${bottom}`);
      }
    };
    const show = (nth) => {
      read();
      here = nth < 0 ? -1 : clamp(nth, rows.length - 1);
      const said = [];
      if (here >= 0) {
        const cells = [...rows[here].cells];
        said.push(cells[0].textContent);
        cells.slice(1).forEach((c, n) => {
          const text = c.textContent.trim();
          if (text && (!timed || !pinned.size || pinned.has(n))) said.push(`${heads[n + 1]} ${text}`);
        });
      }
      out.textContent = said.join(" · ");
      if (timed) cross(); else mark();
    };
    const near = (chart, event) => {
      read();
      if (!timed) {
        const part = event.target.closest("[data-s]");
        return part ? +part.dataset.s : -1;
      }
      const box = chart.getBoundingClientRect();
      const [left, , right] = chart.dataset.b.split(" ").map(Number);
      const [from, to] = span(chart);
      const x = (event.clientX - box.left) / box.width * chart.viewBox.baseVal.width;
      const at = from + (x - left) / (right - left) * (to - from);
      let low = 0, high = stamps.length - 1;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (stamps[middle] < at) low = middle + 1; else high = middle;
      }
      return low && at - stamps[low - 1] < stamps[low] - at ? low - 1 : low;
    };
    const move = (chart, key) => {
      read();
      const [from, to] = timed ? span(chart) : [];
      const first = timed ? stamps.filter((at) => at < from).length : 0;
      const last = timed ? stamps.filter((at) => at <= to).length - 1 : rows.length - 1;
      const page = Math.max(1, Math.round((last - first) / 10));
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: page, PageUp: -page };
      if (key === "Home") return first;
      if (key === "End") return last;
      if (key === "Escape") return -1;
      if (!(key in steps)) return null;
      if (here < 0) return steps[key] > 0 ? first : last;
      return Math.max(first, clamp(here + steps[key], last));
    };

    for (const chart of charts) {
      chart.setAttribute("tabindex", "0");
      chart.addEventListener("pointermove", (e) => show(near(chart, e)));
      chart.addEventListener("pointerdown", (e) => show(near(chart, e)));
      chart.addEventListener("pointerleave", (e) => { if (e.pointerType === "mouse") show(-1); });
      chart.addEventListener("blur", () => show(-1));
      chart.addEventListener("keydown", (e) => {
        const to = e.ctrlKey || e.metaKey || e.altKey ? null : move(chart, e.key);
        if (to === null) return;
        e.preventDefault();
        show(to);
      });
    }
    if (!timed) return;
    figure.querySelectorAll(".ch-keys > li").forEach((entry, nth) => {
      if (!charts[0].querySelector(`[data-s="${nth}"]`)) return;
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.append(entry.querySelector("svg"), entry.querySelector("bdi"));
      entry.replaceChildren(button);
      button.addEventListener("click", () => {
        if (!pinned.delete(nth)) pinned.add(nth);
        button.setAttribute("aria-pressed", String(pinned.has(nth)));
        mark();
      });
    });
  };

  const start = () => document.querySelectorAll(".figure").forEach(ready);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
