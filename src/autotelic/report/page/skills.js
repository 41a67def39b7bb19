// The skills of one learner: where their trajectories lie, and how they go.
function startSkills() {
  const { members, map, paths, noun } = DATA.skills;
  const MOST_NAMED = 20; // more names on a map would hide one another
  const chosen = new Set(); // highlighted goals; all if none
  const goals = [...Array(DATA.num_goals).keys()];
  const mapHolder = byId("skills-map"), pathHolder = byId("skills-paths");
  // Where goals can be reached, a colour says whether this one is; elsewhere it says which it is.
  function colour(goal) {
    const one = shown();
    if (one === undefined || one.success === undefined) return `var(--skill-${goal})`;
    if (!one.reachable[goal]) return "var(--quiet)";
    return one.success[goal] >= 0.5 ? "var(--accent)" : "var(--alarm)";
  }
  const strong = (goal) => chosen.size === 0 || chosen.has(goal);

  const methods = [...new Set(members.map((member) => member.method))];
  options(byId("skills-method"), methods.map((name) => [name, name]));
  options(byId("skills-seed"), [...new Set(members.map((member) => member.seed))].map((seed) => [seed, seed]));
  byId("skills-method").value = DATA.skills.start;
  byId("skills-seed").value = members.find((one) => one.method === byId("skills-method").value).seed;
  byId("skills-trace-label").hidden = paths === null || paths.kind !== "trace";

  const member = () => members.find((one) => one.method === byId("skills-method").value &&
    String(one.seed) === byId("skills-seed").value);
  const shown = () => byId("skills-when").value === "trained" ? member() :
    DATA.skills.untrained.find((one) => String(one.seed) === byId("skills-seed").value);

  function drawMap() {
    const points = shown().map;
    const domain = (axis) => padded(extent(map.domain[axis]), 0.04);
    const { svg, x, y } = frame(mapHolder, {
      height: Math.min(440, Math.max(280, mapHolder.clientWidth * 0.85)), xDomain: domain(0),
      yDomain: domain(1), xLabel: map.labels[0], yLabel: map.labels[1], equal: map.equal,
    });
    for (const goal of goals)
      for (const [a, b] of points[goal])
        svg.append(shape("circle", { cx: x(a), cy: y(b), r: 4,
          style: { fill: colour(goal), opacity: strong(goal) ? "0.8" : "0.08" } }));
    const named = goals.filter(strong);
    for (const goal of named.length <= MOST_NAMED ? named : []) {
      const middle = [0, 1].map((axis) =>
        points[goal].reduce((sum, point) => sum + point[axis], 0) / points[goal].length);
      svg.append(shape("text", { class: "label", x: x(middle[0]), y: y(middle[1]) - 7,
        "text-anchor": "middle" }, String(goal)));
    }
    mapHolder.replaceChildren(svg);
    mapHolder.setAttribute("aria-label",
      `Map of the ${goals.length} ${noun}s: ${map.labels[0]} against ${map.labels[1]}; the table below has each ${noun}'s centre`);
  }

  // One skill's curves as [xs, ys] in what is plotted: a path in the plane, or a trace over steps.
  function curves(goal) {
    const drawn = shown().paths[goal];
    if (paths.kind === "plane") return drawn;
    if (byId("skills-trace").value === "position") return drawn.map((xs) => [paths.steps, xs]);
    // Over several points, as gaits make the speed of a moment jump.
    const apart = Math.min(5, paths.steps.length - 1);
    const slopes = (xs) => xs.slice(apart).map((value, i) => value === null || xs[i] === null ? null :
      (value - xs[i]) / (paths.steps[i + apart] - paths.steps[i]));
    return drawn.map((xs) => [paths.steps.slice(apart), slopes(xs)]);
  }

  function pathFrame(holder, all, settings) {
    const plane = paths.kind === "plane";
    const xs = plane ? paths.domain[0] : [0, paths.steps[paths.steps.length - 1]];
    const ys = plane ? paths.domain[1] : extent(all.flatMap((lines) => lines.flatMap((line) => line[1])));
    const velocity = byId("skills-trace").value === "velocity";
    return frame(holder, { xDomain: plane ? padded(xs, 0.03) : xs, yDomain: padded(ys, 0.03),
      xLabel: plane ? "x" : "step",
      yLabel: plane ? "y" : velocity ? "x velocity (distance a step)" : "x position",
      equal: plane, ...settings });
  }

  function line([xs, ys], x, y, goal, width, opacity) {
    return shape("path", { d: pathOf(xs, ys, x, y), fill: "none",
      style: { stroke: colour(goal), "stroke-width": width, opacity, "stroke-linejoin": "round" } });
  }

  function drawWalls({ svg, x, y }) {
    const cells = (paths.walls || []).map(([left, bottom, right, top]) =>
      `M${x(left)} ${y(bottom)}H${x(right)}V${y(top)}H${x(left)}Z`);
    svg.append(shape("path", { class: "wall", d: cells.join("") }));
  }

  function drawGoal({ svg, x, y }, goal) {
    const place = paths.walls ? shown().places[goal] : undefined;
    if (place !== undefined) svg.append(shape("circle", { class: "goal", cx: x(place[0]), cy: y(place[1]), r: 4,
      style: { stroke: colour(goal) } }));
  }

  function drawPaths() {
    if (paths === null) {
      pathHolder.replaceChildren(element("p", { class: "note" },
        "The environment reports no positions, so there are no paths to draw."));
      byId("skills-multiples").replaceChildren();
      return;
    }
    const all = goals.map(curves);
    const large = pathFrame(pathHolder, all,
      { height: Math.min(440, Math.max(280, pathHolder.clientWidth * 0.85)) });
    const { svg, x, y } = large;
    drawWalls(large);
    const plain = goals.length <= MOST_NAMED ? "0.85" : "0.4";
    for (const goal of [...goals].sort((a, b) => strong(a) - strong(b)))
      for (const one of all[goal])
        svg.append(line(one, x, y, goal, "1.4", !strong(goal) ? "0.06" : chosen.size ? "0.85" : plain));
    for (const goal of goals.filter(strong)) drawGoal(large, goal);
    pathHolder.replaceChildren(svg);
    pathHolder.setAttribute("aria-label", `Trajectories of all ${noun}s`);
    byId("skills-multiples").replaceChildren(...goals.map((goal) => {
      const holder = element("div", { class: "chart", role: "img", "aria-label": `Trajectories of ${noun} ${goal}` });
      const { success } = shown();
      return element("figure", {}, holder, element("figcaption", {}, `${noun} ${goal}`,
        success === undefined ? "" : element("span", {}, `success ${success[goal].toFixed(2)}`)));
    }));
    // Only now do they have a width.
    byId("skills-multiples").querySelectorAll(".chart").forEach((holder, goal) => {
      const small = pathFrame(holder, all, { height: Math.round(holder.clientWidth * 0.9), bare: true });
      if (paths.kind === "plane") {
        const [[left, right], [low, high]] = paths.domain;
        small.svg.append(shape("rect", { class: "frame", x: small.x(left), y: small.y(high),
          width: small.x(right) - small.x(left), height: small.y(low) - small.y(high) }));
      } else
        small.svg.append(shape("line", { class: "reference", x1: small.box.left, x2: small.box.right,
          y1: small.y(0), y2: small.y(0) }));
      drawWalls(small);
      for (const one of all[goal]) small.svg.append(line(one, small.x, small.y, goal, "1.3", "0.9"));
      drawGoal(small, goal);
      holder.replaceChildren(small.svg);
    });
  }

  function tabulate() {
    const rows = goals.map((goal) => {
      const points = shown().map[goal];
      const middle = [0, 1].map((axis) => points.reduce((sum, p) => sum + p[axis], 0) / points.length);
      return [goal, ...middle.map(number), points.length];
    });
    table(byId("skills-table"), `Centre of each ${noun} on the map`,
      [noun, ...map.labels, "trajectories"], rows);
  }

  // A learner that diverged has no skills.
  function drawNothing() {
    const note = () => element("p", { class: "note" }, "This learner diverged: it has no skills to show.");
    mapHolder.replaceChildren(note());
    pathHolder.replaceChildren(note());
    byId("skills-multiples").replaceChildren();
    table(byId("skills-table"), "This learner has no skills", ["skill"], []);
  }

  function draw() {
    if (shown() === undefined) return drawNothing();
    [...byId("skills-chips").children].forEach((chip, goal) => chip.style.setProperty("--chip", colour(goal)));
    drawMap();
    drawPaths();
    tabulate();
    byId("skills-caption").textContent = DATA.skills.note;
  }

  byId("skills-chips").replaceChildren(...goals.map((goal) => element("button", {
    type: "button", "aria-pressed": "false", "aria-label": `${noun} ${goal}`, style: { "--chip": colour(goal) },
    on: { click(event) {
      chosen.has(goal) ? chosen.delete(goal) : chosen.add(goal);
      event.currentTarget.setAttribute("aria-pressed", String(chosen.has(goal)));
      draw();
    } },
  }, String(goal))));
  for (const id of ["skills-method", "skills-seed", "skills-when", "skills-trace"])
    byId(id).addEventListener("change", draw);
  responsive(mapHolder, draw);
}
