// One job.

import {byId, duration, element, orDash, plural, replaceIfChanged, seconds,
        setText, stateLabel, table} from "/elements.js";
import {progressSection} from "/progress.js";
import {attemptName, timelinePicture} from "/timeline.js";
import {headingSummary, waitingLines, waitingSections} from "/waiting.js";

let clockOffset = 0; // Of the server's clock, in seconds.
const now = () => Date.now() / 1000 + clockOffset;

const heading = (text) => element("h2", {}, text);

function facts(report) {
  const at = seconds(report.at);
  const since = (word, time) =>
    time ? [`${word} ${duration(at - seconds(time))} ago`] : [];
  return [...since("created", report.created),
          ...since("started", report.status.startTime),
          ...since("ended", report.status.completionTime),
          `reconciled ${plural(report.passes, "time")}`,
          ...goodput(report)].join(", ");
}

/** As in the list; nothing before there is any. */
function stateOf(report) {
  const last = (report.status.conditions || [])
    .filter((c) => c.status === "True").at(-1);
  return last ? [stateLabel(last.type)] : [];
}

/** The share of time in which all replicas ran. */
function goodput(report) {
  const {allRunningSeconds: ran, lostSeconds: lost} = report.goodput || {};
  if (!(ran + lost >= 1)) return [];
  const share = Math.floor(1000 * ran / (ran + lost)) / 10;
  return [`all replicas ran ${share}% of ${duration(ran + lost)}`];
}

function attemptRows(report) {
  const at = seconds(report.at);
  return [...report.timeline.attempts || []].reverse().map((a, i) => [
    attemptName(a), duration(at - seconds(a.at)) + " ago", orDash(a.reason),
    orDash(a.pod), orDash(a.node), a.recovered
      ? "all ran again after " + duration(seconds(a.recovered) - seconds(a.at))
      : i > 0 || report.status.completionTime ? "not all ran again"
        : report.restart?.progress || "its pods are starting"]);
}

function replicaRows(report) {
  const counts = report.replicaCounts || {};
  return Object.entries(report.replicas || {}).map(([type, wanted]) => {
    const has = counts[type] || {};
    return [type, String(wanted), String(has.active || 0),
            String(has.succeeded || 0), String(has.failed || 0)];
  });
}

const podName = (report, pod) => element("span", {}, pod.name, " ",
  element("a", {"aria-label": "Log of " + pod.name, href: "#/jobs/"
    + [report.namespace, report.kind, report.name, "pods", pod.name].join("/")},
    "Log"));

function podPhase(pod) {
  if (pod.terminating) return pod.phase + ", is being deleted";
  return pod.crashLoop ? element("span", {class: "state Restarting"},
                                 "Crash loop") : pod.phase;
}

/** When it is tried again, as it counts down. */
function nextTry(loop) {
  if (!loop.nextTryAt) {
    return loop.runningSince ? "runs again" : "next try about to begin";
  }
  const left = element("span", {"data-next-try": loop.nextTryAt});
  showTimeLeft(left);
  return left;
}

function showTimeLeft(node) {
  const left = seconds(node.dataset.nextTry) - now();
  setText(node, left > 0 ? "next try in " + duration(Math.ceil(left))
                         : "next try about to begin");
}

/** While a job is shown, each second. */
export function showTimesLeft() {
  byId("job-tables").querySelectorAll("[data-next-try]").forEach(showTimeLeft);
}

function podTrouble(pod) {
  const loop = pod.crashLoop;
  if (!loop) return orDash(pod.trouble);
  const parts = [loop.container
    ? `${plural(loop.restarts, "restart")} of ${loop.container}`
    : `${loop.podsFailedInARow} pods in a row failed shortly after their start`];
  if (loop.lastExitCode !== undefined) {
    const why = ["Error", "Completed", undefined].includes(loop.lastReason)
      ? "" : ` (${loop.lastReason})`;
    parts.push(`last exit code ${loop.lastExitCode}${why}`);
  }
  return element("span", {}, parts.join(", ") + ", ", nextTry(loop));
}

function podRows(report) {
  const pods = [...report.pods];
  pods.sort((a, b) => a.type === b.type ? a.index - b.index
                                        : a.type < b.type ? -1 : 1);
  return pods.map((p) => [
    podName(report, p), podPhase(p), orDash(p.exitCode ?? p.crashLoop?.lastExitCode),
    String(p.restarts), podTrouble(p)]);
}

const subjectName = (report, subject) =>
  [...report.pods, ...report.services]
    .find((c) => c.uid === subject)?.name || subject;

function expectationRows(report) {
  return report.expectations.map((e) => [
    `${e.action} ${e.what} ${subjectName(report, e.subject)}`,
    duration(e.ageSeconds), String(e.attempts),
    e.heldForSeconds ? "in " + duration(e.heldForSeconds) : "–"]);
}

function conditionRows(report) {
  const at = seconds(report.at);
  return (report.status.conditions || []).map((c) => [
    c.type, c.status, duration(at - seconds(c.lastTransitionTime)) + " ago",
    `${c.reason}: ${c.message}`]);
}

function tables(report) {
  const attempts = attemptRows(report);
  const all = [
    ...attempts.length ? [["Attempts",
      ["Attempt", "Began", "Because of", "Pod", "Node", "Recovery"], attempts,
      "", ["Pod", "Recovery"]]] : [],
    ["Replicas", ["Type", "Wanted", "Running", "Succeeded", "Failed"],
     replicaRows(report), "No replicas are known yet.", ["Type"]],
    ["Pods", ["Pod", "Phase", "Exit code", "Restarts", "Trouble"],
     podRows(report), "There are no pods.",
     ["Pod", "Trouble"]],
    ["Conditions", ["Type", "Status", "Since", "Reason"],
     conditionRows(report), "There are no conditions yet.", ["Reason"]],
    ["Expectations", ["Operation", "Age", "Refusals", "Next attempt"],
     expectationRows(report), "No operation is in flight or in back-off.",
     ["Operation"]],
  ];
  return all.flatMap(([name, headings, rows, none, whole]) =>
    [heading(name), rows.length ? table(name, headings, rows, whole)
                                : element("p", {class: "hint"}, none)]);
}

export function showJob(report) {
  clockOffset = seconds(report.at) - Date.now() / 1000;
  setText(byId("job-heading"),
          `${report.kind} ${report.namespace}/${report.name}`);
  replaceIfChanged(byId("job-state"), stateOf(report));
  setText(byId("summary"), headingSummary(report) || "Nothing is known yet.");
  replaceIfChanged(byId("waiting"), waitingLines(report));
  setText(byId("job-facts"), facts(report));
  byId("timeline").replaceChildren(
    ...timelinePicture(report.timeline, seconds(report.at),
                       Boolean(report.status.completionTime),
                       byId("timeline").clientWidth));
  showTables(report);
}

/** A link that has the focus keeps it. */
function showTables(report) {
  const node = byId("job-tables");
  const link = node.contains(document.activeElement)
    ? document.activeElement.getAttribute("href") : null;
  node.replaceChildren(...progressSection(report), ...waitingSections(report),
                       ...tables(report));
  if (link) {
    [...node.querySelectorAll("a")]
      .find((a) => a.getAttribute("href") === link)?.focus();
  }
}

export function showExplanation(text) {
  setText(byId("explanation"), text);
}

/** Of a job that is not there (any more). */
export function showNoJob(name) {
  setText(byId("job-heading"), name);
  setText(byId("summary"), "There is no such job.");
  setText(byId("job-facts"), "");
  byId("job-state").replaceChildren();
  byId("waiting").replaceChildren();
  byId("timeline").replaceChildren();
  byId("job-tables").replaceChildren();
  setText(byId("explanation"), "");
}
