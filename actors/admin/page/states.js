// How many jobs are in each state: buttons that show only those.

import {byId, element, setText, stateLabel, stateName} from "/elements.js";

/** As a job lives. Others come after these, by name. */
const ORDER = ["", "Created", "Running", "Stalled", "Restarting", "Suspended",
               "Succeeded", "Failed"];

const buttons = new Map(); // By state.
let chosen; // The one state that is shown; undefined: all.
let onChange = () => {};

export const onStateChosen = (call) => { onChange = call; };
export const isStateShown = (state) => chosen === undefined || state === chosen;
export const clearStateFilter = () => { chosen = undefined; };

/** In one pass. */
export function countByState(jobs) {
  const counts = new Map();
  for (const {state} of jobs) counts.set(state, (counts.get(state) || 0) + 1);
  return counts;
}

function compare(a, b) {
  const rank = (state) => {
    const i = ORDER.indexOf(state);
    return i < 0 ? ORDER.length : i;
  };
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function makeButton(state) {
  const count = element("b");
  const button = element("button", {type: "button", "aria-pressed": "false"},
                         stateLabel(state), " ", count);
  button.addEventListener("click", () => {
    chosen = chosen === state ? undefined : state;
    onChange();
  });
  return {button, count};
}

/** A chosen state stays when no job is in it, so that it can be left again. */
export function showStateCounts(counts) {
  const shown = new Map(counts);
  if (chosen !== undefined && !shown.has(chosen)) shown.set(chosen, 0);
  [...shown.keys()].sort(compare).forEach((state, i) => {
    if (!buttons.has(state)) buttons.set(state, makeButton(state));
    const {button, count} = buttons.get(state);
    setText(count, String(shown.get(state)));
    button.setAttribute("aria-pressed", String(chosen === state));
    button.title = chosen === state ? "Show the jobs of all states"
      : `Show only those that are ${stateName(state)}`;
    // A button that is moved would lose the focus.
    const place = byId("states").children[i];
    if (place !== button) byId("states").insertBefore(button, place || null);
  });
  for (const [state, {button}] of buttons) {
    if (!shown.has(state)) {
      button.remove();
      buttons.delete(state);
    }
  }
}
