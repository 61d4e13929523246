/* Which build this folder is of: the one thing that its pages do not say themselves. */
(() => {
  const place = document.getElementById("build");
  if (!place) return;
  window.A = (key, said) => {
    if (key !== "build") return;
    place.textContent = `Built by version ${said.version} from entry ${said.entry} of the journal.`;
  };
})();
