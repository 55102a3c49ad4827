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

/** Rows are arrays of cells: texts or elements. */
export function table(label, headings, rows) {
  const head = headings.map((h) => element("th", {scope: "col"}, h));
  const body = rows.slice(0, MOST_ROWS).map((cells) =>
    element("tr", {}, ...cells.map((c) => element("td", {}, c))));
  return element("div", {class: "scroll"},
    element("table", {"aria-label": label},
      element("thead", {}, element("tr", {}, ...head)),
      element("tbody", {}, ...body)));
}

/** Leaves the node alone if it has the text: screen readers speak changes. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
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

export const orDash = (value) =>
  value === undefined || value === "" ? "–" : String(value);

export const stateName = (state) => state || "New";

export const stateLabel = (state) =>
  element("span", {class: "state " + state}, stateName(state));
