// The list of jobs.

import {MOST_ROWS, byId, duration, element, meter, plural, seconds, setText,
        stateLabel} from "/elements.js";
import {progressBar} from "/progress.js";
import {clearStateFilter, countByState, isStateShown, showStateCounts}
  from "/states.js";

const SOON = 100; // Milliseconds.

const jobs = new Map(); // By UID.
const rows = new Map(); // Those of the table, by UID.
let standbyText = ""; // Of a replica that does not lead.
let clockOffset = 0; // Of the server's clock, in seconds.
const now = () => Date.now() / 1000 + clockOffset;

/** How many replicas are in which state, as a small bar and as text. */
function replicaMeter(job) {
  const total = Math.max(job.replicas, 1);
  const bar = meter([["good", job.succeeded / total], ["bad", job.failed / total],
                     ["run", job.running / total]], {"aria-hidden": "true"});
  const words = [];
  if (job.running || !job.finished) {
    words.push(`${job.running}/${job.replicas} running`);
  }
  if (job.succeeded) words.push(`${job.succeeded} succeeded`);
  if (job.failed) words.push(`${job.failed} failed`);
  return element("span", {}, bar, ...words.flatMap((text, i) =>
    [i ? ", " : "", element("span", {class: "nowrap"}, text)]));
}

const cell = (style, ...children) =>
  element("td", {role: "cell", class: style}, ...children);

function makeRow(job) {
  const parts = {
    state: cell("nowrap"), replicas: cell("replicas"),
    progress: cell("wide progress nowrap"), age: cell("nowrap"),
    summary: cell("wide"), detail: element("span", {class: "narrow"}),
  };
  const link = element("a",
    {href: `#/jobs/${job.namespace}/${job.kind}/${job.name}`},
    `${job.namespace}/${job.name}`);
  const row = element("tr", {role: "row"}, cell("", link, parts.detail),
                      cell("wide", job.kind), parts.state, parts.replicas,
                      parts.progress, parts.age, parts.summary);
  return {row, parts};
}

function showRow(entry, job) {
  const {parts} = entry;
  setText(parts.summary, job.summary);
  const percent = job.percent === undefined ? "" : `, ${job.percent}%`;
  setText(parts.detail, `${job.kind}${percent}: ${job.summary}`);
  setText(parts.age, duration(now() - job.createdAt));
  const shown = [job.state, job.replicas, job.running, job.succeeded,
                 job.failed, job.percent].join();
  if (entry.shown === shown) return;
  entry.shown = shown;
  parts.state.replaceChildren(stateLabel(job.state));
  parts.replicas.replaceChildren(replicaMeter(job));
  parts.progress.replaceChildren(...job.percent === undefined ? []
    : [progressBar(job.percent), `${job.percent}%`]);
}

/** What the list asks of each job again and again. */
function prepare(job) {
  job.createdAt = seconds(job.created);
  job.text = `${job.namespace}/${job.name} ${job.kind} ${job.state}`
    .toLowerCase();
  return job;
}

/** Those that have not finished first, then the newest first. */
function compare(a, b) {
  return a.finished - b.finished || b.createdAt - a.createdAt
    || (a.name < b.name ? -1 : 1);
}

function showCount(found, filtered, anyProgress) {
  const all = plural(jobs.size, "job");
  const cut = found > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : "";
  setText(byId("count"), (filtered ? `${found} of ${all}` : all) + cut);
  byId("job-table").hidden = found === 0;
  byId("job-table").classList.toggle("no-progress", !anyProgress);
  byId("no-jobs").hidden = found !== 0;
  setText(byId("no-jobs"), jobs.size
    ? "No job matches the filter."
    : standbyText || "There are no jobs yet. kubectl apply -f JOB.yaml creates one.");
}

export function showJobs() {
  const words = byId("filter").value.toLowerCase().split(/\s+/)
    .filter(Boolean);
  const matching = [...jobs.values()]
    .filter((job) => words.every((w) => job.text.includes(w)));
  showStateCounts(countByState(matching));
  const found = matching.filter((job) => isStateShown(job.state));
  found.sort(compare);
  const body = byId("job-table").tBodies[0];
  const shown = new Set();
  found.slice(0, MOST_ROWS).forEach((job, i) => {
    shown.add(job.uid);
    if (!rows.has(job.uid)) rows.set(job.uid, makeRow(job));
    const entry = rows.get(job.uid);
    showRow(entry, job);
    // A row that is moved would lose the focus.
    if (body.children[i] !== entry.row) {
      body.insertBefore(entry.row, body.children[i] || null);
    }
  });
  for (const [uid, entry] of rows) {
    if (!shown.has(uid)) {
      entry.row.remove();
      rows.delete(uid);
    }
  }
  showCount(found.length, found.length < jobs.size || words.length > 0,
            found.some((job) => job.percent !== undefined));
}

/** Many changes that come one after the other are shown at once. */
let willShow = false;
function showSoon() {
  if (willShow) return;
  willShow = true;
  setTimeout(() => {
    willShow = false;
    showJobs();
  }, SOON);
}

/** A list, or what has changed since the last one. */
export function takeJobs(changes) {
  clockOffset = seconds(changes.at) - Date.now() / 1000;
  if (!changes.removed) jobs.clear();
  for (const uid of changes.removed || []) jobs.delete(uid);
  for (const job of changes.jobs) jobs.set(job.uid, prepare(job));
  if (changes.removed) showSoon();
  else showJobs();
}

/** All that changes while nothing happens. */
export function showAges() {
  for (const [uid, {parts}] of rows) {
    const job = jobs.get(uid);
    if (job) setText(parts.age, duration(now() - job.createdAt));
  }
}

export const hasJobs = () => jobs.size > 0;

/** Why there may be no jobs here, from the report of the operator's actors. */
export function takeLeadership(tree) {
  const elector = (tree.children || []).find(
    (actor) => actor.actor === "leader-elector");
  const leader = elector && elector.holder
    ? `the leader, ${elector.holder}, has them` : "no replica leads now";
  standbyText = tree.leading ? ""
    : `This replica is a standby and has no jobs: ${leader}.`;
  showJobs();
}

/** Of the field, or if it is empty of the states. */
export function clearFilter() {
  const field = byId("filter");
  if (!field.value) clearStateFilter();
  field.value = "";
  showJobs();
}

/** The link to a job that the page has left. */
export function focusJob(subject) {
  const link = [...byId("job-table").querySelectorAll("tbody a")]
    .find((a) => decodeURIComponent(a.hash) === "#/jobs/" + subject);
  if (link) link.focus();
}

/** Down and up move between the jobs. */
export function moveFocus(event) {
  const links = [...byId("job-table").querySelectorAll("tbody a")];
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!step || links.length === 0) return;
  const to = links.indexOf(document.activeElement) + step;
  event.preventDefault();
  (to < 0 ? byId("filter") : links[Math.min(to, links.length - 1)]).focus();
}
