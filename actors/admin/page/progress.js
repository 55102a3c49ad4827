// How far a job is, as its program tells it.

import {duration, element, meter, seconds, shape} from "/elements.js";

const WIDTH = 220, HEIGHT = 56;

/** A bar of 0 to 100, beside which the number is. */
export function progressBar(percent, style = "meter") {
  const done = Math.min(100, Math.max(0, percent));
  return meter([["run", done / 100]], {class: style, "aria-hidden": "true"});
}

function told(progress, at) {
  const parts = [];
  if (progress.percent !== undefined) parts.push(`${progress.percent}%`);
  if (progress.estimatedRemainingSeconds > 0) {
    parts.push(duration(progress.estimatedRemainingSeconds) + " left");
  }
  parts.push(`told by ${progress.source} ${duration(at - seconds(progress.time))} ago`);
  return parts.join(", ");
}

/** The line of a metric over time; points are [seconds, value]. */
function line(points) {
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  const scale = (v, all, size) => {
    const low = Math.min(...all), span = Math.max(...all) - low;
    return span > 0 ? (v - low) / span * size : size / 2;
  };
  return points.map(([x, y]) =>
    `${(4 + scale(x, xs, WIDTH - 8)).toFixed(1)},`
    + `${(HEIGHT - 4 - scale(y, ys, HEIGHT - 8)).toFixed(1)}`).join(" ");
}

function chart(metric) {
  const points = metric.points || [];
  const values = points.map((p) => p[1]);
  const label = points.length > 1
    ? `${metric.name}: from ${Math.min(...values)} to ${Math.max(...values)}, `
      + `now ${metric.value}`
    : `${metric.name}: ${metric.value}`;
  const picture = points.length > 1
    ? [shape("svg", {class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
                     width: WIDTH, height: HEIGHT, role: "img",
                     "aria-label": label},
       shape("title", {}, label),
       shape("polyline", {points: line(points)}))] : [];
  return element("figure", {class: "metric"}, ...picture,
    element("figcaption", {}, `${metric.name} ${metric.value}`));
}

function logProblem(log) {
  return log?.problem
    ? [element("p", {class: "log-problem"},
               `The log rules are not applied: ${log.problem}`)] : [];
}

/** Nothing if the program has told nothing, and no log should be read. */
export function progressSection(report) {
  const progress = report.progress;
  if (!progress) return logProblem(report.log);
  const bar = progress.percent === undefined
    ? [] : [progressBar(progress.percent, "meter long")];
  return [element("h2", {}, "Progress"),
          element("p", {class: "progress"}, ...bar,
                  told(progress, seconds(report.at))),
          element("div", {class: "metrics"},
                  ...(progress.metrics || []).map(chart)),
          ...logProblem(report.log)];
}
