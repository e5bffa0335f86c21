// Pictures: bars of time, and a sign for each end that differs by its shape.

const svgSpace = "http://www.w3.org/2000/svg";
const phaseNames = ["turn", "validating", "person", "barrier", "executing", "stopping"];
const heights = [3, 14, 9, 9, 14, 14]; // waiting is thinner than working
const tones = { success: "good", error: "bad", cancelled: "calm" };

function draw(name, attributes, parent, text) {
  const element = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  if (parent) parent.append(element);
  return element;
}

function bar(parent, phase, x, width, middle) {
  const height = heights[phase];
  return draw("rect", {
    x, width, y: middle - height / 2, height, rx: Math.min(3, width / 2, height / 2), class: "fill-" + phaseNames[phase],
  }, parent);
}

// Success a disc with a tick, error an octagon with a cross, cancelled a box with a bar.
function endSign(status, parent, x, y) {
  const tone = tones[status];
  const group = draw("g", { transform: `translate(${x} ${y})`, "stroke-width": 1.4 }, parent);
  if (tone === "good") {
    draw("circle", { r: 6.6, class: tone }, group);
    draw("path", { d: "M-3 .2L-.8 2.6L3.2 -2.4", class: "mark good" }, group);
  } else if (tone === "bad") {
    draw("path", { d: "M2.8 -6.8L6.8 -2.8V2.8L2.8 6.8H-2.8L-6.8 2.8V-2.8L-2.8 -6.8Z", class: tone }, group);
    draw("path", { d: "M-2.6 -2.6L2.6 2.6M-2.6 2.6L2.6 -2.6", class: "mark bad" }, group);
  } else if (tone === "calm") {
    draw("rect", { x: -6.2, y: -6.2, width: 12.4, height: 12.4, rx: 2, class: tone }, group);
    draw("path", { d: "M-3.2 0H3.2", class: "mark calm" }, group);
  } else draw("circle", { r: 4.5, class: "open" }, group);
  return group;
}

// The sign of a state in words, as small as a letter.
function stateSign(state) {
  const svg = draw("svg", { class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true" });
  if (tones[state]) endSign(state, svg, 0, 0);
  else {
    const phase = state.startsWith("validating") ? 1 : state.startsWith("awaiting") ? 2
      : state.startsWith("scheduled") ? 3 : state.endsWith("stopping") ? 5 : state.startsWith("executing") ? 4 : 0;
    const height = Math.min(10, heights[phase]);
    draw("rect", { x: -6, y: -height / 2, width: 12, height, rx: 2.5, class: "fill-" + phaseNames[phase] }, svg);
  }
  return svg;
}

// A round time without its zeros.
function tickName(ms) {
  if (run.byEvent) return "#" + (ms + 1);
  return ms ? duration(ms).replace(/\.?0+ s$/, " s").replace(/^(\d+ min) 0 s$/, "$1") : "0";
}

const roundSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000];

function ticks(spanMs, width) {
  const least = Math.max(1, spanMs) * 74 / Math.max(80, width);
  let step = roundSteps.find((ms) => ms >= least) || 3600000;
  while (step < least) step *= 2;
  const found = [];
  for (let at = 0; at <= spanMs; at += step) found.push(at);
  return found;
}
