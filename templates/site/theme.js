/* The theme that was chosen, before anything is painted. */
"use strict";
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* the browser keeps nothing: as the system has it */ }
