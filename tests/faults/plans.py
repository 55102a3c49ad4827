"""Plans: which call of which life meets which fault; each has a number.

The calls come from the records: one line for what an undisturbed life certainly
does, as `PUT tfjobs/status job 5`: at least five such writes. A list has the
verb LIST, and the name `*`, or that of the one object that it is of.
"""

import collections
import os
import sys

from lives import LIVES

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "records")
WATCH, GET, LIST = "WATCH", "GET", "LIST"
ALL = "*"  # objects of a list

# What becomes of a write.
WRITE_FAULTS = (
    "refused-500", "refused-429", "refused-409", "refused-403",
    "dropped-before", "dropped-after",  # it has reached the server
    "slow", "unanswered", "garbled",
    "killed-before", "killed-after",
    "killed-late",  # reaches the server when the next process is at work
    "outage")
# What becomes of a read.
READ_FAULTS = (
    "refused-500", "refused-429", "refused-403", "dropped-before",
    "cut-inside", "slow", "unanswered", "garbled",
    "killed-before", "killed-after", "outage")
EVENT_FAULTS = ("refused-500", "dropped-after", "garbled", "killed-before")
# What becomes of a watch at one of its events.
WATCH_FAULTS = ("cut-before", "cut-inside", "frozen", "garbled", "expired",
                "repeated")  # and all before it about that object
# So that the operator notices in time what it can notice by time only.
ARGUMENTS = {"frozen": ["--watch-idle-limit", "1s"],
             "unanswered": ["--request-limit", "1s"]}

# How many calls a record has, where time says how often: an election, and lists
# of a version that is not defined.
MOST = {("GET", "leases"): 4, ("PUT", "leases"): 4, (LIST, "dijobs"): 1}

Call = collections.namedtuple("Call", "verb resource name")
Plan = collections.namedtuple("Plan", "number life call ordinal fault")


def describe(plan):
    return (f"plan {plan.number}: {plan.life}, {' '.join(plan.call)} "
            f"{plan.ordinal}, {plan.fault}")


def faults_of(call):
    if call.verb == WATCH:
        return WATCH_FAULTS
    if call.verb in (GET, LIST):
        return READ_FAULTS
    return EVENT_FAULTS if call.resource == "events" else WRITE_FAULTS


def arguments(plan):
    return ARGUMENTS.get(plan.fault, []) if plan else []


# -- records ------------------------------------------------------------------

def record_path(life):
    return os.path.join(FOLDER, life + ".txt")


def read_record(life):
    """Call -> how often it is made at least."""
    with open(record_path(life)) as file:
        rows = [line.split() for line in file if line.strip()]
    return {Call(*row[:3]): int(row[3]) for row in rows}


def write_record(life, records):
    """Only what all of `records` have."""
    common = {call: min(MOST.get((call.verb, call.resource), sys.maxsize),
                        *(record[call] for record in records))
              for call in records[0] if all(call in r for r in records)}
    with open(record_path(life), "w") as file:
        for call in sorted(common):
            file.write(" ".join((*call, str(common[call]))) + "\n")


def all_plans():
    return [Plan(number, *rest) for number, rest in enumerate(
        ((life, call, ordinal, fault)
         for life in LIVES
         for call, most in read_record(life).items()
         for ordinal in range(1, most + 1)
         for fault in faults_of(call)), 1)]
