// Elements and texts. Everything that comes from the server becomes text
// (textContent), never markup.

/** Of a table: more rows would only slow the browser down. */
export const MOST_ROWS = 500;

export const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** Children are elements or texts. */
export const element = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

/** The same for SVG. */
export const shape = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name),
       attributes, children);

/** A bar; parts are [kind, share of 1], from the left. */
export function meter(parts, attributes) {
  const bar = shape("svg", {class: "meter", viewBox: "0 0 100 10",
                            preserveAspectRatio: "none", ...attributes},
    shape("rect", {class: "fill-wait", width: 100, height: 10}));
  let from = 0;
  for (const [kind, share] of parts) {
    const width = Math.min(100 - from, 100 * share);
    bar.append(shape("rect", {class: "fill-" + kind, x: from, width,
                              height: 10}));
    from += width;
  }
  return bar;
}

/**
 * Rows are arrays of cells: texts or elements. Those below the headings
 * `whole` have a line of their own on a phone. Roles are named, because there
 * rows are no rows of a table for the style sheet.
 */
export function table(label, headings, rows, whole = []) {
  const row = (cells) => element("tr", {role: "row"}, ...cells);
  const style = (i, text) => ({class:
    (whole.includes(headings[i]) ? "whole" : "")
    + (text === NONE ? " none" : "")});
  const layout = whole.length === 0 ? ""
    : headings.length - whole.length > 3 ? "stacked by-four" : "stacked";
  const head = headings.map((h, i) =>
    element("th", {scope: "col", role: "columnheader", ...style(i, h)}, h));
  const body = rows.slice(0, MOST_ROWS).map((cells) =>
    row(cells.map((c, i) => element("td", {role: "cell", ...style(i, c)}, c))));
  return element("div", {class: "scroll"},
    element("table", {"aria-label": label, role: "table",
                      class: layout},
      element("thead", {role: "rowgroup"}, row(head)),
      element("tbody", {role: "rowgroup"}, ...body)));
}

/** Leaves the node alone if it has the text: screen readers speak changes. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** The same for elements, compared by their texts. */
export function replaceIfChanged(node, children) {
  const text = children.map((c) => c.textContent).join("");
  if (node.textContent !== text) node.replaceChildren(...children);
}

/** As kubectl shows ages. */
export function duration(seconds) {
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

/** A time of the API, in seconds since 1970; undefined if there is none. */
export const seconds = (time) => time ? Date.parse(time) / 1000 : undefined;

export const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

const NONE = "–";

export const orDash = (value) =>
  value === undefined || value === "" ? NONE : String(value);

export const stateName = (state) => state || "New";

export const stateLabel = (state) =>
  element("span", {class: "state " + state}, stateName(state));
