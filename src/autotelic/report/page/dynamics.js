// Goal selection of one learner: a heat map of all epochs, and one epoch's values as bars.
const SEQUENTIAL = ["#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"];
const DIVERGING = ["#2166ac", "#92c5de", "#f7f7f7", "#f4a582", "#b2182b"];

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

function ramp(stops, share) {
  const place = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(place));
  const [from, to] = [channels(stops[index]), channels(stops[index + 1])];
  return from.map((value, channel) => Math.round(value + (place - index) * (to[channel] - value)));
}

function startDynamics() {
  const { epochs, members, signal, unit } = DATA.dynamics;
  const Unit = unit[0].toUpperCase() + unit.slice(1);
  const VIEWS = {
    selection: ["selection probability", (member) => member.selection],
    signal: [signal, (member) => member.signal],
    counts: ["times chosen so far", countsOf],
  };
  const state = { member: 0, view: "selection", at: epochs.length - 1, timer: null };
  const slider = byId("dynamics-epoch"), play = byId("dynamics-play");
  const map = byId("dynamics-map"), bars = byId("dynamics-bars");

  options(byId("dynamics-method"), DATA.methods.map((name, index) => [index, name]));
  options(byId("dynamics-seed"), DATA.seeds.map((seed, index) => [index, seed]));
  options(byId("dynamics-view"), Object.entries(VIEWS).map(([key, [name]]) => [key, name]));
  slider.max = epochs.length - 1;

  const what = (pursued) => pursued === null ? "the learner has diverged" : `goal ${pursued} pursued`;

  function countsOf(member) {
    const counts = Array(DATA.num_goals).fill(0), rows = [];
    let next = 0;
    for (const epoch of epochs) {
      for (; next < epoch; next++) // epochs are numbered from 1; a diverged learner chooses nothing
        if (member.goals[next] !== null) counts[member.goals[next]] += 1;
      rows.push([...counts]);
    }
    return rows;
  }

  // The values [epochs, goals] on show, and the colours they are drawn in.
  function view() {
    const values = VIEWS[state.view][1](members[state.member]);
    let domain = extent(values.flat());
    const signed = state.view === "signal" && domain[0] < 0 && domain[1] > 0;
    if (signed) {
      const reach = Math.max(-domain[0], domain[1]);
      domain = [-reach, reach];
    } else if (state.view !== "signal") domain[0] = 0;
    // A first round that leaves goals out ends with a probability of 1, beside which all others look alike.
    const later = values.filter((_, t) => epochs[t] > DATA.dynamics.first_round);
    if (state.view === "selection" && later.length) domain[1] = extent([0, ...later.flat()])[1];
    return { values, domain, stops: signed ? DIVERGING : SEQUENTIAL };
  }

  let shown = null, place = null;

  function drawMap() {
    shown = view();
    const { values, domain, stops } = shown;
    const goals = DATA.num_goals, width = Math.max(120, map.clientWidth);
    const row = Math.max(4, Math.min(26, 360 / goals));
    const box = { left: 34, right: width - 6, top: 6, bottom: 6 + row * goals };
    const canvas = element("canvas", { width: epochs.length, height: goals,
      style: { position: "absolute", left: `${box.left}px`, top: `${box.top}px`,
        width: `${box.right - box.left}px`, height: `${row * goals}px`, "image-rendering": "pixelated" } });
    const context = canvas.getContext("2d"), image = context.createImageData(epochs.length, goals);
    values.forEach((goalsAt, t) => goalsAt.forEach((value, goal) => {
      if (value === null) return; // not yet tried: transparent
      const colour = ramp(stops, (value - domain[0]) / (domain[1] - domain[0]));
      image.data.set([...colour, 255], 4 * (goal * epochs.length + t));
    }));
    context.putImageData(image, 0, 0);
    const cell = (box.right - box.left) / epochs.length;
    const svg = shape("svg", { width, height: box.bottom + 38, "aria-hidden": "true",
      style: { position: "relative" } });
    const radius = Math.max(0.9, Math.min(2.2, cell / 3, row / 3));
    epochs.forEach((epoch, t) => {
      const pursued = members[state.member].goals[epoch - 1];
      if (pursued === null) return;
      svg.append(shape("circle", { r: radius,
        cx: box.left + (t + 0.5) * cell, cy: box.top + (pursued + 0.5) * row,
        style: { fill: "#fff", stroke: "#000", "stroke-width": ".6" } }));
    });
    const every = Math.ceil(14 / row);
    for (let goal = 0; goal < goals; goal += every)
      svg.append(shape("text", { x: box.left - 5, y: box.top + (goal + 0.5) * row + 4, "text-anchor": "end" }, String(goal)));
    for (const epoch of ticks(epochs[0], epochs[epochs.length - 1], width / 90)) {
      const t = epochs.indexOf(epoch);
      if (t >= 0) svg.append(shape("text", { x: Math.min(box.left + (t + 0.5) * cell, box.right - 8),
        y: box.bottom + 15, "text-anchor": "middle" }, String(epoch)));
    }
    svg.append(shape("text", { x: (box.left + box.right) / 2, y: box.bottom + 33, "text-anchor": "middle" },
      `${unit} (rows: goals; dots: the goal pursued)`));
    const marker = shape("rect", { y: box.top - 2, height: row * goals + 4, fill: "none",
      style: { stroke: "var(--alarm)", "stroke-width": "2" } });
    svg.append(marker);
    map.replaceChildren(element("div", { style: { position: "relative" } }, canvas, svg));
    place = { box, cell, marker, height: Math.max(230, box.bottom + 38) };
    byId("dynamics-ramp").replaceChildren(number(domain[0]),
      element("i", { "aria-hidden": "true", style: { background: `linear-gradient(to right, ${stops.join(", ")})` } }), number(domain[1]));
    drawBars();
  }

  function drawBars() {
    const { values, domain } = shown, member = members[state.member];
    const goals = DATA.num_goals, now = values[state.at], epoch = epochs[state.at];
    const pursued = member.goals[epoch - 1];
    const { svg, x, y } = frame(bars, {
      height: place.height, xDomain: [-0.6, goals - 0.4],
      yDomain: [Math.min(0, domain[0]), Math.max(...now, domain[1], 1e-12) * 1.08],
      xLabel: "goal", yLabel: VIEWS[state.view][0],
      xTicks: [...Array(goals).keys()].filter((goal) => goal % Math.ceil(goals / (bars.clientWidth / 22)) === 0),
    });
    const wide = Math.max(1, (x(1) - x(0)) * 0.78);
    now.forEach((value, goal) => {
      if (value === null) return;
      const [top, foot] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
      svg.append(shape("rect", { class: goal === pursued ? "pursued" : "bar", x: x(goal) - wide / 2, y: top,
        width: wide, height: Math.max(1, foot - top) }));
    });
    if (pursued !== null) {
      const peak = now[pursued] === null ? y(0) : Math.min(y(now[pursued]), y(0));
      svg.append(shape("path", { class: "pursued", d: `M${x(pursued)} ${peak - 4}l-5 -9h10z` }));
    }
    bars.replaceChildren(svg);
    place.marker.setAttribute("x", place.box.left + state.at * place.cell);
    place.marker.setAttribute("width", Math.max(2, place.cell));
    slider.value = state.at;
    slider.setAttribute("aria-valuetext", `${unit} ${epoch}, ${what(pursued)}`);
    byId("dynamics-bars-title").textContent = `At ${unit} ${epoch}`;
    byId("dynamics-readout").textContent =
      `${Unit} ${epoch}: ${what(pursued)}, certainty ${number(member.certainty[state.at])}`;
    const name = `${DATA.methods[Math.floor(state.member / DATA.seeds.length)]}, seed ${DATA.seeds[state.member % DATA.seeds.length]}`;
    map.setAttribute("aria-label", `Heat map of ${VIEWS[state.view][0]} over ${unit}s and goals for ${name}`);
    bars.setAttribute("aria-label", `${VIEWS[state.view][0]} of each goal at ${unit} ${epoch}; the table below has the numbers`);
    byId("dynamics-caption").textContent = DATA.dynamics.note;
    if (byId("dynamics-table").open) tabulate();
  }

  function tabulate() {
    const member = members[state.member], counts = countsOf(member)[state.at], t = state.at;
    table(byId("dynamics-table"), `${Unit} ${epochs[t]}: ${what(member.goals[epochs[t] - 1])}`,
      ["goal", "selection probability", signal, "times chosen so far"],
      [...Array(DATA.num_goals).keys()].map((goal) =>
        [goal, number(member.selection[t][goal]), number(member.signal[t][goal]), counts[goal]]));
  }

  function move(at) {
    state.at = Math.min(epochs.length - 1, Math.max(0, at));
    drawBars();
  }

  function stop() {
    clearInterval(state.timer);
    state.timer = null;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }

  play.addEventListener("click", () => {
    if (state.timer !== null) return stop();
    if (state.at === epochs.length - 1) move(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    state.timer = setInterval(() => state.at === epochs.length - 1 ? stop() : move(state.at + 1), 120);
  });
  slider.addEventListener("input", () => { stop(); move(Number(slider.value)); });
  map.addEventListener("click", (event) => {
    stop();
    move(Math.floor((event.clientX - map.getBoundingClientRect().left - place.box.left) / place.cell));
  });
  const choose = () => {
    state.member = Number(byId("dynamics-method").value) * DATA.seeds.length + Number(byId("dynamics-seed").value);
    state.view = byId("dynamics-view").value;
    drawMap();
  };
  for (const id of ["dynamics-method", "dynamics-seed", "dynamics-view"])
    byId(id).addEventListener("change", choose);
  byId("dynamics-table").addEventListener("toggle", tabulate);
  byId("dynamics-method").value = DATA.dynamics.start;
  state.member = DATA.dynamics.start * DATA.seeds.length;
  responsive(map, drawMap);
}
