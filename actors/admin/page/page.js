// The admin page: which view is shown, and what keeps it up to date.

import {byId, setText} from "/elements.js";
import {showExplanation, showJob, showNoJob, showTimesLeft} from "/job.js";
import {clearFilter, focusJob, hasJobs, moveFocus, showAges, showJobs, takeJobs,
        takeLeadership} from "/jobs.js";
import {showPodLog} from "/pod_log.js";
import {showActors, showLogLevels, showWatchers} from "/operator.js";
import {get, readStream, useToken} from "/requests.js";
import {onStateChosen} from "/states.js";

const AGAIN = 2000; // Milliseconds between two attempts, or two readings.

/** What the page shows; each returns when the connection has ended. */
const views = {
  async jobs(signal) {
    const list = await get("/admin/v1/jobs");
    takeJobs(list);
    showConnection();
    followLeadership(signal);
    await readStream("/admin/v1/stream?since=" + list.revision, signal,
                     (name, changes) => takeJobs(changes));
  },
  async job(signal, name) {
    const path = "/admin/v1/jobs/" + name;
    await readStream("/admin/v1/stream?job=" + encodeURIComponent(name), signal,
      async (event, report) => {
        showConnection();
        if (event === "gone") return showNoJob(name);
        showJob(report);
        const text = await get(path + "/explanation").catch((e) => e.message);
        if (!signal.aborted) showExplanation(text);
      });
  },
  "pod-log": (signal, name) => showPodLog(signal, name, showConnection),
  actors: (signal) => repeat(signal, "/admin/v1/actors", showActors),
  watchers: (signal) => repeat(signal, "/admin/v1/watchers", showWatchers),
  log: (signal) => repeat(signal, "/admin/v1/log-level", showLogLevels),
};

async function repeat(signal, path, show) {
  while (!signal.aborted) {
    const answer = await get(path);
    if (signal.aborted) return;
    show(answer);
    showConnection();
    await pause(AGAIN);
  }
}

/** While there are no jobs, the page says whether this replica leads. */
async function followLeadership(signal) {
  while (!signal.aborted && !hasJobs()) {
    const tree = await get("/admin/v1/actors").catch(() => null);
    if (tree && !signal.aborted) takeLeadership(tree);
    await pause(AGAIN);
  }
}

const pause = (time) => new Promise((done) => setTimeout(done, time));

/** Says whether the page shows what is the case now. */
function showConnection(error) {
  const node = byId("connection");
  node.classList.toggle("lost", Boolean(error));
  setText(node, error ? "Not connected, trying again" : "Live");
}

function showSection(id) {
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = section.id !== id;
  }
}

let current = new AbortController(); // Ends the requests of the last view.
let view = "jobs";
let shown = false; // The first view was.
let lastSubject = "";

async function show(name, subject) {
  current.abort();
  current = new AbortController();
  const {signal} = current;
  view = name;
  while (!signal.aborted) {
    try {
      await views[name](signal, subject);
      if (!signal.aborted) showConnection(new Error("the stream ended"));
    } catch (error) {
      if (signal.aborted) return;
      showConnection(error);
      if (error.status === 401) return askForToken(error);
    }
    await pause(AGAIN);
  }
}

function askForToken(error) {
  showSection("sign-in");
  if (sessionStorage.length) setText(byId("sign-in-answer"), error.message);
  byId("token").focus();
}

/** Of NAMESPACE/KIND/NAME, or that and pods/POD. */
function viewOf(subject) {
  if (subject.length === 3) return "job";
  return subject.length === 5 && subject[3] === "pods" ? "pod-log" : "jobs";
}

function route() {
  const hash = location.hash || "#/jobs";
  if (!hash.startsWith("#/")) return; // The link to the content.
  const [name, ...rest] = decodeURIComponent(hash.slice(2)).split("/");
  const wanted = name === "jobs" && rest.length > 0 ? viewOf(rest)
               : views[name] ? name : "jobs";
  showSection(wanted);
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === "#/" + name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const subject = rest.join("/");
  if (shown) byId("main").focus(); // The view was changed by a link.
  if (shown && wanted === "jobs") focusJob(lastSubject);
  shown = true;
  lastSubject = subject;
  document.title = (wanted === "job" || wanted === "pod-log" ? subject
    : byId(wanted).querySelector("h1").textContent) + " - Troupe";
  show(wanted, subject);
}

/** Where Esc leads from a view; undefined: it stays. */
const PARENTS = {
  job: () => "#/jobs",
  "pod-log": (subject) => "#/jobs/" + subject.split("/", 3).join("/"),
};

/** Whether Esc is meant for the field that has the focus. */
function isForField(event) {
  const field = document.activeElement;
  return event.isComposing || event.defaultPrevented
    || field.matches("select")
    || (field.matches("input:not([type=checkbox]), textarea") && field.value !== "");
}

function onKeyInList(event) {
  const filter = byId("filter");
  if (event.key === "/" && document.activeElement !== filter) {
    event.preventDefault();
    filter.focus();
  } else if (event.key === "Escape" && !event.isComposing) {
    clearFilter();
  } else {
    moveFocus(event);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (view === "jobs") return onKeyInList(event);
  if (event.key === "Escape" && PARENTS[view] && !isForField(event)) {
    location.hash = PARENTS[view](lastSubject);
  }
});
onStateChosen(showJobs);
byId("filter").addEventListener("input", showJobs);
byId("sign-in-form").addEventListener("submit", (event) => {
  event.preventDefault();
  useToken(byId("token").value.trim());
  route();
});
window.addEventListener("hashchange", route);
setInterval(() => { // Ages, and the time to the next try.
  if (view === "jobs") showAges();
  if (view === "job") showTimesLeft();
}, 1000);
route();
