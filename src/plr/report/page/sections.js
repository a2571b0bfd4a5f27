// What the page's charts show: learning curves, figures, profiles, diagnostics and details of a run.
"use strict";

// Notes of the quantities of learning curves.
const quantities = { test: "return on levels never seen", train: "return on training levels", gap: "training minus test return" };
const minReturnSpan = 0.05;  // of a y axis, as a part of the possible returns

// Titles, notes and the smallest span of the y axis of the numbers in a run's log.
const diagnosticNames = {
  return: ["Training return", "mean of the last 100 episodes, on levels that the curriculum chose", 0.02],
  length: ["Episode length", "steps, mean of the last 100 episodes", 1],
  policy_loss: ["Policy loss", "clipped surrogate of PPO, mean over mini-batches", 0.001],
  value_loss: ["Value loss", "mean over mini-batches, before its coefficient", 1e-4],
  entropy: ["Entropy", "of the policy, in nats", 0.05],
  approx_kl: ["Approximate KL divergence", "of the policy before and after the update", 0.001],
  clip_fraction: ["Clip fraction", "part of the samples whose probability ratio is clipped", 0.01],
  explained_variance: ["Explained variance", "of the returns, by the values; 1 is perfect, 0 is a constant", 0.1],
  grad_norm: ["Gradient norm", "before clipping, mean over mini-batches", 0.01],
  advantage_deviation: ["Standard deviation of advantages", "before normalization", 0.001],
  drac_loss: ["DrAC loss", "of augmented observations", 1e-4],
};

// ---- axes

const axisNames = { steps: "steps", updates: "gradient updates", seconds: "wall-clock" };

// The unit of a time axis that ends at `seconds`.
function timeUnit(seconds) {
  if (seconds < 180) return { name: "seconds", size: 1 };
  return seconds < 3 * 3600 ? { name: "minutes", size: 60 } : { name: "hours", size: 3600 };
}

// The chosen axis, or steps where the data do not have it.
const axisOf = (positions) => (positions[state.axis] ? state.axis : "steps");

// The x of points with one list of positions: {x, xName}.
function positionsOf(positions) {
  const name = axisOf(positions);
  if (name !== "seconds") return { x: positions[name], xName: axisNames[name] };
  const unit = timeUnit(Math.max(...positions.seconds));
  return { x: positions.seconds.map((s) => s / unit.size), xName: unit.name };
}

// The x of lines with positions of their own: {x, xName, at(line, values)}; at() returns the values of a
// line at x. On the axis of steps the lines share their points.
function commonPositions(steps, methods) {
  const name = methods.every((method) => method[state.axis]) ? state.axis : "steps";
  if (name === "steps") return { x: steps, xName: axisNames.steps, at: (_, values) => values };
  const unit = name === "seconds"
    ? timeUnit(Math.max(...methods.flatMap((method) => method.seconds.filter((s) => s != null))))
    : { name: axisNames[name], size: 1 };
  const x = commonGrid(methods.map((method) => method[name])).map((value) => value / unit.size);
  const at = (method, values) => {
    if (!values) return values;
    const known = values.map((value, i) => [method[name][i], value]).filter(([position]) => position != null);
    const xs = known.map(([position]) => position / unit.size);
    const ys = known.map(([, value]) => value);
    return x.map((value) => interpolated(xs, ys, value));
  };
  return { x, xName: unit.name, at };
}

// A line and its band, smoothed as chosen.
function smoothLine(x, y, band) {
  const window = state.smoothing / 100 * (x[x.length - 1] - x[0]);
  if (!(window > 0)) return { y, band };
  return { y: smoothed(x, y, window), band: smoothed(x, band, window), raw: y };
}

// The lines of the methods that have the quantity: {x, xName, lines}.
function methodLines(group, quantity) {
  const shown = group.methods.map((method, i) => ({ method, i })).filter(({ method }) => method[quantity]);
  const { x, xName, at } = commonPositions(group.steps, shown.map(({ method }) => method));
  const lines = shown.map(({ method, i }) => {
    const { mean, deviation, count } = method[quantity];
    const counts = at(method, count);
    const line = smoothLine(x, at(method, mean), at(method, deviation));
    const text = (index) => {
      if (line.y[index] == null) return null;
      const around = line.band?.[index] == null ? "" : ` ± ${shortNumber(line.band[index])}`;
      return shortNumber(line.y[index]) + around + (counts ? `  (${runCount(Math.round(counts[index]))})` : "");
    };
    return { ...line, text, name: data.labels[i], color: tint(i), hidden: state.hidden.has(data.labels[i]) };
  });
  return { x, xName, lines };
}

// ---- sections

function addCurves(parent, group) {
  const { x, xName, lines } = methodLines(group, state.quantity);
  if (!lines.length) return;
  addChart(parent, { title: group.title, note: quantities[state.quantity] + (group.normalized ? ", normalized" : ""),
    wide: group.wide, x, xName, lines, minSpan: minReturnSpan * group.range });
}

// A figure of evaluation_tables.cc or profiles.cc. Its points have names instead of numbers if it has
// x_names.
function addFigure(parent, figure, options = {}) {
  // The name of a line is a label, with the environment in parentheses if there are several.
  const labels = figure.lines.map(({ name }) => data.labels.findIndex((l) => name === l || name.startsWith(`${l} (`)));
  const isUnique = new Set(labels).size === labels.length;
  const lines = figure.lines.map((line, i) => {
    const text = (at) => {
      if (line.y[at] == null) return null;
      const value = shortNumber(line.y[at]);
      if (line.below) return `${value} [${shortNumber(line.y[at] - line.below[at])}, ${shortNumber(line.y[at] + line.band[at])}]`;
      return line.band[at] ? `${value} ± ${shortNumber(line.band[at])}` : value;
    };
    return { ...line, text, color: tint(isUnique ? labels[i] : i), hidden: state.hidden.has(data.labels[labels[i]]) };
  });
  addChart(parent, { title: figure.title, note: figure.y_name, x: figure.x, xName: figure.x_name,
    xNames: figure.x_names, lines, legend: true, ...options });
}

// Probabilities of improvement as intervals on the range from 0 to 1.
function addImprovements(parent, improvements) {
  const percent = (value) => `${100 * value}%`;
  for (const { family, method, other, probability, interval: [low, high] } of improvements) {
    const range = element("div", { className: "range" });
    Object.assign(range.style, { left: percent(low), width: percent(high - low) });
    const point = element("div", { className: "point" });
    point.style.left = percent(probability);
    const color = tint(data.labels.indexOf(method));
    range.style.background = color + stackAlpha;
    point.style.background = color;
    parent.append(element("div", { className: "improvement" },
      element("div", { className: "name", textContent: `${family}: ${method} > ${other}` }),
      element("div", { className: "track" }, element("div", { className: "half" }), range, point),
      element("div", { className: "number", textContent: `${probability.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]` })));
  }
}

function addDiagnostics(parent, group) {
  for (const [name, [title, note, minSpan]] of Object.entries(diagnosticNames)) {
    const { x, xName, lines } = methodLines(group, name);
    if (lines.length) addChart(parent, { title, note, x, xName, lines, minSpan });
  }
}

// A chart with one line; none if the numbers were not recorded.
function addSimple(parent, title, note, { x, xName }, y, options = {}) {
  if (y.every((value) => value == null)) return;
  const { isSmooth, minSpan, ...rest } = options;
  const line = isSmooth ? smoothLine(x, y) : { y };
  addChart(parent, { title, note, x, xName, minSpan,
    lines: [{ ...line, name: "", color: tint(0), text: (at) => (line.y[at] == null ? null : shortNumber(line.y[at])), ...rest }] });
}

// The curriculum over time by the ten most probable levels, for any environment.
function addTimeline(parent, timeline) {
  const positions = positionsOf(timeline);
  const rankGroups = [["the most probable level", 0, 1], ["the 2nd and 3rd", 1, 3], ["the 4th to 10th", 3, 10]];
  const shares = rankGroups.map(([name, from, to], i) => ({ name, color: tint(i),
    y: timeline.cells.map((cells) => cells.slice(from, to).reduce((sum, [, p]) => sum + p, 0)) }));
  shares.push({ name: "all others", color: tint(7),
    y: timeline.cells.map((cells) => Math.max(0, 1 - cells.reduce((sum, [, p]) => sum + p, 0))) });
  addStack(parent, { title: "Curriculum: probability by rank", note: "stacked; at the bottom, the level that is replayed most",
    ...positions, shares });
  addCells(parent, { title: "Curriculum: the ten most probable levels",
    note: "a row per level, in the order in which they became probable; darker: more probable",
    ...positions, numRows: timeline.levels.length, color: tint(0),
    cells: timeline.cells.map((cells) => cells.map(([level, p]) => [level, Math.sqrt(p)])),
    text: (i) => timeline.cells[i].slice(0, 4).map(([level, p]) => `${timeline.levels[level]}  ${(100 * p).toPrecision(3)} %`) });
  if (timeline.solutions) {
    addSimple(parent, "Shortest solution of the ten most probable levels",
      "its return, weighted by probability: lower is longer, 0 has no solution",
      positions, timeline.solutions, { isSmooth: true, minSpan: 0.05 });
  }
}

function addDetails(parent, run) {
  const { curriculum, levels, speed, timeline } = run;
  if (curriculum) {
    const positions = positionsOf(curriculum);
    if (curriculum.by_difficulty.length) {
      addStack(parent, { title: "Curriculum: probability by difficulty",
        note: "stacked, easiest at the bottom; moving mean over 5 % of the run", ...positions,
        shares: curriculum.by_difficulty.map((y, i) => ({ name: `difficulty ${i + 1}`, color: tint(i), y })) });
    }
    if (timeline) addTimeline(parent, timeline);
    addSimple(parent, "Effective number of levels",
      "1 / sum of squared probabilities: N if N levels are equally likely",
      positions, curriculum.effective_levels, { isSmooth: true, minSpan: 1 });
    addSimple(parent, "Mean score", "learning potential, averaged over all seen levels",
      positions, curriculum.mean_score, { isSmooth: true });
  }
  if (levels) {
    const byRank = { x: levels.rank, xName: "rank by probability" };
    addSimple(parent, "Score by level", "sorted by probability, the most probable level first",
      byRank, levels.score, { points: true });
    addSimple(parent, "Staleness by level", "number of draws since the level was last sampled",
      byRank, levels.staleness, { points: true, minSpan: 10 });
  }
  if (speed) {
    addSimple(parent, "Steps per second", "average since the start of the process",
      positionsOf(speed), speed.steps_per_second);
  }
}
