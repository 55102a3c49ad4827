// What a job waits for, and how it stands to its queue and its gang.

import {duration, element, plural, seconds} from "/elements.js";

/** A term and its text; nothing where there is no text. */
const fact = (term, text) => text
  ? [element("dt", {}, term), element("dd", {}, text)] : [];

const section = (name, facts) => facts.length
  ? [element("h2", {}, name), element("dl", {class: "terms"}, ...facts)] : [];

/** The summary without what the line about the wait says, too. */
export function headingSummary(report) {
  const said = ": " + (report.waitingFor?.details ?? "");
  return said.length > 2 && report.summary.endsWith(said)
    ? report.summary.slice(0, -said.length) : report.summary;
}

/** In the words of `troupe explain`. */
export function waitingLines(report) {
  const {waitingFor: wait, notQueued} = report;
  return [
    ...wait ? [element("p", {class: "waiting"},
      element("b", {}, "Waiting for: "), wait.text, " ",
      element("span", {class: "hint"}, `(whose move: ${wait.who})`))] : [],
    ...notQueued ? [element("p", {class: "waiting"}, notQueued)] : []];
}

const QUEUE_STATES = {
  held: "held: no pod is made before its quota is there",
  leaving: "leaves: its quota is free when its pods have ended",
  admitted: "admitted",
  ended: "the job has ended",
};

function placeText(queue) {
  if (queue.place) {
    return `number ${queue.place} in it`
      + (queue.placeInClusterQueue
        ? `, number ${queue.placeInClusterQueue} in its ClusterQueue` : "");
  }
  return queue.notAmongTheFirst
    ? `not among the first ${queue.notAmongTheFirst}` : "";
}

/** What Kueue says is shown once: the line about the wait may have it. */
function queueFacts(report) {
  const queue = report.queueing;
  if (!queue) return [];
  const said = report.waitingFor?.text ?? "";
  const once = (text) => text && !said.includes(text) ? text : "";
  const since = queue.since
    ? `, for ${duration(seconds(report.at) - seconds(queue.since))}` : "";
  return [
    ...fact("Queue", queue.queue + (queue.clusterQueue
      ? `, with quota of ClusterQueue ${queue.clusterQueue}` : "")),
    ...fact("State", (QUEUE_STATES[queue.state] ?? queue.state) + since),
    ...fact("Place", placeText(queue)),
    ...fact("Held back", queue.podsHeldBack
      ? plural(queue.podsHeldBack, "pod") : ""),
    ...fact("Hold quota", queue.podsThatHoldQuota
      ? plural(queue.podsThatHoldQuota, "pod") + " that " + (
        queue.podsThatHoldQuota === 1 ? "has" : "have") + " not ended" : ""),
    ...fact("Stopped", once(queue.stopped)),
    ...fact("Kueue says", once(queue.why)),
    ...fact("Workload", queue.workload)];
}

function gangFacts(report) {
  const group = report.podGroup;
  if (!group) return [];
  const said = report.waitingFor?.text ?? "";
  return [
    ...fact("PodGroup", group.name),
    ...fact("State", (group.phase || "no phase yet")
      + (group.awaited ? ", its pods wait for it" : "")),
    ...fact("Placed together", group.minCount
      ? plural(group.minCount, "pod") : ""),
    ...fact("Why", group.trouble && !said.includes(group.trouble)
      ? group.trouble : "")];
}

export const waitingSections = (report) =>
  [...section("Queue", queueFacts(report)),
   ...section("Gang", gangFacts(report))];
