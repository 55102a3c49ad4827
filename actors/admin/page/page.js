// The admin page. Everything that comes from the server becomes text
// (textContent), never markup.
"use strict";

const MOST_ROWS = 500; // Of a table: more would only slow the browser down.
const byId = (id) => document.getElementById(id);

// -- elements -----------------------------------------------------------------

/** Children are elements or texts; attributes without a value are left out. */
function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((c) => c !== undefined));
  return node;
}

const element = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

const shape = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name),
       attributes, children);

/** Rows are arrays of cells: texts or elements. */
function table(headings, rows, label) {
  const head = headings.map((h) => element("th", {scope: "col"}, h));
  const body = rows.slice(0, MOST_ROWS).map((cells) =>
    element("tr", {}, ...cells.map((c) => element("td", {}, c))));
  return element("div", {class: "scroll"},
    element("table", {"aria-label": label},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...body)));
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// -- texts --------------------------------------------------------------------

/** As kubectl shows ages. */
function duration(seconds) {
  const n = Math.max(0, Math.floor(seconds));
  const pair = (a, x, b, y) => a + x + (b ? b + y : "");
  const m = Math.floor(n / 60), h = Math.floor(n / 3600);
  if (n < 120) return n + "s";
  if (m < 10) return pair(m, "m", n % 60, "s");
  if (m < 180) return m + "m";
  if (h < 8) return pair(h, "h", m % 60, "m");
  if (h < 48) return h + "h";
  return Math.floor(h / 24) + "d";
}

const seconds = (time) => Date.parse(time) / 1000;
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
const stateCell = (state) =>
  element("span", {class: "state " + state}, state || "New");

/** How many replicas are in which state, as a small bar and as text. */
function replicaMeter(row) {
  const parts = [["good", row.succeeded], ["bad", row.failed],
                 ["run", row.running]];
  const total = Math.max(row.replicas, 1), width = 80;
  const meter = shape("svg", {class: "meter", width, height: 10,
                              "aria-hidden": "true"},
    shape("rect", {class: "fill-wait", width, height: 10, rx: 2}));
  let from = 0;
  for (const [kind, n] of parts) {
    const size = Math.min(width - from, width * n / total);
    meter.append(shape("rect", {class: "fill-" + kind, x: from, width: size,
                                height: 10}));
    from += size;
  }
  const done = row.succeeded ? `${row.succeeded} succeeded` : "";
  const failed = row.failed ? `${row.failed} failed` : "";
  const words = [`${row.running}/${row.replicas} running`, done, failed];
  return element("span", {}, meter, words.filter(Boolean).join(", "));
}

// -- requests -----------------------------------------------------------------

async function get(path) {
  const response = await fetch(path);
  const json = (response.headers.get("Content-Type") || "").includes("json");
  const body = json ? await response.json() : await response.text();
  if (!response.ok) {
    throw Object.assign(new Error(body.error || response.statusText),
                        {status: response.status});
  }
  return body;
}

/** Says whether the page shows what is the case now. */
function showConnection(error) {
  const node = byId("connection");
  node.classList.toggle("lost", Boolean(error));
  setText(node, error ? "Not connected: trying again" : "Live");
}

// -- the list of jobs ---------------------------------------------------------

const jobs = new Map(); // By UID.
const jobRows = new Map(); // The rows of the table, by UID.
let clockOffset = 0; // Of the server's clock, in seconds.
const now = () => Date.now() / 1000 + clockOffset;

function makeJobRow(job) {
  const path = `${job.namespace}/${job.kind}/${job.name}`;
  const parts = {
    state: element("td"), replicas: element("td"),
    age: element("td", {class: "nowrap"}),
    verdict: element("td", {class: "wide"}),
    detail: element("span", {class: "narrow"}),
  };
  const link = element("a", {href: "#/jobs/" + path},
                       `${job.namespace}/${job.name}`);
  const row = element("tr", {}, element("td", {}, link, parts.detail),
                      element("td", {class: "wide"}, job.kind),
                      parts.state, parts.replicas, parts.age, parts.verdict);
  return {row, parts, link};
}

function showJobRow(entry, job) {
  const {parts} = entry;
  setText(parts.verdict, job.verdict);
  setText(parts.detail, `${job.kind}: ${job.verdict}`);
  setText(parts.age, duration(now() - seconds(job.created)));
  const shown = [job.state, job.replicas, job.running, job.succeeded,
                 job.failed].join();
  if (entry.shown === shown) return;
  entry.shown = shown;
  parts.state.replaceChildren(stateCell(job.state));
  parts.replicas.replaceChildren(replicaMeter(job));
}

function matchesFilter(job, words) {
  const text = `${job.namespace}/${job.name} ${job.kind} ${job.state}`
    .toLowerCase();
  return words.every((w) => text.includes(w));
}

function showJobs() {
  const words = byId("filter").value.toLowerCase().split(/\s+/)
    .filter(Boolean);
  const found = [...jobs.values()].filter((j) => matchesFilter(j, words));
  found.sort((a, b) => a.finished - b.finished
    || seconds(b.created) - seconds(a.created)
    || (a.name < b.name ? -1 : 1));
  const body = byId("job-table").tBodies[0];
  const shown = new Set();
  found.slice(0, MOST_ROWS).forEach((job, i) => {
    shown.add(job.uid);
    if (!jobRows.has(job.uid)) jobRows.set(job.uid, makeJobRow(job));
    const entry = jobRows.get(job.uid);
    showJobRow(entry, job);
    // A row that is moved would lose the focus.
    if (body.children[i] !== entry.row) {
      body.insertBefore(entry.row, body.children[i] || null);
    }
  });
  for (const [uid, entry] of jobRows) {
    if (!shown.has(uid)) {
      entry.row.remove();
      jobRows.delete(uid);
    }
  }
  const all = plural(jobs.size, "job");
  const first = found.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown`
                                         : "";
  setText(byId("count"),
          (words.length ? `${found.length} of ${all}` : all) + first);
  byId("job-table").hidden = found.length === 0;
  byId("no-jobs").hidden = found.length !== 0;
  setText(byId("no-jobs"), jobs.size
    ? "No job matches the filter."
    : "There are no jobs yet. kubectl apply -f JOB.yaml creates one.");
}

function takeJobChanges(changes) {
  clockOffset = seconds(changes.at) - Date.now() / 1000;
  if (!changes.removed) jobs.clear();
  for (const job of changes.jobs) jobs.set(job.uid, job);
  for (const uid of changes.removed || []) jobs.delete(uid);
  showJobs();
}

/** Down and up move between the jobs. */
function moveFocus(event) {
  const links = [...byId("job-table").querySelectorAll("tbody a")];
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!step || links.length === 0) return;
  const at = links.indexOf(document.activeElement);
  const to = at + step;
  event.preventDefault();
  (to < 0 ? byId("filter") : links[Math.min(to, links.length - 1)]).focus();
}

// -- actors and watches -------------------------------------------------------

const dash = (value) => value === undefined || value === "" ? "–"
                                                            : String(value);

function actorName(a) {
  if (a.name) return `${a.kind} ${a.namespace}/${a.name}`;
  if (a.resource) return a.resource + (a.namespace ? ` in ${a.namespace}` : "");
  return a.group || "";
}

function actorState(a) {
  if (a.state) return a.state;
  if (a.stopping) return "stopping";
  if (a.paused) return "paused";
  if (a.ready !== undefined) return a.ready ? "ready" : "not ready";
  return a.verdict || "";
}

function actorRows(tree, at, depth = 0, rows = []) {
  const name = element("span", {class: "depth"}, "\u2003".repeat(depth),
                       tree.actor);
  rows.push([name, dash(actorName(tree)), dash(actorState(tree)),
             dash(tree.mailbox),
             tree.created ? duration(at - seconds(tree.created)) : "–",
             dash(tree.restarts), dash(tree.lastMessage)]);
  for (const child of tree.children || []) {
    actorRows(child, at, depth + 1, rows);
  }
  return rows;
}

function showActors(tree) {
  const rows = actorRows(tree, seconds(tree.at));
  const more = rows.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : "";
  byId("actors-body").replaceChildren(
    element("p", {class: "facts"}, plural(rows.length, "actor") + more),
    table(["Actor", "Name", "State", "Mailbox", "Age", "Restarts",
           "Last message"], rows, "Tree of actors"));
}

function showWatchers(answer) {
  const rows = answer.watchers.map((w) =>
    [w.resource, w.namespace || "all", w.state,
     w.failuresInARow ? `failed ${w.failuresInARow} times: ${w.lastFailure}`
                      : dash(w.unavailable)]);
  byId("watchers-body").replaceChildren(
    table(["Resource", "Namespace", "State", "Trouble"], rows, "Watches"));
}

// -- views --------------------------------------------------------------------

const views = {
  jobs: () => get("/admin/v1/jobs").then(takeJobChanges),
  actors: () => get("/admin/v1/actors").then(showActors),
  watchers: () => get("/admin/v1/watchers").then(showWatchers),
};

let view = ""; // The one that is shown.

function route() {
  const hash = location.hash || "#/jobs";
  if (!hash.startsWith("#/")) return; // The link to the content.
  const [name, ...rest] = hash.slice(2).split("/");
  const wanted = name === "jobs" && rest.length === 3 ? "job" : name;
  view = byId(wanted)?.tagName === "SECTION" ? wanted : "jobs";
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = section.id !== view;
  }
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === "#/" + name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = byId(view).querySelector("h1").textContent + " - Troupe";
  refresh();
}

async function refresh() {
  try {
    await views[view]?.();
    showConnection();
  } catch (error) {
    showConnection(error);
  }
}

document.addEventListener("keydown", (event) => {
  const filter = byId("filter");
  if (event.key === "/" && document.activeElement !== filter
      && view === "jobs") {
    event.preventDefault();
    filter.focus();
  } else if (event.key === "Escape" && document.activeElement === filter) {
    filter.value = "";
    showJobs();
  } else if (view === "jobs") {
    moveFocus(event);
  }
});
byId("filter").addEventListener("input", showJobs);
window.addEventListener("hashchange", route);
setInterval(refresh, 2000);
route();
