#!/usr/bin/python3
"""Writes prometheus_rule.yaml: alerts.yaml as the Prometheus operator wants it.

    generate_prometheus_rule.py          writes the file
    generate_prometheus_rule.py --print  prints it
"""

import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEAD = """\
# Made of alerts.yaml by generate_prometheus_rule.py.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: training-operator
spec:
"""


def rule():
    with open(os.path.join(FOLDER, "alerts.yaml")) as file:
        lines = [line for line in file if not line.startswith("#")]
    return HEAD + "".join("  " + line if line.strip() else line
                          for line in lines)


if __name__ == "__main__":
    if "--print" in sys.argv[1:]:
        sys.stdout.write(rule())
    else:
        with open(os.path.join(FOLDER, "prometheus_rule.yaml"), "w") as file:
            file.write(rule())
