// The operator itself: its actors, its watches and its log.

import {MOST_ROWS, byId, duration, element, orDash, plural, seconds, setText,
        table} from "/elements.js";
import {put} from "/requests.js";

const LEVELS = ["debug", "info", "warn", "error"];

function actorName(a) {
  if (a.name) return `${a.kind} ${a.namespace}/${a.name}`;
  if (a.resource) return a.resource + (a.namespace ? ` in ${a.namespace}` : "");
  return a.group;
}

function actorState(a) {
  if (a.state) return a.state;
  if (a.stopping) return "stopping";
  if (a.ready !== undefined) return a.ready ? "ready" : "not ready";
  if (a.window !== undefined) {
    return `${a.underWay} of ${plural(a.window, "call")} in flight, `
      + `${a.waiting} waiting${a.paused ? ", paused" : ""}`;
  }
  if (a.actor === "event-recorder") return `${a.waiting} waiting`;
  if (a.jobs !== undefined) return plural(a.jobs, "job");
  return a.summary;
}

/** Without the columns that no actor has a value for. */
function withoutEmptyColumns(headings, rows) {
  const used = headings.map((_, i) => rows.some((r) => r[i] !== "–"));
  const keep = (cells) => cells.filter((_, i) => used[i]);
  return [keep(headings), rows.map(keep)];
}

/** How many there are; of the first MOST_ROWS a row is added to `rows`. */
function addActorRows(rows, actor, at, depth = 0) {
  let count = 1;
  if (rows.length < MOST_ROWS) rows.push(actorRow(actor, at, depth));
  for (const child of actor.children || []) {
    count += addActorRows(rows, child, at, depth + 1);
  }
  return count;
}

function actorRow(actor, at, depth) {
  const age = actor.ageSeconds
    ?? (actor.created ? at - seconds(actor.created) : undefined);
  return [
    element("span", {class: "nowrap"}, "\u2003".repeat(depth) + actor.actor),
    orDash(actorName(actor)), orDash(actorState(actor)), orDash(actor.mailbox),
    age === undefined ? "–" : duration(age), orDash(actor.restarts),
    orDash(actor.lastMessage)];
}

export function showActors(tree) {
  const rows = [];
  const count = addActorRows(rows, tree, seconds(tree.at));
  const cut = count > MOST_ROWS ? `, the first ${MOST_ROWS} shown` : "";
  byId("actors-body").replaceChildren(
    element("p", {class: "facts"}, plural(count, "actor") + cut),
    table("Tree of actors", ...withoutEmptyColumns(
      ["Actor", "Name", "State", "Mailbox", "Age", "Restarts", "Last message"],
      rows), ["Actor", "Name", "State", "Last message"]));
}

export function showWatchers(answer) {
  const rows = answer.watchers.map((w) =>
    [w.resource, w.namespace || "all", w.state,
     w.failuresInARow ? `failed ${plural(w.failuresInARow, "time")}: `
                        + w.lastFailure
                      : orDash(w.unavailable)]);
  byId("watchers-body").replaceChildren(
    table("Watches", ["Resource", "Namespace", "State", "Trouble"], rows,
          ["Trouble"]));
}

function levelSelect(level, label, change) {
  const select = element("select", {"aria-label": label},
    ...LEVELS.map((l) => element("option", {value: l}, l)));
  select.value = level;
  select.addEventListener("change", () => setLevel(change(select.value)));
  return select;
}

async function setLevel(change) {
  try {
    showLogLevels(await put("/admin/v1/log-level", change));
    setText(byId("log-answer"),
            `${change.component || "All components"}: ${change.level}`);
  } catch (error) {
    setText(byId("log-answer"), error.message);
  }
}

/** Lets alone what a person is using. */
export function showLogLevels(levels) {
  if (byId("log").contains(document.activeElement)
      && document.activeElement.tagName === "SELECT") {
    const selects = byId("log").querySelectorAll("select[aria-label]");
    for (const s of selects) {
      const own = levels.components[s.getAttribute("aria-label")];
      if (own) s.value = own;
    }
    return;
  }
  const all = levelSelect(levels.level, "All components",
                          (level) => ({level}));
  all.id = "log-all";
  byId("log-all").replaceWith(all);
  const rows = Object.entries(levels.components).map(([component, level]) =>
    [component, levelSelect(level, component,
                            (wanted) => ({component, level: wanted}))]);
  byId("log-body").replaceChildren(
    table("Log levels", ["Component", "Level"], rows));
}
