"""Series with which each alert fires, and series with which it does not.

A value is what promtool reads: `0+3x40` is 0, 3, 6 ... forty times; one each
minute.
"""

import json


def buckets(name, fast, slow, labels, is_slow):
    """A histogram that grows each minute in its fast or in its slow bucket."""
    def series(le, growth):
        return f'{name}_bucket{{{labels},le="{le}"}}', f"0+{growth}x40"
    return dict([series(fast, 0 if is_slow else 9), series(slow, 9),
                 series("+Inf", 9)])


def leaders(first, second):
    return {'leader_election_master_status{name="lease",pod="a"}': first,
            'leader_election_master_status{name="lease",pod="b"}': second}


def calls(code):
    return f'troupe_api_requests_total{{verb="create",code="{code}"}}'


def durations(slow):
    return buckets("troupe_api_request_duration_seconds", "0.1", "10",
                   'verb="get"', slow)


def waits(priority, slow):
    return buckets("troupe_api_call_wait_seconds", "0.1", "60",
                   f'priority="{priority}"', slow)


def startups(slow):
    return buckets("troupe_job_pods_created_seconds", "1", "300",
                   'framework="jax"', slow)


def recoveries(slow):
    return buckets("troupe_job_recovery_seconds", "60", "3600",
                   'framework="jax"', slow)


def restarts_of_jobs(cause, counts):
    """Of two jobs that run."""
    return {f'troupe_job_restarts_total{{framework="jax",cause="{cause}"}}':
            counts, 'troupe_jobs{framework="jax",state="Running"}': "2x90"}


def all_ran(share):
    """This share, in percent, of 60 seconds each minute."""
    return {'troupe_job_all_running_seconds_total{framework="jax"}':
            f"0+{60 * share / 100:g}x90",
            'troupe_job_lost_seconds_total{framework="jax"}':
            f"0+{60 - 60 * share / 100:g}x90"}


ERRORS = "controller_runtime_reconcile_errors_total"
REVIEWS = 'controller_runtime_webhook_requests_total{code="%s"}'
RESTARTS = 'troupe_actor_restarts_total{actor="watcher"}'
AGE = "troupe_oldest_expectation_age_seconds"
RELEASE = "troupe_kueue_oldest_release_seconds"
LAG = "troupe_watch_lag_seconds"
AWAY = "troupe_api_server_unavailable"
SILENT = "troupe_actors_unresponsive"
EXPIRY = "troupe_webhook_certificate_expiry_timestamp_seconds"

# Alert, what happens, series, and in which minute it fires (1) or not (0).
CASES = [
    ("TroupeAbsent", "nothing is scraped", {}, {4: 0, 6: 1}),
    ("TroupeAbsent", "a replica is scraped, ready or not",
     {"troupe_ready": "0x20"}, {10: 0}),
    ("TroupeNotReady", "one of two replicas is not ready",
     {'troupe_ready{pod="a"}': "1x20", 'troupe_ready{pod="b"}': "0x20"},
     {4: 0, 6: 1}),
    ("TroupeNotReady", "a replica starts", {"troupe_ready": "0x3 1x20"},
     {6: 0, 12: 0}),
    ("TroupeNoLeader", "all replicas are standbys", leaders("0x20", "0x20"),
     {1: 0, 3: 1}),
    ("TroupeNoLeader", "one replica leads", leaders("1x20", "0x20"), {10: 0}),
    ("TroupeSeveralLeaders", "two replicas lead", leaders("1x20", "1x20"),
     {1: 0, 3: 1}),
    ("TroupeSeveralLeaders", "another replica takes over",
     leaders("1x4 0x20", "0x3 1x20"), {4: 0, 10: 0}),
    ("TroupeReconcileErrors", "three orders fail in each minute",
     {ERRORS: "0+3x40"}, {20: 1}),
    ("TroupeReconcileErrors", "an order failed a few times",
     {ERRORS: "0x5 1 3 5x40"}, {12: 0, 20: 0}),
    ("TroupeWatchBehind", "a watch delivers nothing", {LAG: "0+60x40"},
     {9: 0, 12: 1}),
    ("TroupeWatchBehind", "a watch delivers bookmarks",
     {LAG: "10 40 70 10 40 70 10 40 70 10 40 70"}, {11: 0}),
    ("TroupeServerUnavailable", "the API server is away", {AWAY: "0 1x20"},
     {5: 0, 7: 1}),
    ("TroupeServerUnavailable", "the API server is restarted",
     {AWAY: "0 1 1 0x20"}, {7: 0}),
    ("TroupeCallsRefused", "a call is forbidden in each minute",
     {calls("forbidden"): "0+1x40"}, {20: 1}),
    ("TroupeCallsRefused", "calls succeed, or find nothing",
     {calls("ok"): "0+9x40", calls("not_found"): "0+9x40"}, {20: 0}),
    ("TroupeCallsSlow", "calls take ten seconds", durations(True), {25: 1}),
    ("TroupeCallsSlow", "calls take milliseconds", durations(False), {25: 0}),
    ("TroupeCallsWait", "calls wait for a minute", waits("normal", True),
     {25: 1}),
    ("TroupeCallsWait", "calls do not wait", waits("normal", False), {25: 0}),
    ("TroupeCallsWait", "events wait for a minute", waits("event", True),
     {25: 0}),
    ("TroupeOrderOverdue", "an order gets no response", {AGE: "0+60x40"},
     {14: 0, 17: 1}),
    ("TroupeOrderOverdue", "orders get responses", {AGE: "0 20 1 0 60x30"},
     {20: 0}),
    ("TroupeActorsRestart", "an actor is restarted", {RESTARTS: "0x5 1x40"},
     {5: 0, 7: 1, 30: 0}),
    ("TroupeActorsRestart", "an actor was restarted long ago",
     {RESTARTS: "1x40"}, {5: 0, 20: 0}),
    ("TroupeActorsUnresponsive", "an actor hangs", {SILENT: "0 1x20"},
     {5: 0, 7: 1}),
    ("TroupeActorsUnresponsive", "an actor is late for one scrape",
     {SILENT: "0 0 1 0x20"}, {10: 0}),
    ("TroupeCertificateExpires", "it ends in ten days", {EXPIRY: "864000x90"},
     {59: 0, 62: 1}),
    ("TroupeCertificateExpires", "it ends in a year", {EXPIRY: "31536000x90"},
     {80: 0}),
    ("TroupeWebhookErrors", "a review cannot be read",
     {REVIEWS % 400: "0x5 1x40"}, {7: 1}),
    ("TroupeWebhookErrors", "reviews are answered",
     {REVIEWS % 200: "0+9x40", REVIEWS % 500: "0x40"}, {20: 0}),
    ("TroupeJobsStartSlowly", "jobs wait minutes for their pods",
     startups(True), {30: 1}),
    ("TroupeJobsStartSlowly", "jobs have their pods at once", startups(False),
     {30: 0}),
    ("TroupeJobsRestartOften", "two jobs are restarted every ten minutes",
     restarts_of_jobs("failed", "0+0.2x90"), {80: 1}),
    ("TroupeJobsRestartOften", "two jobs are restarted once an hour",
     restarts_of_jobs("failed", "0x30 2x60"), {80: 0}),
    ("TroupeJobsRestartOften", "their nodes are drained",
     restarts_of_jobs("disrupted", "0+0.2x90"), {80: 0}),
    ("TroupeNodesLoseJobs", "a node is lost every ten minutes",
     restarts_of_jobs("node_lost", "0+0.1x90"), {80: 1}),
    ("TroupeNodesLoseJobs", "a node is lost", restarts_of_jobs(
        "node_lost", "0x20 1x70"), {80: 0}),
    ("TroupeRecoverySlow", "recoveries take an hour", recoveries(True),
     {30: 1}),
    ("TroupeRecoverySlow", "recoveries take a minute", recoveries(False),
     {30: 0}),
    ("TroupeGoodputLow", "all replicas run half of the time", all_ran(50),
     {20: 0, 60: 1}),
    ("TroupeGoodputLow", "all replicas run nearly always", all_ran(99),
     {60: 0}),
    ("TroupeGoodputLow", "a replica of each job is missing", all_ran(0), {60: 1}),
    ("TroupeQuotaHeldByEndingPods", "a pod of an evicted job does not end",
     {RELEASE: "0+60x40"}, {9: 0, 15: 1}),
    ("TroupeQuotaHeldByEndingPods", "pods end within five minutes",
     {RELEASE: "0 60 120 180 240 300 0 0 60 120 0x30"}, {5: 0, 20: 0}),
]


def test_file(rules):
    """The text of a file for promtool; `rules` is the path of the alerts."""
    def check(alert, minute, fires):
        return {"expr": f'count(ALERTS{{alertname="{alert}",'
                        'alertstate="firing"}) or vector(0)',
                "eval_time": f"{minute}m",
                "exp_samples": [{"labels": "{}", "value": fires}]}

    return json.dumps({
        "rule_files": [rules], "evaluation_interval": "1m",
        "tests": [{"name": f"{alert}: {what}", "interval": "1m",
                   "input_series": [{"series": name, "values": values}
                                    for name, values in series.items()],
                   "promql_expr_test": [check(alert, minute, fires)
                                        for minute, fires in when.items()]}
                  for alert, what, series, when in CASES]})
