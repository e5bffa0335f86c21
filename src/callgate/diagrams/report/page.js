// The page: where we are in the run, and what that means for every panel. Texts go in by textContent alone.

const run = JSON.parse(document.getElementById("run").textContent);
const $ = (id) => document.getElementById(id);
const spanMs = Math.max(1, run.endMs - run.startMs);
const orders = new Set(run.orders);
const callOf = new Map(run.calls.map((call, row) => [call.serial, row]));
const history = run.calls.map(() => ({ at: [], state: [] }));
run.events.forEach((event, at) => {
  for (const [serial, state] of event.now) {
    const told = history[callOf.get(serial)];
    if (told && told.state[told.state.length - 1] !== state) { told.at.push(at); told.state.push(state); }
  }
});
const view = { shown: run.events.map((_, at) => at), place: 0, query: "", only: null };
let haystacks = null;

// --- what is where ---------------------------------------------------------------------------------

const current = () => (view.shown.length ? view.shown[view.place] : -1);

// The state of a call after an event: the last change at or before it.
function stateAt(row, at) {
  const told = history[row];
  let low = 0, high = told.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (told.at[middle] <= at) low = middle + 1; else high = middle;
  }
  return low ? told.state[low - 1] : "";
}

function nameOf(serial) {
  const row = callOf.get(serial);
  return row === undefined ? "call " + serial : run.calls[row].id;
}

function callIn(fields) {
  if (typeof fields.call === "number") return fields.call;
  const scope = fields.scope && fields.scope.OneCall;
  return scope ? scope.call : null;
}

function haystack(at) {
  if (!haystacks) {
    haystacks = run.events.map((event) => {
      const row = callOf.get(callIn(event.fields));
      const about = row === undefined ? [] : [run.calls[row].id, run.calls[row].about];
      return flatten([event.type, spaced(event.type), event.fields, event.effects], about).join(" ").toLowerCase();
    });
  }
  return haystacks[at];
}

function concerns(event, serial) {
  return callIn(event.fields) === serial || event.now.some(([other]) => other === serial);
}

// --- moving ----------------------------------------------------------------------------------------

function go(place) {
  if (!view.shown.length) { show(); return; }
  view.place = Math.min(view.shown.length - 1, Math.max(0, place));
  show();
}

function filter() {
  const query = view.query.trim().toLowerCase(), before = current() < 0 ? view.kept : current();
  view.kept = before;
  view.shown = [];
  run.events.forEach((event, at) => {
    if (view.only !== null && !concerns(event, view.only)) return;
    if (query && !haystack(at).includes(query)) return;
    view.shown.push(at);
  });
  $("found").textContent = query ? plural(view.shown.length, "event") : "";
  $("only").textContent = view.only === null ? "" : "of " + oneLine(nameOf(view.only)) + " only (Esc: all)";
  const after = view.shown.findIndex((at) => at >= before);
  view.place = after < 0 ? Math.max(0, view.shown.length - 1) : after;
  eventList.resize(view.shown.length);
  show();
}

// --- the list of events ----------------------------------------------------------------------------

function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const eventList = new VirtualList($("events"), 30, () => {
  const row = element("div", "row event");
  row.setAttribute("role", "option");
  row.append(element("span", "when"), element("span", "what"), element("bdi", "who"), element("bdi", "how"));
  row.addEventListener("click", () => go(Number(row.dataset.place)));
  return row;
}, (row, place) => {
  const at = view.shown[place], event = run.events[at], call = callIn(event.fields);
  const [when, what, who, how] = row.children;
  row.dataset.place = place;
  row.id = "event-" + at;
  row.setAttribute("aria-selected", String(place === view.place));
  row.setAttribute("aria-posinset", place + 1);
  row.setAttribute("aria-setsize", view.shown.length);
  when.textContent = moment(event.at);
  what.textContent = spaced(event.type);
  who.textContent = call === null ? "" : oneLine(nameOf(call));
  how.textContent = oneLine(brief(event.fields));
});

// --- the calls and their times ---------------------------------------------------------------------

let trackLeft = 0, trackWidth = 0;
const tail = 26;
const xOf = (ms) => (trackWidth - tail) * (ms - run.startMs) / spanMs + 1;

const callList = new VirtualList($("calls"), 30, () => {
  const row = element("div", "row call");
  row.setAttribute("role", "listitem");
  const who = element("button", "who");
  who.type = "button";
  who.append(element("i"), element("b"), element("bdi"));
  const state = element("span", "state");
  row.append(who, state, draw("svg", { class: "track", "aria-hidden": "true" }));
  row.addEventListener("click", () => choose(Number(row.dataset.serial)));
  return row;
}, (row, at) => {
  const call = run.calls[at], state = stateAt(at, current());
  const [who, chip, track] = row.children;
  const event = run.events[current()];
  row.dataset.serial = call.serial;
  row.classList.toggle("absent", !state);
  row.classList.toggle("chosen", view.only === call.serial);
  row.classList.toggle("touched", Boolean(event) && event.now.some(([serial]) => serial === call.serial));
  const begins = at > 0 && run.calls[at - 1].batch !== call.batch;
  row.classList.toggle("begins", begins);
  who.firstChild.textContent = run.batches.length > 1 ? oneLine(run.batches[call.batch].id) : "";
  who.children[1].textContent = oneLine(call.id);
  who.lastChild.textContent = oneLine(call.about);
  who.title = oneLine(call.id + " " + call.about + (call.why ? ": " + call.why : ""));
  who.setAttribute("aria-pressed", String(view.only === call.serial));
  chip.replaceChildren(stateSign(state), element("span", "", state || "not submitted yet"));
  if (track.dataset.drawn !== at + "/" + trackWidth) {
    track.dataset.drawn = at + "/" + trackWidth;
    drawTrack(track, call);
  }
});

function drawTrack(track, call) {
  track.replaceChildren();
  const middle = 15;
  for (const ms of ticks(spanMs, trackWidth)) {
    const x = xOf(run.startMs + ms);
    draw("path", { d: `M${x} 0V30`, class: "gridline" }, track);
  }
  let attempts = 0;
  for (const [, , , attempt] of call.spans) attempts = Math.max(attempts, attempt);
  for (const [phase, start, end, attempt] of call.spans) {
    const x = xOf(start), width = Math.max(2, xOf(end) - x);
    const box = bar(track, phase, x, width, middle);
    draw("title", {}, box, run.phases[phase] + ", " + spent(end - start) + (attempts > 1 && attempt ? ", attempt " + attempt : ""));
    if (attempts > 1 && phase === 4 && width > 16) draw("text", { x: x + 5, y: middle + 4, class: "number" }, track, attempt);
  }
  for (const [ms] of run.batches[call.batch].openings) draw("path", { d: `M${xOf(ms)} 0V30`, class: "opening" }, track);
  if (call.end) endSign(call.end, track, xOf(call.endMs) + 12, middle);
}

function drawAxis() {
  const axis = $("axis");
  axis.replaceChildren();
  for (const ms of ticks(spanMs, trackWidth)) {
    draw("text", { x: trackLeft + xOf(run.startMs + ms), y: 14, "text-anchor": ms ? "middle" : "start" }, axis, tickName(ms));
  }
}

function choose(serial) {
  view.only = view.only === serial ? null : serial;
  filter();
}

function measure() {
  const sample = $("calls").querySelector("svg.track");
  if (!sample) return;
  const list = $("calls").getBoundingClientRect(), box = sample.getBoundingClientRect();
  if (box.width === trackWidth && trackLeft === box.left - list.left) return;
  trackWidth = box.width;
  trackLeft = box.left - list.left;
  drawAxis();
  callList.draw(true);
  veil();
}

function veil() {
  const event = run.events[current()];
  $("veil").hidden = !event || !run.calls.length;
  if (!event) return;
  const x = trackLeft + xOf(Math.min(run.endMs, run.startMs + event.at));
  $("veil").style.left = x + "px";
  $("veil").style.right = $("calls").offsetWidth - $("calls").clientWidth + "px";
}

// --- one event in full -----------------------------------------------------------------------------

function marked(text, into) {
  const query = view.query.trim(), shown = visible(text);
  const at = query ? shown.toLowerCase().indexOf(query.toLowerCase()) : -1;
  if (at < 0) into.append(shown);
  else into.append(shown.slice(0, at), element("mark", "", shown.slice(at, at + query.length)), shown.slice(at + query.length));
  return into;
}

// A long list with one item a line, anything else on one.
function written(value) {
  const line = JSON.stringify(value);
  return Array.isArray(value) && line.length > 60 ? value.map((item) => JSON.stringify(item)).join("\n") : line;
}

function valueOf(value, into) {
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length) {
    into.append(fieldsOf(value));
    return into;
  }
  return marked(typeof value === "string" ? value : written(value), into);
}

function fieldsOf(fields) {
  const list = element("dl");
  for (const [name, value] of Object.entries(fields)) {
    list.append(marked(name, element("dt")), valueOf(value, element("dd")));
  }
  return list;
}

function card(title, items) {
  const box = element("div");
  box.append(element("h3", "", title));
  const list = element("ol");
  list.append(...items);
  box.append(list);
  return box;
}

function effectItem(effect) {
  const [name, fields] = Object.entries(effect)[0], isOrder = orders.has(name);
  const item = element("li", "effect " + (isOrder ? "order" : "news"));
  item.append(element("span", "badge", isOrder ? "order" : "news"), element("strong", "", spaced(name)));
  if (typeof fields.call === "number") item.append(" ", element("bdi", "", oneLine(nameOf(fields.call))));
  item.append(fieldsOf(fields));
  return item;
}

function changeItem([serial, state], at) {
  const item = element("li", "change"), row = callOf.get(serial), was = row === undefined ? "" : stateAt(row, at - 1);
  item.append(element("bdi", "", oneLine(nameOf(serial))));
  if (was && was !== state) item.append(element("span", "was", was), element("span", "", "→"));
  item.append(stateSign(state), element("span", "", state));
  return item;
}

const changesMax = 200;

function showDetail() {
  const at = current(), event = run.events[at], box = $("detail");
  if (!event) {
    $("detail-title").textContent = run.events.length ? "Nothing found" : "An empty run";
    box.replaceChildren();
    return;
  }
  const call = callIn(event.fields);
  $("detail-title").textContent = spaced(event.type) + (call === null ? "" : " · " + oneLine(nameOf(call))) + " · at " + (run.byEvent ? "event " : "") + moment(event.at);
  const fact = element("li", "fact");
  fact.append(fieldsOf(event.fields));
  const cards = [card("What happened", [fact])];
  const changes = event.now.slice(0, changesMax).map((pair) => changeItem(pair, at));
  if (event.now.length > changesMax) changes.push(element("li", "change", "and " + plural(event.now.length - changesMax, "more call")));
  const effects = event.effects.slice(0, changesMax).map(effectItem);
  if (event.effects.length > changesMax) effects.push(element("li", "effect", "and " + plural(event.effects.length - changesMax, "more effect")));
  cards.push(card("What followed: " + plural(event.effects.length, "effect"), effects));
  if (changes.length) cards.push(card("Calls concerned", changes));
  box.replaceChildren(...cards);
  box.scrollTop = 0;
}

// --- everything together ---------------------------------------------------------------------------

function show() {
  const at = current(), event = run.events[at], last = view.shown.length - 1;
  $("slider").max = Math.max(0, last);
  $("slider").value = view.place;
  $("slider").disabled = last < 0;
  $("position").textContent = event ? `event ${(at + 1).toLocaleString("en")} of ${run.events.length.toLocaleString("en")}${run.byEvent ? "" : " · " + moment(event.at)}` : "no event";
  $("slider").setAttribute("aria-valuetext", $("position").textContent);
  $("first").disabled = $("previous").disabled = last < 0 || view.place === 0;
  $("next").disabled = $("last").disabled = last < 0 || view.place === last;
  if (event) {
    eventList.reveal(view.place);
    const touched = event.now.length ? callOf.get(event.now[0][0]) : undefined;
    if (touched !== undefined) callList.reveal(touched);
    $("events").setAttribute("aria-activedescendant", "event-" + at);
  } else $("events").removeAttribute("aria-activedescendant");
  eventList.draw(true);
  callList.draw(true);
  measure();
  veil();
  showDetail();
}

const themes = ["", "light", "dark"], themeNames = ["as the system", "light", "dark"], themeSigns = ["M0 -6A6 6 0 0 1 0 6Z", "M0 -3A3 3 0 0 1 0 3A3 3 0 0 1 0 -3Z", "M0 -6A6 6 0 0 1 0 6A6 6 0 0 1 0 -6Z"];
let theme = 0;
$("theme").addEventListener("click", () => {
  theme = (theme + 1) % themes.length;
  document.documentElement.dataset.theme = themes[theme];
  $("theme").setAttribute("aria-label", "Theme: " + themeNames[theme]);
  $("theme-sign").setAttribute("d", themeSigns[theme]);
});
$("first").addEventListener("click", () => go(0));
$("previous").addEventListener("click", () => go(view.place - 1));
$("next").addEventListener("click", () => go(view.place + 1));
$("last").addEventListener("click", () => go(view.shown.length - 1));
$("slider").addEventListener("input", () => go(Number($("slider").value)));
$("search").addEventListener("input", () => { view.query = $("search").value; filter(); });
window.addEventListener("resize", measure);

const keys = {
  ArrowRight: () => go(view.place + 1), ArrowDown: () => go(view.place + 1),
  ArrowLeft: () => go(view.place - 1), ArrowUp: () => go(view.place - 1),
  PageDown: () => go(view.place + 10), PageUp: () => go(view.place - 10),
  Home: () => go(0), End: () => go(view.shown.length - 1),
  "/": () => $("search").focus(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    $("search").value = view.query = "";
    view.only = null;
    filter();
    $("events").focus();
    event.preventDefault();
    return;
  }
  if (event.target === $("search")) {
    if (event.key === "Enter") { go(view.place + (event.shiftKey ? -1 : 1)); event.preventDefault(); }
    return;
  }
  if (event.target === $("slider") || event.target === $("detail")) return;
  const act = keys[event.key];
  if (act) { act(); event.preventDefault(); }
});

function begin() {
  $("title").textContent = visible(run.title);
  const ends = ["success", "error", "cancelled"].map((end) => [run.calls.filter((call) => call.end === end).length, end]);
  const words = { success: "succeeded", error: "failed", cancelled: "cancelled" };
  const told = ends.filter(([count]) => count).map(([count, end]) => count.toLocaleString("en") + " " + words[end]);
  $("counted").textContent = [plural(run.batches.length, "batch").replace(/batchs$/, "batches"), plural(run.calls.length, "call"), ...told, plural(run.events.length, "event"), ...(run.byEvent ? [] : [duration(run.endMs - run.startMs)])].join(" · ");
  $("torn").textContent = run.torn ? "The record was cut short by a kill." : "";
  const seen = new Set(run.calls.flatMap((call) => call.spans.map(([phase]) => phase)));
  run.phases.forEach((name, phase) => {
    if (!seen.has(phase)) return;
    const entry = element("span"), sign = draw("svg", { class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true" });
    bar(sign, phase, -8, 16, 0);
    entry.append(sign, name);
    $("legend").append(entry);
  });
  if (run.batches.some((batch) => batch.openings.length)) {
    const entry = element("span"), sign = draw("svg", { class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true" });
    draw("path", { d: "M0 -8V8", class: "opening" }, sign);
    entry.append(sign, "a barrier opens");
    $("legend").append(entry);
  }
  callList.resize(run.calls.length);
  filter();
}

begin();
