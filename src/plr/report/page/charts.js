// Charts of the page: cards with lines, bands, stacks and cells, drawn by uPlot.
"use strict";

// Layout in pixels; uPlot's canvas needs numbers.
const wideHeight = 320;
const cardHeight = 240;
const minWidth = 200;
const cardPadding = 24;  // left and right together, see .chart in report.css
const tipDistance = 12;  // from the pointer
const xLabelHeight = 20;
const yAxisWidth = 56;
const minCellHeight = 2;
// Opacity of fills and of lines before smoothing, appended to a color.
const bandAlpha = "30";
const stackAlpha = "50";
const rawAlpha = "48";
// The part of a number's size that an axis shows at least, so that noise does not look like a trend.
const minRelativeSpan = 0.1;
const axisPadding = 0.06;
// Lines closer than this part of the axis coincide. The k-th of them is drawn with the k-th pattern over
// the others, so that all of their colors are visible.
const coincidence = 0.004;
const dashes = [undefined, [10, 10], [6, 14], [3, 17]];
const maxGridPoints = 400;

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
const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
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

// ---- numbers of lines

// The value at x of the line through the points (xs, ys), which are sorted; null outside of them.
function interpolated(xs, ys, x) {
  let low = 0;
  let high = xs.length - 1;
  if (high < 0 || x < xs[0] || x > xs[high]) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle;
    else high = middle;
  }
  if (x === xs[low] || xs[high] === xs[low]) return ys[low];
  if (x === xs[high]) return ys[high];
  if (ys[low] == null || ys[high] == null) return null;
  return ys[low] + (ys[high] - ys[low]) * (x - xs[low]) / (xs[high] - xs[low]);
}

// The means of the values within `window` around each x.
function smoothed(xs, ys, window) {
  if (!ys || !(window > 0)) return ys;
  let begin = 0;
  let end = 0;
  let sum = 0;
  let count = 0;
  return ys.map((y, i) => {
    for (; end < xs.length && xs[end] <= xs[i] + window / 2; end++) if (ys[end] != null) { sum += ys[end]; count++; }
    for (; xs[begin] < xs[i] - window / 2; begin++) if (ys[begin] != null) { sum -= ys[begin]; count--; }
    return y == null || count === 0 ? null : sum / count;
  });
}

// The points of all lines as one grid of x, at most maxGridPoints of them.
function commonGrid(lists) {
  const all = [...new Set(lists.flat().filter((x) => x != null))].sort((a, b) => a - b);
  if (all.length <= maxGridPoints) return all;
  const [first, last] = [all[0], all[all.length - 1]];
  return Array.from({ length: maxGridPoints }, (_, i) => first + (last - first) * i / (maxGridPoints - 1));
}

// The ends of a y axis for numbers from `min` to `max`: at least `minSpan` and a tenth of the numbers.
function axisRange(min, max, minSpan) {
  if (min == null || max == null) return [0, 1];
  const isPositive = min >= 0;
  const span = Math.max(minSpan, minRelativeSpan * Math.max(Math.abs(min), Math.abs(max)), 1e-9);
  if (max - min < span) {
    const center = (min + max) / 2;
    [min, max] = [center - span / 2, center + span / 2];
  }
  const padding = axisPadding * (max - min);
  return [isPositive ? Math.max(0, min - padding) : min - padding, max + padding];
}

// For each segment of each visible line, how many lines before it have the same segment.
function coincidences(lines, tolerance) {
  const isNear = (a, b, i) => a[i] != null && b[i] != null && Math.abs(a[i] - b[i]) <= tolerance;
  return lines.map((line, k) => {
    const counts = new Array(Math.max(0, line.y.length - 1)).fill(0);
    if (line.hidden || line.points) return counts;
    for (const other of lines.slice(0, k)) {
      if (other.hidden || other.points) continue;
      for (let i = 0; i < counts.length; i++) {
        if (isNear(line.y, other.y, i) && isNear(line.y, other.y, i + 1)) counts[i]++;
      }
    }
    return counts;
  });
}

// The y of the segments that have this count, and null elsewhere.
const partOfLine = (y, counts, wanted) => y.map((value, i) => {
  const left = i > 0 && counts[i - 1] === wanted;
  const right = i < counts.length && counts[i] === wanted;
  return left || right || (wanted === 0 && counts.length === 0) ? value : null;
});

// ---- cards

let charts = [];
// The ranges to which the reader has zoomed, by chart; kept when a chart is drawn again.
const zooms = new Map();

function destroyCharts() {
  zooms.clear();
  for (const { chart, key, observer } of charts) {
    const x = chart.data[0];
    const { min, max } = chart.scales.x;
    if (x.length > 1 && (min > x[0] || max < x[x.length - 1])) zooms.set(key, { min, max });
    observer.disconnect();
    chart.destroy();
  }
  charts = [];
}

// A box at the pointer; `rowsAt(chart, index)` returns its rows, or nothing to hide it.
function tooltip(rowsAt) {
  const box = element("div", { className: "tip", hidden: true });
  return {
    hooks: {
      init: (chart) => chart.root.append(box),
      setCursor: (chart) => {
        const { idx, left, top } = chart.cursor;
        const rows = idx == null || left < 0 ? null : rowsAt(chart, idx);
        box.hidden = !rows;
        if (!rows) return;
        box.replaceChildren(...rows);
        const right = left > chart.over.clientWidth / 2;
        box.style.left = `${chart.over.offsetLeft + left + (right ? -box.offsetWidth - tipDistance : tipDistance)}px`;
        box.style.top = `${chart.over.offsetTop + Math.min(top, chart.over.clientHeight - box.offsetHeight)}px`;
      },
    },
  };
}

const axis = (options) => ({
  stroke: cssColor("--muted"),
  grid: { stroke: cssColor("--line"), width: 1 },
  ticks: { stroke: cssColor("--line"), width: 1 },
  values: (_, ticks) => ticks.map(shortNumber),
  ...options,
});

// Adds a card with a chart of uPlot's options and columns to `parent`.
function addCard(parent, { title, note, wide, legend, xName }, options, columns) {
  const card = element("div", { className: wide ? "chart wide" : "chart" }, element("h3", { textContent: title }));
  if (note) card.append(element("div", { className: "note", textContent: note }));
  if (legend) {
    card.append(element("div", { className: "legend" },
      ...legend.map(({ name, color }) => element("span", {}, dot(color), name))));
  }
  parent.append(card);
  const height = wide ? wideHeight : cardHeight;
  const size = () => ({ width: Math.max(minWidth, card.clientWidth - cardPadding), height });
  const chart = new uPlot({ ...size(), legend: { show: false }, cursor: { points: { show: false } }, ...options },
    columns, card);
  const key = `${parent.id} ${title} ${xName}`;
  if (zooms.has(key)) chart.setScale("x", zooms.get(key));
  const observer = new ResizeObserver(() => chart.setSize(size()));
  observer.observe(card);
  charts.push({ chart, key, observer });
}

// Adds a chart of lines. Each of `lines` is {name, color, y, text(index)}, optionally with `points`
// (instead of a line), `band` and `below` (heights of a band above and below each point; below: as
// above), `fill` (the color below the line), `raw` (the line before smoothing) and `hidden`. `xNames`
// are shown instead of the numbers of x = 0, 1, 2, ...; `minSpan` is the smallest range of the y axis;
// `legend` lists the lines below the title.
function addChart(parent, { title, note, wide, x, xName, xNames = [], lines, bands = [], range, minSpan = 0, legend }) {
  const xText = (value) => (xNames.length ? xNames[value] ?? "" : shortNumber(value));
  const columns = [x];
  const series = [{}];
  const shaded = [...bands];
  const addColumn = (y, options) => {
    columns.push(y);
    series.push({ points: { show: false }, spanGaps: false, ...options });
    return columns.length - 1;
  };
  const visible = lines.filter((line) => !line.hidden).flatMap((line) => line.y).filter((y) => y != null);
  const [low, high] = range ?? axisRange(Math.min(...visible), Math.max(...visible), minSpan);
  const counts = coincidences(lines, coincidence * (high - low));
  const isShort = x.length < 3;
  lines.forEach((line, k) => {
    // The first column of a line is complete, for readers of the data; bands of stacks refer to it.
    const parts = new Set(counts[k]);
    const isWhole = line.points || bands.length > 0 || parts.size === 0 || (parts.size === 1 && parts.has(0));
    line.series = addColumn(line.y, {
      label: line.name, stroke: line.color, fill: line.fill, show: !line.hidden,
      width: line.points || !isWhole ? 0 : 2,
      points: { show: Boolean(line.points) || isShort, size: 5, fill: line.color, width: 0 },
    });
    if (!isWhole) {
      for (const count of parts) {
        addColumn(partOfLine(line.y, counts[k], count),
          { stroke: line.color, width: 2, show: !line.hidden, dash: dashes[Math.min(count, dashes.length - 1)] });
      }
    }
    if (line.raw) addColumn(line.raw, { stroke: line.color + rawAlpha, width: 1, show: !line.hidden });
    if (!line.band || !line.band.length) return;
    const ends = [[1, line.band], [-1, line.below ?? line.band]].map(([sign, heights]) => addColumn(
      line.y.map((y, i) => (y == null || heights[i] == null ? null : y + sign * heights[i])),
      { stroke: "transparent", width: 0, show: !line.hidden }));
    shaded.push({ series: ends, fill: line.color + bandAlpha });
  });
  const rowsAt = (chart, index) => [
    element("div", {}, xNames.length ? xNames[chart.data[0][index]] : `${shortNumber(chart.data[0][index])} ${xName}`),
    ...lines.filter((line) => !line.hidden && line.text(index) != null)
      .map((line) => element("div", {}, dot(line.color), `${line.name}  ${line.text(index)}`)),
  ];
  addCard(parent, { title, note, wide, xName, legend: legend && lines.filter((line) => !line.hidden) }, {
    series, bands: shaded,
    scales: { x: { time: false }, y: { range: range ?? ((_, min, max) => axisRange(min, max, minSpan)) } },
    axes: [
      axis({ label: xName, labelSize: xLabelHeight, labelFont: "12px system-ui", values: (_, ticks) => ticks.map(xText),
        ...(xNames.length ? { splits: () => x } : {}) }),
      axis({ size: yAxisWidth }),
    ],
    plugins: [tooltip(rowsAt)],
  }, columns);
}

// Shares that add up to 1, stacked; `shares` are [{name, color, y}], the first at the bottom.
function addStack(parent, { title, note, x, xName, shares }) {
  let below = x.map(() => 0);
  const lines = shares.map(({ name, color, y }, i) => {
    below = y.map((share, at) => share + below[at]);
    return { name, color, y: below, fill: i === 0 ? color + stackAlpha : undefined,
      text: (at) => `${(100 * y[at]).toFixed(1)} %` };
  });
  const bands = lines.slice(1).map((line, i) => ({ series: [i + 2, i + 1], fill: line.color + stackAlpha }));
  addChart(parent, { title, note, x, xName, lines, bands, range: [0, 1], legend: true });
}

// Cells in rows: `cells[i]` lists the [row, weight] at x[i], and a weight of 1 is opaque. `text(i)` lists
// the lines of the tooltip.
function addCells(parent, { title, note, x, xName, numRows, cells, color, text }) {
  const rgb = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)).join(" ");
  const draw = (chart) => {
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    const height = Math.max(minCellHeight, bbox.height / numRows);
    x.forEach((from, i) => {
      const to = i + 1 < x.length ? x[i + 1] : from + (i > 0 ? from - x[i - 1] : 1);
      const left = chart.valToPos(from, "x", true);
      const width = Math.max(1, chart.valToPos(to, "x", true) - left);
      for (const [row, weight] of cells[i]) {
        ctx.fillStyle = `rgb(${rgb} / ${Math.min(1, Math.max(0.12, weight))})`;
        ctx.fillRect(left, chart.valToPos(row + 1, "y", true), width, height);
      }
    });
    ctx.restore();
  };
  addCard(parent, { title, note, xName }, {
    series: [{}, { show: true, stroke: "transparent", width: 0, points: { show: false } }],
    scales: { x: { time: false }, y: { range: [0, Math.max(1, numRows)] } },
    axes: [axis({ label: xName, labelSize: xLabelHeight, labelFont: "12px system-ui" }), axis({ size: yAxisWidth })],
    hooks: { draw: [draw] },
    plugins: [tooltip((chart, index) => [
      element("div", {}, `${shortNumber(x[index])} ${xName}`), ...text(index).map((line) => element("div", {}, line))])],
  }, [x, x.map(() => 0)]);
}
