// Learning curves: the mean over seeds with its interval, or every seed; methods can be switched off.
function startCurves() {
  const holder = byId("curve-chart"), legend = byId("curve-legend");
  const metrics = DATA.curves;
  const state = { metric: 0, smoothing: metrics[0].smoothing, show: "band", hidden: new Set(), at: null };

  options(byId("curve-metric"), metrics.map((metric, index) => [index, metric.label]));
  const widths = [...new Set([1, 5, DATA.num_goals, 2 * DATA.num_goals])].sort((a, b) => a - b);
  const smoothing = byId("curve-smoothing");
  options(smoothing, widths.map((w) => [w,
    w === 1 ? "no smoothing" : `${w} epochs` + (w === DATA.num_goals ? " (a round)" : "")]));

  // The mean over those of the last `width` epochs that have a value.
  function smoothed(values, epochs, width) {
    return values.map((_, end) => {
      let sum = 0, count = 0;
      for (let i = end; i >= 0 && epochs[i] > epochs[end] - width; i--)
        if (values[i] !== null) { sum += values[i]; count += 1; }
      return count ? sum / count : null;
    });
  }

  function summary(metric, seeds) {
    const mean = [], low = [], high = [];
    for (let t = 0; t < metric.epochs.length; t++) {
      const values = seeds.map((seed) => seed[t]).filter((value) => value !== null);
      const n = values.length;
      const centre = n ? values.reduce((a, b) => a + b, 0) / n : null;
      const spread = n > 1
        ? DATA.student[n] * Math.sqrt(values.reduce((a, v) => a + (v - centre) ** 2, 0) / (n - 1) / n) : 0;
      mean.push(centre);
      low.push(n ? Math.max(metric.low ?? -Infinity, centre - spread) : null);
      high.push(n ? Math.min(metric.high ?? Infinity, centre + spread) : null);
    }
    return { mean, low, high };
  }

  function series() {
    const metric = metrics[state.metric];
    return DATA.methods.map((name, method) => {
      const seeds = metric.values[method].map((values) => smoothed(values, metric.epochs, state.smoothing));
      return { name, method, seeds, ...summary(metric, seeds) };
    });
  }

  function describe(one, t) {
    const several = DATA.seeds.length > 1;
    return number(one.mean[t]) + (several ? ` [${number(one.low[t])}, ${number(one.high[t])}]` : "");
  }

  let current = null; // what the cursor reads from

  function draw() {
    const metric = metrics[state.metric], all = series();
    const shown = all.filter((one) => !state.hidden.has(one.method));
    const visible = shown.flatMap((one) => state.show === "band" ? [one.low, one.high] : one.seeds);
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
      if (state.show === "seeds") {
        for (const seed of one.seeds)
          svg.append(shape("path", { d: pathOf(epochs, seed, x, y), fill: "none",
            style: { stroke: colour, "stroke-width": "1.2", opacity: "0.75" } }));
        continue;
      }
      if (DATA.seeds.length > 1) {
        const there = epochs.map((_, t) => t).filter((t) => one.mean[t] !== null);
        const edge = (side, order) => order.map((t) => `${x(epochs[t]).toFixed(1)} ${y(one[side][t]).toFixed(1)}`);
        if (there.length) svg.append(shape("path", {
          d: "M" + [...edge("high", there), ...edge("low", [...there].reverse())].join("L") + "Z",
          style: { fill: colour, opacity: "0.16" } }));
      }
      svg.append(shape("path", { d: pathOf(epochs, one.mean, x, y), fill: "none",
        style: { stroke: colour, "stroke-width": "2" } }));
    }
    const cursor = shape("g", {});
    svg.append(cursor);
    holder.replaceChildren(svg);
    current = { metric, all, shown, x, y, box, cursor };
    state.at = Math.min(state.at ?? epochs.length - 1, epochs.length - 1);
    holder.setAttribute("aria-valuemin", epochs[0]);
    holder.setAttribute("aria-valuemax", epochs[epochs.length - 1]);
    read(state.at);
    byId("curve-caption").textContent = metric.note + " " + (DATA.seeds.length > 1
      ? `Bands: 95 % interval of the mean over ${DATA.seeds.length} seeds (Student's t).`
      : "One seed, so there is no interval.");
  }

  // Put the cursor at an epoch: the legend tells the values there.
  function read(at) {
    const { metric, all, shown, x, y, box, cursor } = current;
    state.at = at;
    const place = x(metric.epochs[at]);
    cursor.replaceChildren(
      shape("line", { class: "cursor", x1: place, x2: place, y1: box.top, y2: box.bottom }),
      ...shown.filter((one) => one.mean[at] !== null).map((one) => shape("circle",
        { cx: place, cy: y(one.mean[at]), r: 4, style: { fill: `var(--method-${one.method})` } })),
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
    table(byId("curve-table"), `${metric.label}: ${DATA.seeds.length > 1 ? "mean [95 % interval]" : "one seed"}`,
      ["epoch", ...DATA.methods], rows.map((t) => [metric.epochs[t], ...all.map((one) => describe(one, t))]));
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
    smoothing.value = state.smoothing = metrics[state.metric].smoothing;
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

  smoothing.value = state.smoothing;
  responsive(holder, draw);
  tabulate();
}
