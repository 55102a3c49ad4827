#!/usr/bin/python3
"""deploy/monitoring: a real Prometheus scrapes the operator while jobs run.

    test_monitoring.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]

Needs prometheus and promtool (Debian: prometheus).
"""

import itertools
import json
import math
import os
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import yaml

from checks import contains, equal, main
from cluster import REPOSITORY, wait_for
from needs import programs
from operators import alert_cases
from operators.operator_fixture import LIMIT, OperatorFixture, tfjob
from operators.shipped_objects import built
from process import Child, free_port

MONITORING = os.path.join(REPOSITORY, "deploy", "monitoring")
ALERTS = os.path.join(MONITORING, "alerts.yaml")
PAGE = os.path.join(REPOSITORY, "docs", "metrics.md")
METRIC = re.compile(r"\b(?:troupe|controller_runtime|leader_election)_\w+")


def read(folder, name):
    with open(os.path.join(folder, name)) as file:
        return file.read()


def alerts():
    groups = yaml.safe_load(read(MONITORING, "alerts.yaml"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard_queries():
    """(title of the panel, query) with values for Grafana's variables."""
    return [(panel["title"],
             target["expr"].replace("$namespace", ".*")
             .replace("$__rate_interval", "1m"))
            for panel in json.loads(read(MONITORING, "dashboard.json"))[
                "panels"] for target in panel.get("targets", ())]


class Monitored(OperatorFixture):
    """Prometheus scrapes the operator each second, with the alerts loaded."""

    def __init__(self, troupe, more):
        programs("prometheus", "promtool")
        webhooks = free_port()
        super().__init__(troupe, [
            "--webhook-server-port", str(webhooks), "--webhook-url",
            f"https://127.0.0.1:{webhooks}", *more],
            lambda cluster: cluster.kubectl("create", "namespace", "kubeflow"))
        self.numbers = itertools.count(1)
        self.port = free_port()
        config = self.cluster.path("prometheus.yaml")
        self.prometheus = Child(
            ["prometheus", "--config.file", config, "--storage.tsdb.path",
             self.cluster.path("prometheus"), "--web.listen-address",
             f"127.0.0.1:{self.port}"], self.cluster.path("prometheus.log"))
        with open(config, "w") as out:
            json.dump({
                "global": {"scrape_interval": "1s",
                           "evaluation_interval": "1s"},
                "rule_files": [ALERTS],
                "scrape_configs": [{"job_name": "operator", "static_configs": [
                    {"targets": [f"127.0.0.1:{self.operator.metrics_port}"]}
                ]}]}, out)

    def __enter__(self):
        super().__enter__()
        self.prometheus.start()
        return self

    def __exit__(self, *args):
        self.prometheus.stop()
        super().__exit__(*args)

    def report(self):
        return (super().report() + "\n-- Prometheus' last lines:\n"
                + self.prometheus.tail())

    def ask(self, path, **parameters):
        """Prometheus' answer, or None: it does not listen yet."""
        url = (f"http://127.0.0.1:{self.port}/api/v1/{path}?"
               + urllib.parse.urlencode(parameters))
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as refusal:
            raise AssertionError(refusal.read().decode())
        except OSError:
            return None

    def values(self, query):
        answer = self.ask("query", query=query)
        return [float(s["value"][1]) for s in answer["result"]] if answer \
            else []

    def run_jobs(self):
        """One job succeeds and is removed, one fails after a restart, and one is
        restarted as a whole."""
        number = next(self.numbers)
        good, bad, again = (f"{what}-{number}"
                            for what in ("good", "bad", "again"))
        self.apply(tfjob(good, workers=1, ttlSecondsAfterFinished=0))
        job = tfjob(bad, workers=1)
        job["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"] = "ExitCode"
        self.apply(job)
        self.apply(tfjob(again, workers=1,
                         failurePolicy={"restartScope": "Job"}))
        for name in (good, bad, again):
            self.await_replicas(name, [f"{name}-worker-0"])
            self.run_all(name)
            self.await_condition(name, "Running")

        def pod_uids(name):
            return [pod["metadata"]["uid"]
                    for pod in self.owned("pods", name).values()]

        for name in (bad, again):
            uids = pod_uids(name)
            self.set_phase(f"{name}-worker-0", "Failed", 137)
            wait_for("another pod",
                     lambda: pod_uids(name) not in ([], uids), LIMIT)
        self.run_all(again)
        self.await_condition(again, "Running")
        self.set_phase(f"{again}-worker-0", "Succeeded")
        self.set_phase(f"{bad}-worker-0", "Failed", 1)
        self.await_condition(bad, "Failed")
        self.set_phase(f"{good}-worker-0", "Succeeded")
        wait_for("the job to be removed", lambda: not self.client.get(
            "/apis/kubeflow.org/v1/namespaces/default/tfjobs?fieldSelector="
            f"metadata.name%3D{good}")["items"], LIMIT)


# -- files --------------------------------------------------------------------

def rules_are_valid(fixture):
    """promtool accepts the alerts, and each fires when it should, and then only"""
    path = fixture.cluster.path("alert_cases.yaml")
    with open(path, "w") as out:
        out.write(alert_cases.test_file(ALERTS))
    for command in (["check", "rules", ALERTS], ["test", "rules", path]):
        done = subprocess.run(["promtool", *command], text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        equal(done.returncode, 0, done.stdout)
    outcomes = {(case[0], fires) for case in alert_cases.CASES
                for fires in case[3].values()}
    equal(sorted(outcomes), sorted((rule["alert"], fires) for rule in alerts()
                                   for fires in (0, 1)))


def rules_say_what_to_do(_):
    """each alert has a severity, a summary and a description"""
    for rule in alerts():
        equal(rule["labels"]["severity"] in ("critical", "warning"), True,
              rule["alert"])
        equal(sorted(rule["annotations"]), ["description", "summary"])


def files_are_current(fixture):
    """what is generated is current, and kubectl finds all of it"""
    for script, file in (("generate_prometheus_rule.py",
                          "prometheus_rule.yaml"),
                         ("generate_dashboard.py", "dashboard.json")):
        printed = subprocess.run(
            [sys.executable, os.path.join(MONITORING, script), "--print"],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        equal(printed == read(MONITORING, file), True, f"{file} is current")
    objects = built(fixture.cluster, "monitoring")
    rule = objects["PrometheusRule", "training-operator"]
    equal(rule["spec"]["groups"][0]["rules"], alerts())
    shown = objects["ConfigMap", "training-operator-dashboard"]
    equal(shown["metadata"]["labels"], {"grafana_dashboard": "1"})
    equal(json.loads(shown["data"]["training-operator.json"]),
          json.loads(read(MONITORING, "dashboard.json")))


# -- a running Prometheus -----------------------------------------------------

def list_replicas(fixture):
    with urllib.request.urlopen(
            f"http://127.0.0.1:{fixture.operator.di_server}"
            "/v1alpha1/replicas?namespace=default", timeout=10) as answer:
        answer.read()


def dashboard_has_data(fixture):
    """every query of the dashboard returns numbers while jobs run"""
    lacking = dashboard_queries()

    def all_have_data():
        fixture.run_jobs()
        list_replicas(fixture)
        lacking[:] = [(title, query) for title, query in lacking
                      if all(map(math.isnan, fixture.values(query)))]
        return not lacking

    try:
        wait_for("data", all_have_data, 2 * LIMIT)
    except TimeoutError:
        raise AssertionError("no data:\n" + "\n".join(map(str, lacking)))


def alerts_have_data(fixture):
    """the metrics of every alert exist, and none fires"""
    for name in {n for rule in alerts() for n in METRIC.findall(rule["expr"])}:
        equal(fixture.values(f"count({name}) > bool 0"), [1.0], name)
    groups = fixture.ask("rules", type="alert")["groups"]
    loaded = {rule["name"]: rule for g in groups for rule in g["rules"]}
    equal(sorted(loaded), sorted(rule["alert"] for rule in alerts()))
    for name, rule in loaded.items():
        equal(rule["health"], "ok", name + " " + rule.get("lastError", ""))
        equal(rule["state"] == "firing", False, f"{name} fires")


def page_is_complete(fixture):
    """docs/metrics.md lists what the operator exposes, and nothing else"""
    text = fixture.operator.page(fixture.operator.metrics_port, "/metrics")
    exposed = re.findall(r"^# TYPE (\w+ \w+)$", text, re.M)
    listed = [f"{name} {kind}" for name, kind in re.findall(
        r"^\| `(\w+)` \| (\w+) \|", read(os.path.dirname(PAGE), "metrics.md"),
        re.M)]
    equal(sorted(exposed), sorted(listed))


def ready_is_told(fixture):
    """the gauge of readiness says what /readyz says"""
    text = fixture.operator.page(fixture.operator.metrics_port, "/metrics")
    equal(fixture.operator.ready(), True)
    contains(text, "\ntroupe_ready 1\n")


CASES = [rules_are_valid, rules_say_what_to_do, files_are_current,
         dashboard_has_data, alerts_have_data, page_is_complete,
         ready_is_told]

if __name__ == "__main__":
    sys.exit(main(CASES, Monitored, __doc__))
