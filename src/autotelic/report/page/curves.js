// Learning curves: interquartile means over seeds with their intervals, or with the seeds; all numbers
// come from Python, as those of the tables do. Methods can be switched off.
function startCurves() {
  const holder = byId("curve-chart"), legend = byId("curve-legend");
  const metrics = DATA.curves;
  const few = DATA.seeds.length < DATA.fewest; // too few seeds for an interval
  const state = { metric: 0, smoothing: 0, show: few ? "seeds" : "band", hidden: new Set(), at: null };

  options(byId("curve-metric"), metrics.map((metric, index) => [index, metric.label]));
  const smoothing = byId("curve-smoothing");
  byId("curve-show-label").hidden = few;

  // What the quantity may be smoothed over; it begins with what suits it.
  function offerSmoothing() {
    const { smoothed, smoothing: first } = metrics[state.metric];
    options(smoothing, smoothed.map(({ width }, index) =>
      [index, width === 1 ? "no smoothing" : `${width} epochs`]));
    smoothing.value = state.smoothing = smoothed.findIndex(({ width }) => width === first);
    byId("curve-smoothing-label").hidden = smoothed.length === 1;
  }

  function series() {
    const { seeds, middle, low, high } = metrics[state.metric].smoothed[state.smoothing];
    return DATA.methods.map((name, method) => ({ name, method, seeds: seeds[method],
      middle: middle[method], low: low[method], high: high[method] }));
  }

  function describe(one, t) {
    const interval = one.low[t] === null ? "" : ` [${number(one.low[t])}, ${number(one.high[t])}]`;
    return number(one.middle[t]) + interval;
  }

  const seedsOf = (one, t) => one.seeds.map((seed) => number(seed[t])).join(", ");

  let current = null; // what the cursor reads from

  function draw() {
    const metric = metrics[state.metric], all = series();
    const shown = all.filter((one) => !state.hidden.has(one.method));
    const visible = shown.flatMap((one) => 
      state.show === "band" ? [one.middle, one.low, one.high] : one.seeds);
    const values = visible.flat();
    if (metric.reference !== null) values.push(metric.reference.value);
    const epochs = metric.epochs;
    const { svg, x, y, box } = frame(holder, {
      height: Math.min(420, Math.max(260, holder.clientWidth * 0.45)),
      xDomain: epochs.length > 1 ? [epochs[0], epochs[epochs.length - 1]] : [epochs[0] - 1, epochs[0] + 1],
      yDomain: padded(extent(values), 0.04), xLabel: "epoch", yLabel: metric.label,
    });
    if (metric.reference !== null) {
      const height = y(metric.reference.value);
      svg.append(
        shape("line", { class: "reference", x1: box.left, x2: box.right, y1: height, y2: height }),
        shape("text", { x: box.right, y: height - 5, "text-anchor": "end" }, metric.reference.label));
    }
    for (const one of shown) {
      const colour = `var(--method-${one.method})`;
      if (state.show === "seeds" && DATA.seeds.length > 1)
        for (const seed of one.seeds)
          svg.append(shape("path", { class: "seed", d: pathOf(epochs, seed, x, y), fill: "none",
            style: { stroke: colour, "stroke-width": "1.1", opacity: "0.5" } }));
      if (state.show === "band") {
        const there = epochs.map((_, t) => t).filter((t) => one.low[t] !== null);
        const edge = (side, order) => order.map((t) => `${x(epochs[t]).toFixed(1)} ${y(one[side][t]).toFixed(1)}`);
        if (there.length) svg.append(shape("path", {
          d: "M" + [...edge("high", there), ...edge("low", [...there].reverse())].join("L") + "Z",
          style: { fill: colour, opacity: "0.16" } }));
      }
      svg.append(shape("path", { class: "middle", d: pathOf(epochs, one.middle, x, y), fill: "none",
        style: { stroke: colour, "stroke-width": "2.2" } }));
      if (epochs.length < 15) // a line through few measurements shows where they are
        epochs.forEach((epoch, t) => one.middle[t] === null || svg.append(shape("circle",
          { cx: x(epoch), cy: y(one.middle[t]), r: 2.8, style: { fill: colour } })));
    }
    const cursor = shape("g", {});
    svg.append(cursor);
    holder.replaceChildren(svg);
    current = { metric, all, shown, x, y, box, cursor };
    state.at = Math.min(state.at ?? epochs.length - 1, epochs.length - 1);
    holder.setAttribute("aria-valuemin", epochs[0]);
    holder.setAttribute("aria-valuemax", epochs[epochs.length - 1]);
    read(state.at);
    const [line, of] = ["interquartile mean", `over ${DATA.seeds.length} seeds`];
    byId("curve-caption").textContent = metric.note + " " + (
      DATA.seeds.length === 1 ? "There is one seed."
      : few ? `Thick lines: ${line} ${of}; thin lines: the seeds, too few for an interval.`
      : state.show === "band" ? `Lines: ${line} ${of}; bands: 95 % bootstrap interval.`
      : `Thick lines: ${line} ${of}; thin lines: the seeds.`);
  }

  // Put the cursor at an epoch: the legend tells the values there.
  function read(at) {
    const { metric, all, shown, x, y, box, cursor } = current;
    state.at = at;
    const place = x(metric.epochs[at]);
    cursor.replaceChildren(
      shape("line", { class: "cursor", x1: place, x2: place, y1: box.top, y2: box.bottom }),
      ...shown.filter((one) => one.middle[at] !== null).map((one) => shape("circle",
        { cx: place, cy: y(one.middle[at]), r: 4, style: { fill: `var(--method-${one.method})` } })),
      shape("text", { x: Math.min(place, box.right - 40), y: 12, "text-anchor": "middle" },
        `epoch ${metric.epochs[at]}`));
    for (const one of all)
      legend.children[one.method].querySelector(".value").textContent = describe(one, at);
    holder.setAttribute("aria-valuenow", metric.epochs[at]);
    holder.setAttribute("aria-valuetext", `epoch ${metric.epochs[at]}: ` +
      shown.map((one) => `${one.name} ${describe(one, at)}`).join("; "));
  }

  function tabulate() {
    const metric = metrics[state.metric], all = series();
    const count = Math.min(11, metric.epochs.length);
    const rows = [...Array(count).keys()].map((k) =>
      Math.round((k * (metric.epochs.length - 1)) / Math.max(1, count - 1)));
    const what = DATA.seeds.length === 1 ? "one seed"
      : few ? "interquartile mean (seeds)" : "interquartile mean [95 % interval]";
    const cell = (one, t) => describe(one, t) + (few && DATA.seeds.length > 1 ? ` (${seedsOf(one, t)})` : "");
    table(byId("curve-table"), `${metric.label}: ${what}`,
      ["epoch", ...DATA.methods], rows.map((t) => [metric.epochs[t], ...all.map((one) => cell(one, t))]));
  }

  legend.replaceChildren(...DATA.methods.map((name, method) => element("button", {
    type: "button", "aria-pressed": "true",
    on: { click(event) {
      state.hidden.has(method) ? state.hidden.delete(method) : state.hidden.add(method);
      event.currentTarget.setAttribute("aria-pressed", String(!state.hidden.has(method)));
      draw();
    } },
  }, element("span", { class: "swatch", style: { background: `var(--method-${method})` } }),
  name, element("span", { class: "value" }))));

  function choose(id, apply) {
    byId(id).addEventListener("change", (event) => { apply(event.target.value); draw(); tabulate(); });
  }
  choose("curve-metric", (value) => {
    state.metric = Number(value);
    state.at = null;
    offerSmoothing();
  });
  choose("curve-smoothing", (value) => { state.smoothing = Number(value); });
  choose("curve-show", (value) => { state.show = value; });

  holder.addEventListener("pointermove", (event) => {
    const { metric, box } = current;
    const place = event.clientX - holder.getBoundingClientRect().left;
    const share = Math.min(1, Math.max(0, (place - box.left) / (box.right - box.left)));
    const [first, last] = [metric.epochs[0], metric.epochs[metric.epochs.length - 1]];
    const wanted = first + share * (last - first);
    let nearest = 0;
    metric.epochs.forEach((epoch, t) => {
      if (Math.abs(epoch - wanted) < Math.abs(metric.epochs[nearest] - wanted)) nearest = t;
    });
    read(nearest);
  });
  holder.addEventListener("keydown", (event) => {
    const last = current.metric.epochs.length - 1;
    const to = { ArrowLeft: state.at - 1, ArrowDown: state.at - 1, ArrowRight: state.at + 1,
      ArrowUp: state.at + 1, PageDown: state.at - 10, PageUp: state.at + 10, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    read(Math.min(last, Math.max(0, to)));
  });

  offerSmoothing();
  responsive(holder, draw);
  tabulate();
}
