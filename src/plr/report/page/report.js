// The page's charts.  What they show is in the element #data; the tables are plain HTML.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const state = { quantity: "test", hidden: new Set(), run: 0 };
const yNames = { test: "return on levels never seen", train: "return on training levels", gap: "training minus test" };

// ---- small things

const element = (tag, attributes = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
};
const dot = (color) => {
  const node = element("span", { className: "dot" });
  node.style.background = color;
  return node;
};
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = matchMedia("(prefers-color-scheme: dark)");
// Of a method or a degree, a little lighter on a dark ground.
const tint = (i) => {
  const plain = data.colors[i % data.colors.length];
  if (!dark.matches || document.documentElement.classList.contains("printing")) return plain;
  const lighter = (at) => Math.round(parseInt(plain.slice(at, at + 2), 16) * 0.75 + 64).toString(16);
  return "#" + [1, 3, 5].map((at) => lighter(at).padStart(2, "0")).join("");
};
const short = (value) => {
  if (value == null) return "-";
  const size = Math.abs(value);
  if (size >= 1e6) return +(value / 1e6).toPrecision(4) + "M";
  if (size >= 1e4) return +(value / 1e3).toPrecision(4) + "k";
  return String(+value.toPrecision(4));
};

// ---- charts

let charts = [];

// A box near the pointer that tells what all the visible lines are there.
function tooltip(lines, xName) {
  const box = element("div", { className: "tip", hidden: true });
  return {
    hooks: {
      init: (chart) => chart.root.append(box),
      setCursor: (chart) => {
        const { idx, left, top } = chart.cursor;
        box.hidden = idx == null || left < 0;
        if (box.hidden) return;
        const rows = lines
          .filter((line) => chart.series[line.series].show && line.text(idx) != null)
          .map((line) => element("div", {}, dot(line.color), `${line.name}  ${line.text(idx)}`));
        box.replaceChildren(element("div", {}, `${short(chart.data[0][idx])} ${xName}`), ...rows);
        const right = left > chart.over.clientWidth / 2;
        box.style.left = `${chart.over.offsetLeft + left + (right ? -box.offsetWidth - 12 : 12)}px`;
        box.style.top = `${chart.over.offsetTop + Math.min(top, chart.over.clientHeight - box.offsetHeight)}px`;
      },
    },
  };
}

const axis = (options) => ({
  stroke: color("--muted"),
  grid: { stroke: color("--line"), width: 1 },
  ticks: { stroke: color("--line"), width: 1 },
  values: (_, ticks) => ticks.map(short),
  ...options,
});

// `lines`: {name, color, y, text} and perhaps points instead of a line, a band of half its height, or
// a colour to fill what is below.
function addChart(parent, { title, note, wide, x, xName, lines, bands = [], range }) {
  const card = element("div", { className: wide ? "chart wide" : "chart" }, element("h3", { textContent: title }));
  if (note) card.append(element("div", { className: "note", textContent: note }));
  parent.append(card);
  const columns = [x];
  const series = [{}];
  const shaded = [...bands];
  for (const line of lines) {
    line.series = columns.length;
    columns.push(line.y);
    series.push({
      label: line.name, stroke: line.color, fill: line.fill, width: line.points ? 0 : 2, show: !line.hidden,
      points: { show: Boolean(line.points) || x.length < 3, size: 5, fill: line.color, width: 0 },
    });
    if (!line.band) continue;
    for (const sign of [1, -1]) {
      columns.push(line.y.map((y, i) => (y == null ? null : y + sign * line.band[i])));
      series.push({ stroke: "transparent", width: 0, points: { show: false }, show: !line.hidden });
    }
    shaded.push({ series: [columns.length - 2, columns.length - 1], fill: line.color + "30" });
  }
  const height = wide ? 320 : 240;
  const size = () => ({ width: Math.max(200, card.clientWidth - 24), height });
  const chart = new uPlot({
    ...size(), series, bands: shaded,
    scales: { x: { time: false }, y: range ? { range } : {} },
    axes: [axis({ label: xName, labelSize: 20, labelFont: "12px system-ui" }), axis({ size: 56 })],
    legend: { show: false },
    cursor: { points: { show: false } },
    plugins: [tooltip(lines, xName)],
  }, columns, card);
  new ResizeObserver(() => chart.setSize(size())).observe(card);
  charts.push(chart);
}

function addCurves(parent, group) {
  const lines = [];
  data.labels.forEach((name, i) => {
    const curve = group.methods[i] && group.methods[i][state.quantity];
    if (!curve) return;
    lines.push({
      name, color: tint(i), y: curve.mean, band: curve.deviation, hidden: state.hidden.has(name),
      text: (at) => curve.mean[at] == null ? null
        : `${short(curve.mean[at])} ± ${short(curve.deviation[at])}  (${curve.count[at]} runs)`,
    });
  });
  addChart(parent, { title: group.title, note: yNames[state.quantity] + (group.normalized ? ", normalized" : ""),
    wide: group.wide, x: group.steps, xName: "steps", lines });
}

// Each degree's probability on top of those below it.
function addCurriculum(parent, curriculum) {
  const masses = curriculum.by_difficulty;
  let below = curriculum.update.map(() => 0);
  const sums = masses.map((mass) => (below = mass.map((m, i) => m + below[i])));
  const lines = masses.map((mass, i) => ({
    name: `difficulty ${i + 1}`, color: tint(i), y: sums[i],
    fill: i === 0 ? tint(0) + "50" : undefined,
    text: (at) => `${(100 * mass[at]).toFixed(1)} %`,
  }));
  const bands = lines.slice(1).map((line, i) => ({ series: [i + 2, i + 1], fill: line.color + "50" }));
  addChart(parent, { title: "Curriculum: probability by difficulty", note: "stacked, easiest at the bottom; means over a twentieth of the run",
    x: curriculum.update, xName: "updates", lines, bands, range: [0, 1] });
}

function addSimple(parent, title, note, x, xName, y, options = {}) {
  const line = { name: "", color: tint(0), y, text: (at) => short(y[at]), ...options };
  addChart(parent, { title, note, x, xName, lines: [line] });
}

function addDetails(parent, run) {
  const { curriculum, levels, speed } = run;
  if (curriculum && curriculum.by_difficulty.length) addCurriculum(parent, curriculum);
  if (curriculum) {
    addSimple(parent, "Levels in play", "as many equally likely levels would be as concentrated",
      curriculum.update, "updates", curriculum.effective_levels);
    addSimple(parent, "Mean score", "what is left to learn, over all levels seen", curriculum.update, "updates", curriculum.mean_score);
  }
  if (levels) {
    addSimple(parent, "Score by level", "the most probable level first", levels.rank, "rank by probability", levels.score, { points: true });
    addSimple(parent, "Staleness by level", "draws since it was last chosen", levels.rank, "rank by probability", levels.staleness, { points: true });
  }
  if (speed) addSimple(parent, "Steps per second", "since the start of its process", speed.steps, "steps", speed.steps_per_second);
}

// ---- the page

function draw() {
  for (const chart of charts) chart.destroy();
  charts = [];
  const curves = document.getElementById("curve-charts");
  const details = document.getElementById("detail-charts");
  curves.replaceChildren();
  details.replaceChildren();
  for (const group of data.groups) addCurves(curves, group);
  if (data.details.length) addDetails(details, data.details[state.run]);
  for (const set of document.querySelectorAll(".run-pictures")) set.hidden = set.dataset.run !== String(state.run);
}

function addToggle(parent, label, color, isOn, act) {
  const button = element("button", { type: "button" }, ...(color ? [dot(color)] : []), label);
  const show = () => button.setAttribute("aria-pressed", String(isOn()));
  button.addEventListener("click", () => {
    act();
    for (const each of parent.children) each.refresh();
    draw();
  });
  button.refresh = show;
  show();
  parent.append(button);
}

for (const quantity of Object.keys(yNames)) {
  addToggle(document.getElementById("quantities"), quantity, null,
    () => state.quantity === quantity, () => (state.quantity = quantity));
}
data.labels.forEach((label, i) => {
  addToggle(document.getElementById("methods"), label, data.colors[i], () => !state.hidden.has(label), () => {
    if (!state.hidden.delete(label)) state.hidden.add(label);
  });
});
const runs = document.getElementById("run");
data.details.forEach((run, i) => runs.append(element("option", { value: String(i), textContent: run.name })));
runs.addEventListener("change", () => { state.run = Number(runs.value); draw(); });

dark.addEventListener("change", draw);
addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); draw(); });
addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); draw(); });
draw();
