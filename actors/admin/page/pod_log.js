// The log of a pod: its last lines, and what comes.

import {byId, element, setText} from "/elements.js";
import {LogText} from "/log_text.js";
import {readStream} from "/requests.js";

const MOST_LINES = 5000; // More would only slow the browser down.
const AGAIN = 5000;      // Milliseconds until the next attempt.
const HIDDEN = 30000;    // A tab that is hidden for so long reads nothing.

let current; // What is shown.

class PodLog {
  constructor(signal, job, pod) {
    Object.assign(this, {signal, job, pod});
    this.wanted = undefined; // A container; the pod's own choice.
    this.uid = undefined;    // Of the pod, by the job's report.
    this.life = undefined;   // What there is to read of it.
    this.readLife = undefined; // That which has been read.
    this.run = undefined;      // Of the container, whose lines are shown.
    this.reading = undefined;  // Ends it.
    this.paused = false;       // Nobody looks.
  }

  /** Forgets what is shown. */
  clear() {
    this.text = new LogText();
    this.last = undefined;
    byId("log-lines").replaceChildren();
  }

  /** The lines of a run follow those of the one before, or take their place. */
  beginRun({container, containers}) {
    const restarts = containers.find((c) => c.name === container)?.restarts;
    const run = [this.uid, container, restarts].join();
    const follows = this.run && this.run !== run;
    this.run = run;
    if (!follows) return this.clear();
    this.text = new LogText();
    this.last = undefined;
    byId("log-lines").append(
      element("div", {class: "log-note"}, "— the next run —"));
  }

  take(text) {
    const pane = byId("log-lines");
    const {continues, lines} = this.text.feed(text);
    const nodes = lines.slice(-MOST_LINES).map((parts) =>
      element("div", {}, ...parts.map(([words, style]) =>
        style ? element("span", {class: style}, words) : words)));
    if (continues && this.last) this.last.remove();
    pane.append(...nodes);
    this.last = nodes.at(-1);
    while (pane.childElementCount > MOST_LINES) pane.firstChild.remove();
    if (byId("log-follow").checked) pane.scrollTop = pane.scrollHeight;
  }

  showContainers({container, containers}) {
    const select = byId("log-container");
    select.replaceChildren(...containers.map((c) => element(
      "option", {value: c.name},
      c.name + (c.init ? " (init)" : "")
      + (c.state === "running" ? "" : `, ${c.state}`))));
    select.value = container;
    const chosen = containers.find((c) => c.name === container);
    byId("log-previous").disabled = !chosen?.restarts;
    if (!chosen?.restarts) byId("log-previous").checked = false;
  }

  path() {
    const query = new URLSearchParams();
    if (this.wanted) query.set("container", this.wanted);
    if (byId("log-previous").checked) query.set("previous", "true");
    const pod = encodeURIComponent(this.pod);
    return `/admin/v1/jobs/${this.job}/pods/${pod}/log?${query}`;
  }

  /** Once, to its end: returns whether another attempt may do better. */
  async readOnce(reading) {
    let again = true;
    this.say("Reading");
    await readStream(this.path(), reading.signal, (event, data) => {
      if (reading.signal.aborted) return;
      if (event === "pod") {
        this.showContainers(data);
        this.beginRun(data);
        this.say(byId("log-previous").checked ? "Reading" : "Live");
      } else if (event === "text") {
        this.take(data);
      } else if (event === "end") {
        again = false;
        this.say(byId("log-lines").childElementCount
          ? "The log has ended." : "The log is empty.");
      } else if (event === "problem") {
        again = data.again;
        this.say(data.why, true);
      }
    });
    return again;
  }

  async read() {
    this.reading?.abort();
    const reading = this.reading = new AbortController();
    this.signal.addEventListener("abort", () => reading.abort());
    this.readLife = this.life;
    let again = true;
    try {
      again = await this.readOnce(reading);
    } catch (error) {
      if (reading.signal.aborted) return;
      again = error.status === undefined || error.status >= 500;
      this.say(error.message, true);
    }
    if (reading.signal.aborted) return;
    this.reading = undefined;
    if (this.life !== this.readLife) return this.read();
    if (again) setTimeout(() => this.readAgain(reading), AGAIN);
  }

  readAgain(reading) {
    if (!reading.signal.aborted && !this.reading) this.read();
  }

  /** What the job says of the pod now. */
  takeReport(report) {
    const pod = report.pods.find((p) => p.name === this.pod);
    const life = pod && [pod.uid, pod.phase === "Pending", pod.restarts].join();
    const first = this.readLife === undefined;
    this.uid = pod?.uid;
    this.life = life;
    if (!pod) {
      if (!this.reading) this.say("The job has no such pod now.", true);
    } else if (first) {
      this.read();
    } else if (!this.reading && !this.paused && life !== this.readLife
               && !byId("log-previous").checked) {
      this.read();
    }
  }

  /** Anew: another container, or another run. */
  reload() {
    this.run = undefined;
    this.clear();
    this.read();
  }

  say(text, bad = false) {
    byId("log-state").classList.toggle("failed", bad);
    setText(byId("log-state"), text);
  }
}

/** `name` is NAMESPACE/KIND/NAME/pods/POD. Returns when the stream has ended. */
export async function showPodLog(signal, name, showConnection) {
  const [namespace, kind, job, , pod] = name.split("/");
  const log = current = new PodLog(signal, [namespace, kind, job].join("/"),
                                   pod);
  setText(byId("pod-log-heading"), "Log of " + pod);
  setText(byId("log-back"), `${kind} ${namespace}/${job}`);
  byId("log-back").href = "#/jobs/" + log.job;
  byId("log-previous").checked = false;
  byId("log-follow").checked = true;
  byId("log-container").replaceChildren();
  log.clear();
  log.say("");
  await readStream("/admin/v1/stream?job=" + encodeURIComponent(log.job),
                   signal, (event, report) => {
    showConnection();
    if (event === "gone") log.say("There is no such job.", true);
    else log.takeReport(report);
  });
}

byId("log-container").addEventListener("change", () => {
  current.wanted = byId("log-container").value;
  byId("log-previous").checked = false;
  current.reload();
});
byId("log-previous").addEventListener("change", () => current.reload());
byId("log-follow").addEventListener("change", () => {
  const pane = byId("log-lines");
  if (byId("log-follow").checked) pane.scrollTop = pane.scrollHeight;
});
// Who scrolls up wants to read; who comes back to the end wants to follow.
byId("log-lines").addEventListener("scroll", () => {
  const pane = byId("log-lines");
  byId("log-follow").checked =
    pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 4;
});

let hiddenSince;
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenSince);
  if (!current || current.signal.aborted) return;
  if (document.hidden) {
    hiddenSince = setTimeout(() => {
      if (!current.reading) return;
      current.reading.abort();
      current.paused = true;
    }, HIDDEN);
  } else if (current.paused) {
    current.paused = false;
    current.reload();
  }
});
