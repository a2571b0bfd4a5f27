// The page: its state, its controls and its refreshing while plr report --watch serves it. The data of
// the charts are the JSON of the element #data, written by page_data.cc; the tables are static HTML.
"use strict";

let data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

// What the reader has chosen. Runs, environments and methods are kept by name, so that a link and a
// refreshed page find them again.
const state = { axis: "steps", smoothing: 0, quantity: "test", env: "", run: "", hidden: new Set(), allSettings: false };

// ---- links into the state

function readLink() {
  const link = new URLSearchParams(location.hash.slice(1));
  const smoothing = Number(link.get("smoothing"));
  state.axis = link.get("x") in axisNames ? link.get("x") : "steps";
  state.quantity = link.get("quantity") in quantities ? link.get("quantity") : "test";
  state.smoothing = smoothing >= 0 && smoothing <= Number(byId("smoothing").max) ? smoothing : 0;
  state.env = link.get("env") ?? "";
  state.run = link.get("run") ?? "";
  state.hidden = new Set(link.getAll("hide"));
}

function writeLink() {
  const link = new URLSearchParams();
  if (state.axis !== "steps") link.set("x", state.axis);
  if (state.quantity !== "test") link.set("quantity", state.quantity);
  if (state.smoothing > 0) link.set("smoothing", state.smoothing);
  if (state.env && state.env !== data.diagnostics[0]?.title) link.set("env", state.env);
  if (state.run && state.run !== data.details[0]?.name) link.set("run", state.run);
  for (const label of state.hidden) link.append("hide", label);
  const text = link.toString();
  if (text !== location.hash.slice(1)) history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

// ---- drawing

const positionOf = (list, key, name) => Math.max(0, list.findIndex((item) => item[key] === name));

function draw() {
  destroyCharts();
  const runIndex = positionOf(data.details, "name", state.run);
  const envIndex = positionOf(data.diagnostics, "title", state.env);
  const fill = (id, isShown, add) => {
    byId(id).replaceChildren();
    byId(id).closest("section").hidden = !isShown;
    if (isShown) add(byId(id));
  };
  fill("figure-charts", data.figures.length, (parent) => {
    for (const figure of data.figures) addFigure(parent, figure, { wide: data.figures.length === 1 });
  });
  byId("improvements").replaceChildren();
  byId("improvement-note").hidden = !data.improvements.length;
  addImprovements(byId("improvements"), data.improvements.filter(({ method, other }) =>
    !state.hidden.has(method) && !state.hidden.has(other)));
  fill("curve-charts", data.groups.some((group) => group.steps.length), (parent) => {
    for (const group of data.groups) addCurves(parent, group);
  });
  fill("profile-charts", data.profiles.length, (parent) => {
    for (const profile of data.profiles) {
      addFigure(parent, profile, { wide: data.profiles.length === 1, range: [0, 1.02] });
    }
  });
  fill("diagnostic-charts", data.diagnostics.some((group) => group.steps.length), (parent) =>
    addDiagnostics(parent, data.diagnostics[envIndex]));
  fill("detail-charts", data.details.length, (parent) => addDetails(parent, data.details[runIndex]));
  for (const set of document.querySelectorAll(".run-pictures")) set.hidden = set.dataset.run !== String(runIndex);
  byId("table-settings").classList.toggle("all", state.allSettings);
}

// ---- controls

function change(changeState) {
  changeState();
  showControls();
  draw();
  writeLink();
}

function toggle(label, color, isOn, changeState, isEnabled = true) {
  const button = element("button", { type: "button", disabled: !isEnabled }, ...(color ? [dot(color)] : []), label);
  button.setAttribute("aria-pressed", String(isOn));
  button.addEventListener("click", () => change(changeState));
  return button;
}

function options(select, names, chosen) {
  select.replaceChildren(...names.map((name) => element("option", { value: name, textContent: name })));
  select.value = names.includes(chosen) ? chosen : names[0] ?? "";
}

// Whether any curve can be drawn over this axis.
const hasAxis = (name) => name === "steps" || [...data.groups, ...data.diagnostics]
  .some((group) => group.methods.some((method) => method[name]));

// Replaces the buttons of a group; the focus stays on the button of the same text.
function setButtons(id, buttons) {
  const focused = byId(id).contains(document.activeElement) ? document.activeElement.textContent : null;
  byId(id).replaceChildren(...buttons);
  if (focused != null) buttons.find((button) => button.textContent === focused)?.focus();
}

function showControls() {
  setButtons("axes", Object.entries(axisNames).map(([name, label]) =>
    toggle(label, null, state.axis === name, () => (state.axis = name), hasAxis(name))));
  setButtons("quantities", Object.keys(quantities).map((name) =>
    toggle(name, null, state.quantity === name, () => (state.quantity = name))));
  setButtons("methods", data.labels.map((label, i) => toggle(label, tint(i), !state.hidden.has(label), () => {
    if (!state.hidden.delete(label)) state.hidden.add(label);
  })));
  byId("methods").hidden = data.labels.length < 2;
  byId("smoothing").value = state.smoothing;
  byId("smoothing-text").textContent = state.smoothing > 0 ? `${state.smoothing} %` : "off";
  options(byId("env"), data.diagnostics.map((group) => group.title), state.env);
  byId("env").parentElement.hidden = data.diagnostics.length < 2;
  options(byId("run"), data.details.map((run) => run.name), state.run);
  const hasDifferences = document.querySelector("#table-settings .differs") != null;
  byId("all-settings").parentElement.hidden = !hasDifferences;
  if (!hasDifferences) state.allSettings = true;
  byId("all-settings").checked = state.allSettings;
}

byId("smoothing").addEventListener("input", (event) => change(() => (state.smoothing = Number(event.target.value))));
byId("env").addEventListener("change", (event) => change(() => (state.env = event.target.value)));
byId("run").addEventListener("change", (event) => change(() => (state.run = event.target.value)));
byId("all-settings").addEventListener("change", (event) => change(() => (state.allSettings = event.target.checked)));

// ---- refreshing

const liveSeconds = Number(document.querySelector("meta[name=plr-live]")?.content);

// Takes the parts of a newer page.
function take(page) {
  const isOpen = [...document.querySelectorAll("details")].map((node) => node.open);
  for (const part of document.querySelectorAll("[data-part]")) {
    const newer = page.querySelector(`[data-part="${part.dataset.part}"]`);
    if (newer && newer.innerHTML !== part.innerHTML) part.replaceChildren(...newer.childNodes);
  }
  document.querySelectorAll("details").forEach((node, i) => (node.open = isOpen[i] ?? node.open));
  data = JSON.parse(page.getElementById("data").textContent);
  showControls();
  draw();
}

let etag = null;
async function refresh() {
  const status = byId("live");
  try {
    const response = document.hidden ? null
      : await fetch("/", { cache: "no-store", headers: etag ? { "If-None-Match": etag } : {} });
    if (response?.status === 200) {
      const isFirst = etag == null;
      etag = response.headers.get("ETag");
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!page.getElementById("data") || !byId("data")) location.reload();
      else if (!isFirst || page.getElementById("data").textContent !== byId("data").textContent) take(page);
      status.textContent = `live, updated at ${new Date().toLocaleTimeString()}`;
    }
    if (response) status.className = "live";
  } catch {
    status.className = "live stopped";
    status.textContent = "not live: plr report --watch has ended; the page shows the last numbers";
  }
  setTimeout(refresh, 1000 * liveSeconds);
}

// ---- start

readLink();
showControls();
draw();
dark.addEventListener("change", () => { showControls(); draw(); });
addEventListener("hashchange", () => { readLink(); showControls(); draw(); });
addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); draw(); });
addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); draw(); });
if (liveSeconds > 0) {
  byId("live").hidden = false;
  refresh();
}
