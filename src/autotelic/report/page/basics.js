// What all charts need. Text from a run only ever becomes a text node or an attribute, never markup.
const DATA = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "style") {
      for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    } else if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}
const element = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);
const shape = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

function options(select, entries) {
  select.replaceChildren(
    ...entries.map(([value, text]) => element("option", { value }, String(text)))
  );
}

function table(details, caption, head, rows) {
  const cell = (row) => row.map((value, index) =>
    index === 0 ? element("th", { scope: "row" }, String(value)) : element("td", {}, String(value)));
  const made = element("div", { class: "scroll", tabindex: "0" },
    element("table", {},
      element("caption", {}, caption),
      element("thead", {}, element("tr", {},
        ...head.map((name) => element("th", { scope: "col" }, String(name))))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cell(row))))));
  details.replaceChildren(details.querySelector("summary"), made);
}

function number(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e5)) return value.toExponential(1);
  return size < 1 ? value.toFixed(3) : size < 100 ? value.toFixed(2) : value.toFixed(0);
}

// A tick has no more digits than it needs.
const tickText = (value) => Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3)
  ? value.toExponential() : String(Number(value.toPrecision(6)));

function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    found.push(Number((k * step).toPrecision(12)));
  return found;
}

// The smallest interval that holds all finite values, or [0, 1] where there are none.
function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (low > high) return [0, 1];
  if (low === high) return [low - 0.5, high + 0.5];
  return [low, high];
}

const scale = ([low, high], [from, to]) => (value) =>
  from + ((value - low) / (high - low)) * (to - from);

// "M x y L x y ..." through the points that are there; a gap where a value is missing.
function pathOf(xs, ys, x, y) {
  let path = "", pen = "M";
  for (let i = 0; i < xs.length; i++) {
    if (ys[i] === null || xs[i] === null || !Number.isFinite(ys[i])) { pen = "M"; continue; }
    path += pen + x(xs[i]).toFixed(1) + " " + y(ys[i]).toFixed(1);
    pen = "L";
  }
  return path;
}

// Axes with a grid; returns the drawing, the scales and the inner box.
function frame(holder, { height, xDomain, yDomain, xLabel, yLabel, xTicks, equal, bare }) {
  const width = Math.max(60, holder.clientWidth);
  const box = bare
    ? { left: 2, right: width - 2, top: 2, bottom: height - 2 }
    : { left: 50, right: width - 16, top: 22, bottom: height - 36 };
  if (equal) {
    [xDomain, yDomain] = squared(xDomain, yDomain, box);
  }
  const x = scale(xDomain, [box.left, box.right]);
  const y = scale(yDomain, [box.bottom, box.top]);
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  if (!bare) {
    for (const value of ticks(...yDomain, height / 60)) {
      svg.append(
        shape("line", { class: "grid", x1: box.left, x2: box.right, y1: y(value), y2: y(value) }),
        shape("text", { x: box.left - 6, y: y(value) + 4, "text-anchor": "end" }, tickText(value)));
    }
    for (const value of xTicks || ticks(...xDomain, width / 90)) {
      svg.append(
        shape("line", { class: "axis", x1: x(value), x2: x(value), y1: box.bottom, y2: box.bottom + 4 }),
        shape("text", { x: x(value), y: box.bottom + 17, "text-anchor": "middle" }, tickText(value)));
    }
    svg.append(
      shape("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
      shape("text", { x: (box.left + box.right) / 2, y: height - 3, "text-anchor": "middle" }, xLabel),
      shape("text", { x: 2, y: 12 }, yLabel));
  }
  return { svg, x, y, box };
}

// Domains widened so that a unit is as long on both axes.
function squared(xDomain, yDomain, box) {
  const perPixel = Math.max(
    (xDomain[1] - xDomain[0]) / (box.right - box.left),
    (yDomain[1] - yDomain[0]) / (box.bottom - box.top));
  const widened = ([low, high], pixels) => {
    const middle = (low + high) / 2, half = (perPixel * pixels) / 2;
    return [middle - half, middle + half];
  };
  return [widened(xDomain, box.right - box.left), widened(yDomain, box.bottom - box.top)];
}

const padded = ([low, high], share) => [low - share * (high - low), high + share * (high - low)];

// Draw now and whenever the holder's width changes; charts are drawn in real pixels.
function responsive(holder, draw) {
  let width = holder.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(holder.clientWidth - width) < 1) return;
    width = holder.clientWidth;
    draw();
  }).observe(holder);
  draw();
}
