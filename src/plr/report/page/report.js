// The page's charts and controls. The charts' data are the JSON of the element #data, written by
// page_data.cc; the tables are static HTML.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const state = { quantity: "test", hidden: new Set(), run: 0 };
// Axis labels of the quantities.
const yNames = { test: "return on levels never seen", train: "return on training levels", gap: "training minus test return" };

// Layout in pixels; uPlot's canvas needs numbers.
const wideHeight = 320;
const cardHeight = 240;
const minWidth = 200;
const cardPadding = 24;  // left and right together, see .chart in report.css
const tipDistance = 12;  // from the pointer
const xLabelHeight = 20;
const yAxisWidth = 56;
// Opacity of fills, appended to a color.
const bandAlpha = "30";
const stackAlpha = "50";

// ---- helpers

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
// The color of the i-th method or degree of difficulty; on a dark background mixed with a quarter of
// white.
const tint = (i) => {
  const plain = data.colors[i % data.colors.length];
  if (!dark.matches || document.documentElement.classList.contains("printing")) return plain;
  const lighter = (at) => Math.round(parseInt(plain.slice(at, at + 2), 16) * 0.75 + 64).toString(16);
  return "#" + [1, 3, 5].map((at) => lighter(at).padStart(2, "0")).join("");
};
// At most four significant digits: 0.25, 1500, 50k, 25M.
const shortNumber = (value) => {
  if (value == null) return "-";
  const size = Math.abs(value);
  if (size >= 1e6) return +(value / 1e6).toPrecision(4) + "M";
  if (size >= 1e4) return +(value / 1e3).toPrecision(4) + "k";
  return String(+value.toPrecision(4));
};

const runCount = (n) => `${n} ${n === 1 ? "run" : "runs"}`;

// ---- charts

let charts = [];

// A box at the pointer with the values of all visible lines; `xText` is the text of an x.
function tooltip(lines, xText) {
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
        box.replaceChildren(element("div", {}, xText(chart.data[0][idx])), ...rows);
        const right = left > chart.over.clientWidth / 2;
        box.style.left = `${chart.over.offsetLeft + left + (right ? -box.offsetWidth - tipDistance : tipDistance)}px`;
        box.style.top = `${chart.over.offsetTop + Math.min(top, chart.over.clientHeight - box.offsetHeight)}px`;
      },
    },
  };
}

const axis = (options) => ({
  stroke: color("--muted"),
  grid: { stroke: color("--line"), width: 1 },
  ticks: { stroke: color("--line"), width: 1 },
  values: (_, ticks) => ticks.map(shortNumber),
  ...options,
});

// Adds a card with a chart to `parent`. Each of `lines` is {name, color, y, text(index)}, optionally with
// `points` (instead of a line), `band` (half the height of a band, per point), `fill` (the color below
// the line) and `hidden`. `xNames` are shown instead of the numbers of x = 0, 1, 2, ...; `legend` lists
// the lines below the title.
function addChart(parent, { title, note, wide, x, xName, xNames = [], lines, bands = [], range, legend }) {
  const card = element("div", { className: wide ? "chart wide" : "chart" }, element("h3", { textContent: title }));
  if (note) card.append(element("div", { className: "note", textContent: note }));
  if (legend) {
    card.append(element("div", { className: "legend" },
      ...lines.filter((line) => !line.hidden).map((line) => element("span", {}, dot(line.color), line.name))));
  }
  parent.append(card);
  const xText = (value) => (xNames.length ? xNames[value] ?? "" : shortNumber(value));
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
    shaded.push({ series: [columns.length - 2, columns.length - 1], fill: line.color + bandAlpha });
  }
  const height = wide ? wideHeight : cardHeight;
  const size = () => ({ width: Math.max(minWidth, card.clientWidth - cardPadding), height });
  const chart = new uPlot({
    ...size(), series, bands: shaded,
    scales: { x: { time: false }, y: range ? { range } : {} },
    axes: [
      axis({ label: xName, labelSize: xLabelHeight, labelFont: "12px system-ui", values: (_, ticks) => ticks.map(xText),
        ...(xNames.length ? { splits: () => x } : {}) }),
      axis({ size: yAxisWidth }),
    ],
    legend: { show: false },
    cursor: { points: { show: false } },
    plugins: [tooltip(lines, (value) => (xNames.length ? xNames[value] : `${shortNumber(value)} ${xName}`))],
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
        : `${shortNumber(curve.mean[at])} ± ${shortNumber(curve.deviation[at])}  (${runCount(curve.count[at])})`,
    });
  });
  addChart(parent, { title: group.title, note: yNames[state.quantity] + (group.normalized ? ", normalized" : ""),
    wide: group.wide, x: group.steps, xName: "steps", lines });
}

// A figure of evaluation_tables.cc. Its points have names instead of numbers if it has x_names.
function addFigure(parent, figure) {
  // The name of a line is a label, with the environment in parentheses if there are several.
  const labels = figure.lines.map(({ name }) => data.labels.findIndex((l) => name === l || name.startsWith(`${l} (`)));
  const isUnique = new Set(labels).size === labels.length;
  const lines = figure.lines.map((line, i) => ({
    ...line, color: tint(isUnique ? labels[i] : i), hidden: state.hidden.has(data.labels[labels[i]]),
    text: (at) => line.y[at] == null ? null : `${shortNumber(line.y[at])} ± ${shortNumber(line.band[at])}`,
  }));
  addChart(parent, { title: figure.title, note: figure.y_name, wide: data.figures.length === 1,
    x: figure.x, xName: figure.x_name, xNames: figure.x_names, lines, legend: true });
}

// The probabilities of the degrees of difficulty, stacked.
function addCurriculum(parent, curriculum) {
  const masses = curriculum.by_difficulty;
  let below = curriculum.update.map(() => 0);
  const sums = masses.map((mass) => (below = mass.map((m, i) => m + below[i])));
  const lines = masses.map((mass, i) => ({
    name: `difficulty ${i + 1}`, color: tint(i), y: sums[i],
    fill: i === 0 ? tint(0) + stackAlpha : undefined,
    text: (at) => `${(100 * mass[at]).toFixed(1)} %`,
  }));
  const bands = lines.slice(1).map((line, i) => ({ series: [i + 2, i + 1], fill: line.color + stackAlpha }));
  addChart(parent, { title: "Curriculum: probability by difficulty",
    note: "stacked, easiest at the bottom; moving mean over 5 % of the run",
    x: curriculum.update, xName: "updates", lines, bands, range: [0, 1] });
}

// A chart with one line.
function addSimple(parent, title, note, x, xName, y, options = {}) {
  const line = { name: "", color: tint(0), y, text: (at) => shortNumber(y[at]), ...options };
  addChart(parent, { title, note, x, xName, lines: [line] });
}

function addDetails(parent, run) {
  const { curriculum, levels, speed } = run;
  if (curriculum && curriculum.by_difficulty.length) addCurriculum(parent, curriculum);
  if (curriculum) {
    addSimple(parent, "Effective number of levels",
      "1 / sum of squared probabilities: N if N levels are equally likely",
      curriculum.update, "updates", curriculum.effective_levels);
    addSimple(parent, "Mean score", "learning potential, averaged over all seen levels",
      curriculum.update, "updates", curriculum.mean_score);
  }
  if (levels) {
    addSimple(parent, "Score by level", "sorted by probability, the most probable level first",
      levels.rank, "rank by probability", levels.score, { points: true });
    addSimple(parent, "Staleness by level", "number of draws since the level was last sampled",
      levels.rank, "rank by probability", levels.staleness, { points: true });
  }
  if (speed) {
    addSimple(parent, "Steps per second", "average since the start of the process",
      speed.steps, "steps", speed.steps_per_second);
  }
}

// ---- the page

function draw() {
  for (const chart of charts) chart.destroy();
  charts = [];
  const curves = document.getElementById("curve-charts");
  const details = document.getElementById("detail-charts");
  const figures = document.getElementById("figure-charts");
  figures.replaceChildren();
  curves.replaceChildren();
  details.replaceChildren();
  document.getElementById("figures").hidden = data.figures.length === 0;
  for (const figure of data.figures) addFigure(figures, figure);
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
