// The theme, the films, and the start of every section.
function startTheme() {
  const button = byId("theme"), root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const say = () => {
    button.textContent = dark() ? "Light mode" : "Dark mode";
    button.setAttribute("aria-pressed", String(dark()));
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    say();
  });
  system.addEventListener("change", say);
  say();
}

function startFilms() {
  const button = byId("films-play");
  if (button === null) return;
  const set = (playing) => {
    byId("films").classList.toggle("playing", playing);
    button.textContent = playing ? "Pause" : "Play";
    button.setAttribute("aria-pressed", String(playing));
  };
  button.addEventListener("click", () => set(button.getAttribute("aria-pressed") !== "true"));
  set(!matchMedia("(prefers-reduced-motion: reduce)").matches);
}

startTheme();
startCurves();
startDynamics();
startSkills();
startFilms();
