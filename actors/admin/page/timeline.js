// The life of a job as a picture: a bar for each pod, a line for each
// condition.

import {duration, element, plural, seconds, shape} from "/elements.js";

const ROW = 22, BAR = 12, MARK_ROW = 15;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
               14400, 28800, 86400, 172800, 604800, 2592000];

const OUTCOMES = {Succeeded: "good", Failed: "bad", Running: "run"};

function times(pod) {
  const t = {};
  for (const key of ["created", "running", "finished", "deleted"]) {
    t[key] = seconds(pod[key]);
  }
  return t;
}

/** A restart of the whole job ended the pod, and it was not its cause. */
const wasStopped = (pod, attempts) => pod.phase === "Failed"
  && attempts.some((a) => a.attempt === (pod.attempt ?? 0) + 1 && a.pod
                   && a.pod !== pod.name
                   && seconds(pod.finished) >= seconds(a.at) - 1);

/** The stretches of a pod's life: [from, to, what]. */
function stretches(pod, now) {
  const t = times(pod);
  const end = t.finished ?? t.deleted ?? now;
  const begin = t.running ?? end;
  const result = [[t.created, begin, "wait"]];
  if (t.running !== undefined) {
    const kind = pod.stopped ? "stopped"
               : t.finished || !t.deleted ? OUTCOMES[pod.phase] : "run";
    result.push([begin, end, kind || "run"]);
  }
  return result.filter(([from, to]) => to >= from);
}

function sentence(pod, now) {
  const t = times(pod);
  const code = pod.exitCode === undefined ? ""
                                          : ` with exit code ${pod.exitCode}`;
  const attempt = pod.attempt === undefined ? ""
                                            : ` (attempt ${pod.attempt})`;
  const parts = [`${pod.name}${attempt}: ${pod.phase}${code}`];
  if (t.running) {
    parts.push(`waited ${duration(t.running - t.created)}`,
               `ran ${duration((t.finished ?? t.deleted ?? now) - t.running)}`);
  }
  if (t.deleted) parts.push(`deleted ${duration(now - t.deleted)} ago`);
  return parts.join(", ");
}

/** Of an attempt, as its mark and its title say it. */
export function attemptName(a) {
  return `attempt ${a.attempt}${a.types ? " of " + a.types : ""}`;
}

const attemptMarks = (attempts) => attempts.map((a) => ({
  type: attemptName(a) + (a.reason ? `: ${a.reason}` : ""), at: a.at,
  attempt: true}));

/** From the failure until all replicas ran again, or until now. */
function recoveryBands(attempts, last, x, top, height) {
  return attempts.map((a, i) => {
    const from = seconds(a.at);
    const next = attempts[i + 1] ? seconds(attempts[i + 1].at) : last;
    const to = Math.min(seconds(a.recovered) ?? next, last);
    return shape("rect", {class: "recovery", x: x(from), y: top,
                          width: Math.max(x(to) - x(from), 1),
                          height: height - 18 - top},
                 shape("title", {}, `${attemptName(a)}: ` + (a.recovered
                   ? `all ran again after ${duration(to - from)}`
                   : "not all replicas have run again")));
  });
}

/** Labels that would overlap go to the next row; one that would leave the
    picture of this width stands before its line. */
function placeMarks(marks, x, pictureWidth) {
  const ends = [];
  return marks.map((m) => {
    const at = x(seconds(m.at)), width = m.type.length * 7 + 10;
    const before = at + width > pictureWidth && at > width;
    const from = before ? at - width : at;
    let row = ends.findIndex((end) => end <= from);
    if (row < 0) row = ends.length;
    ends[row] = from + width;
    return {...m, x: at, row, before};
  });
}

function axis(begin, end, x, top, height) {
  const most = Math.min(7, Math.floor((x(end) - x(begin)) / 52));
  const step = STEPS.find((s) => (end - begin) / s <= most) || 31536000;
  const parts = [];
  for (let t = 0; begin + t <= end; t += step) {
    const at = x(begin + t);
    parts.push(shape("line", {x1: at, x2: at, y1: top, y2: height - 18}),
               shape("text", {x: at, y: height - 4, class: "faint",
                              "text-anchor": t ? "middle" : "start"},
                     t ? "+" + duration(t) : "0"));
  }
  return parts;
}

/** Pods of one name follow each other, and share a row. */
function podRows(pods) {
  const rows = new Map();
  for (const pod of pods) {
    if (!rows.has(pod.name)) rows.set(pod.name, []);
    rows.get(pod.name).push(pod);
  }
  return [...rows.values()].map((row) =>
    row.sort((a, b) => seconds(a.created) - seconds(b.created)));
}

/** `end`: where the next one of its row begins. */
function podBar(pod, now, x, y, end) {
  const bars = stretches(pod, now).map(([from, to, kind]) =>
    shape("rect", {class: "fill-" + kind, x: x(from), y,
                   width: Math.max(x(to) - x(from), 2), height: BAR}));
  const t = times(pod);
  const sign = pod.stopped ? "" : t.finished ? pod.phase === "Failed" ? "✗" : "✓"
             : t.deleted ? "deleted" : "";
  const from = x(t.finished ?? t.deleted ?? now) + 4;
  const signs = sign && from + sign.length * 7 + 4 <= end
    ? [shape("text", {x: from, y: y + BAR - 1}, sign)] : [];
  return shape("g", {}, shape("title", {}, sentence(pod, now)), ...bars,
               ...signs);
}

function legend(hasAttempts) {
  const entry = (kind, text) => element("li", {},
    shape("svg", {width: 10, height: 10, "aria-hidden": "true"},
      shape("rect", {class: "fill-" + kind, width: 10, height: 10})), text);
  return element("ul", {class: "legend"}, entry("wait", "waits"),
                 entry("run", "runs"), entry("good", "succeeded ✓"),
                 entry("bad", "failed ✗"),
                 ...hasAttempts ? [entry("stopped", "stopped by a restart"),
                                   entry("recovery", "restart of the job")]
                                : []);
}

/** The elements that show it; `now` is the time of the report. */
export function timelinePicture(timeline, now, ended, width) {
  const {conditions, podsLeftOut, attempts = []} = timeline;
  const pods = timeline.pods.map(
    (p) => ({...p, stopped: wasStopped(p, attempts)}));
  if (pods.length + conditions.length === 0) {
    return [element("p", {class: "hint"}, "Nothing has happened yet.")];
  }
  const all = [...pods.flatMap((p) => Object.values(times(p))),
               ...conditions.map((c) => seconds(c.at)),
               ...attempts.map((a) => seconds(a.at))]
    .filter((t) => t !== undefined);
  const begin = Math.min(...all);
  const end = Math.max(...all, ended ? begin + 1 : now, begin + 1);
  width = Math.max(width, 280);
  const longest = Math.max(0, ...pods.map((p) => p.name.length));
  const left = Math.min(longest * 7 + 12, width * 0.4);
  const right = width - (width > 500 ? 70 : 30);
  const x = (t) => left + (t - begin) / (end - begin) * (right - left);
  const marks = placeMarks(
    [...conditions, ...attemptMarks(attempts)]
      .sort((a, b) => seconds(a.at) - seconds(b.at)), x, width);
  const top = MARK_ROW * (1 + Math.max(-1, ...marks.map((m) => m.row))) + 8;
  const rows = podRows(pods);
  const height = top + rows.length * ROW + 22;
  const most = Math.floor((left - 12) / 7);
  const label = (name) =>
    name.length > most ? "…" + name.slice(name.length - most + 1) : name;
  const picture = shape("svg",
    {class: "timeline", width, height, viewBox: `0 0 ${width} ${height}`,
     role: "img", "aria-labelledby": "timeline-heading",
     "aria-describedby": "timeline-text"},
    ...recoveryBands(attempts, ended ? Math.max(...all) : now, x, top, height),
    ...axis(begin, end, x, top, height),
    ...marks.flatMap((m) => [
      shape("line", {class: m.attempt ? "mark attempt" : "mark",
                     x1: m.x, x2: m.x,
                     y1: MARK_ROW * m.row + 3, y2: height - 18}),
      shape("text", {x: m.x + (m.before ? -4 : 4),
                     y: MARK_ROW * (m.row + 1) - 2,
                     "text-anchor": m.before ? "end" : "start"}, m.type)]),
    ...rows.flatMap((row, i) => [
      shape("text", {x: 0, y: top + i * ROW + BAR}, label(row[0].name)),
      ...row.map((p, n) => podBar(p, now, x, top + i * ROW + 2,
        row[n + 1] ? x(seconds(row[n + 1].created)) : width))]));
  const text = pods.map((p) => sentence(p, now)).join("; ");
  const out = [picture, legend(attempts.length > 0),
               element("p", {id: "timeline-text", class: "hidden-text"}, text)];
  if (podsLeftOut) {
    out.push(element("p", {class: "hint"},
                     `Without ${plural(podsLeftOut, "further pod")}.`));
  }
  return out;
}
