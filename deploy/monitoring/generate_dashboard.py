#!/usr/bin/python3
"""Writes dashboard.json, for Grafana 9 and later.

    generate_dashboard.py          writes the file
    generate_dashboard.py --print  prints it
"""

import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCE = {"type": "prometheus", "uid": "${datasource}"}

# In queries, [NS] stands for the chosen namespaces of the operator, RATE for
# the range of rates.
NAMESPACES = 'namespace=~"$namespace"'
RATE = "$__rate_interval"


def own(series):
    """Without those of other programs in the same namespaces."""
    return f"({series} and on (instance) troupe_ready)"


def growth(counter, more):
    series = f"rate({counter}{{[NS]{more}}}[RATE])"
    ours = counter.startswith(("troupe_", "training_operator_"))
    return f"({series})" if ours else own(series)


def quantile(q, histogram, by, more=""):
    return (f"histogram_quantile({q}, sum by (le, {by}) "
            + growth(histogram + "_bucket", more) + ")")


def rate(counter, by, more=""):
    return f"sum by ({by}) " + growth(counter, more)


ALL_RAN = rate("troupe_job_all_running_seconds_total", "framework")
LOST = rate("troupe_job_lost_seconds_total", "framework")

# Rows of panels: title, unit, and queries with their legends.
ROWS = [
    ("State", [
        ("Replicas that are ready", "none", [
            ("sum(troupe_ready{[NS]})", "ready")]),
        ("Leaders", "none", [
            ("sum by (name) " + own("leader_election_master_status{[NS]}"),
             "{{name}}")]),
        ("API server is unavailable", "bool", [
            ("max(troupe_api_server_unavailable{[NS]})", "unavailable")]),
        ("Certificate of the webhooks ends in", "s", [
            ("min(troupe_webhook_certificate_expiry_timestamp_seconds{[NS]})"
             " - time()", "left")]),
    ]),
    ("Jobs", [
        ("Jobs by state", "none", [
            ("sum by (state) (troupe_jobs{[NS]})", "{{state}}")]),
        ("Jobs by framework", "none", [
            ("sum by (framework) (troupe_jobs{[NS]})", "{{framework}}")]),
        ("Jobs that began and ended, per second", "ops", [
            (rate(f"training_operator_jobs_{what}_total", "framework"),
             what + " {{framework}}")
            for what in ("created", "successful", "failed", "deleted")]),
        ("Pods that were replaced, per second", "ops", [
            (rate("training_operator_jobs_restarted_total", "framework"),
             "{{framework}}")]),
        ("Time from creation until all pods are created", "s", [
            (quantile(q, "troupe_job_pods_created_seconds", "framework"),
             f"{{{{framework}}}} p{int(100 * q)}") for q in (.5, .95)]),
        ("Time from creation to Running", "s", [
            (quantile(q, "troupe_job_running_seconds", "framework"),
             f"{{{{framework}}}} p{int(100 * q)}") for q in (.5, .95)]),
    ]),
    ("Recovery", [
        ("Restarts of jobs and replica types, by cause", "none", [
            ("sum by (framework, cause) "
             "(increase(troupe_job_restarts_total{[NS]}[RATE]))",
             "{{framework}} {{cause}}")]),
        ("Time from a failure until all replicas run again", "s", [
            (quantile(q, "troupe_job_recovery_seconds", "framework"),
             f"{{{{framework}}}} p{int(100 * q)}") for q in (.5, .95)]),
        ("Share of time in which all replicas ran", "percentunit", [
            (f"{ALL_RAN} / ({ALL_RAN} + {LOST})", "{{framework}}")]),
    ]),
    ("Reconciling", [
        ("Reconciles per second", "ops", [
            (rate("controller_runtime_reconcile_total", "controller, result"),
             "{{controller}} {{result}}")]),
        ("Length of a reconcile", "s", [
            (quantile(.99, "controller_runtime_reconcile_time_seconds",
                      "controller"), "{{controller}} p99")]),
        ("Jobs that wait for a reconcile", "none", [
            ("sum by (name) " + own("workqueue_depth{[NS]}"), "{{name}}")]),
        ("Decisions per second", "ops", [
            (rate("troupe_decisions_total", "action, resource"),
             "{{action}} {{resource}}")]),
        ("Orders without a result", "none", [
            ("sum(troupe_expectations{[NS]})", "orders")]),
        ("Age of the oldest of them", "s", [
            ("max(troupe_oldest_expectation_age_seconds{[NS]})", "age")]),
    ]),
    ("Calls to the API server", [
        ("Calls per second", "ops", [
            (rate("troupe_api_requests_total", "verb"), "{{verb}}")]),
        ("Calls that failed, per second", "ops", [
            (rate("troupe_api_requests_total", "code, resource",
                  ', code!="ok"'), "{{code}} {{resource}}")]),
        ("Responses per second", "ops", [
            (rate("rest_client_requests_total", "method, code"),
             "{{method}} {{code}}")]),
        ("Duration", "s", [
            (quantile(.99, "troupe_api_request_duration_seconds", "verb"),
             "{{verb}} p99")]),
        ("Time before a call is sent", "s", [
            (quantile(.99, "troupe_api_call_wait_seconds", "priority"),
             "{{priority}} p99")]),
        ("In flight, and at most", "none", [
            ("sum(troupe_api_calls_in_flight{[NS]})", "in flight"),
            ("sum(troupe_api_calls_window{[NS]})", "at most")]),
        ("Waiting", "none", [
            ("sum by (type) (troupe_api_calls_waiting{[NS]})", "{{type}}")]),
        ("Kubernetes Events per second", "ops", [
            (rate(f"troupe_events_{what}_total", "namespace"), what)
            for what in ("written", "dropped")]),
    ]),
    ("Watches", [
        ("Time since the last event or bookmark", "s", [
            ("max by (resource) (troupe_watch_lag_seconds{[NS]})",
             "{{resource}}")]),
        ("Watch events per second", "ops", [
            (rate("troupe_watch_events_total", "resource"),
             "{{resource}}")]),
        ("Watches that ended, per second", "ops", [
            (rate("troupe_watch_restarts_total", "resource, reason"),
             "{{resource}} {{reason}}")]),
        ("Complete lists per second", "ops", [
            (rate("troupe_relists_total", "resource"), "{{resource}}")]),
    ]),
    ("Webhooks", [
        ("Reviews per second", "ops", [
            (rate("controller_runtime_webhook_requests_total",
                  "webhook, code"), "{{webhook}} {{code}}")]),
        ("Duration", "s", [
            (quantile(.99, "controller_runtime_webhook_latency_seconds",
                      "webhook"), "{{webhook}} p99")]),
        ("In flight", "none", [
            ("sum by (webhook) "
             + own("controller_runtime_webhook_requests_in_flight{[NS]}"),
             "{{webhook}}")]),
    ]),
    ("Requests for replicas (di-server)", [
        ("Requests per second", "ops", [
            (rate("troupe_di_server_requests_total", "page, method, code"),
             "{{method}} {{page}} {{code}}")]),
        ("Duration", "s", [
            (quantile(.99, "troupe_di_server_request_duration_seconds",
                      "method"), "{{method}} p99")]),
    ]),
    ("Process", [
        ("Messages in mailboxes", "none", [
            ("sum by (actor) (troupe_actor_mailbox_messages{[NS]})",
             "{{actor}}")]),
        ("Actors that do not respond", "none", [
            ("sum(troupe_actors_unresponsive{[NS]})", "actors")]),
        ("Actors restarted, per second", "ops", [
            (rate("troupe_actor_restarts_total", "actor"), "{{actor}}")]),
        ("CPU", "percentunit", [
            (rate("process_cpu_seconds_total", "instance"),
             "{{instance}}")]),
        ("Resident memory", "bytes", [
            (own("process_resident_memory_bytes{[NS]}"), "{{instance}}")]),
        ("Open file descriptors", "none", [
            (own("process_open_fds{[NS]}"), "{{instance}}")]),
    ]),
]


def variable(name, kind, query, label, **more):
    return {"name": name, "type": kind, "query": query, "label": label, **more}


def panel(number, title, unit, queries, x, y, width):
    targets = [{"refId": chr(ord("A") + i), "datasource": SOURCE,
                "expr": query.replace("[NS]", NAMESPACES)
                .replace("[RATE]", f"[{RATE}]"), "legendFormat": legend}
               for i, (query, legend) in enumerate(queries)]
    return {"id": number, "type": "timeseries", "title": title,
            "datasource": SOURCE, "targets": targets,
            "gridPos": {"x": x, "y": y, "w": width, "h": 7},
            "fieldConfig": {"defaults": {"unit": unit, "min": 0},
                            "overrides": []},
            "options": {"legend": {"displayMode": "list",
                                   "placement": "bottom"},
                        "tooltip": {"mode": "multi", "sort": "desc"}}}


def panels():
    result, y = [], 0
    for title, row in ROWS:
        result.append({"id": len(result) + 1, "type": "row", "title": title,
                       "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}})
        y += 1
        across = 3 if len(row) % 3 == 0 else 4
        for i, (name, unit, queries) in enumerate(row):
            result.append(panel(len(result) + 1, name, unit, queries,
                                i % across * 24 // across,
                                y + i // across * 7, 24 // across))
        y += -(-len(row) // across) * 7
    return result


def dashboard():
    namespaces = "label_values(troupe_ready, namespace)"
    return {
        "uid": "training-operator", "title": "Training operator (Troupe)",
        "tags": ["kubeflow", "training-operator"], "schemaVersion": 37,
        "version": 1, "editable": True, "refresh": "30s",
        "time": {"from": "now-3h", "to": "now"}, "timezone": "browser",
        "templating": {"list": [
            variable("datasource", "datasource", "prometheus", "Data source"),
            variable("namespace", "query", namespaces,
                     "Namespace of the operator", datasource=SOURCE,
                     definition=namespaces, includeAll=True, allValue=".*",
                     multi=True, refresh=2,
                     current={"text": "All", "value": "$__all"})]},
        "panels": panels()}


def text():
    """JSON with a line for each panel."""
    whole = dict(dashboard(), panels=[])
    lines = ",\n  ".join(map(json.dumps, panels()))
    return json.dumps(whole, indent=1).replace(
        '"panels": []', f'"panels": [\n  {lines}\n ]') + "\n"


if __name__ == "__main__":
    if "--print" in sys.argv[1:]:
        sys.stdout.write(text())
    else:
        with open(os.path.join(FOLDER, "dashboard.json"), "w") as out:
            out.write(text())
