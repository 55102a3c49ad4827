"""Plans: which call of which life meets which fault; each has a number.

The calls come from the records: one line for what an undisturbed life certainly
does, as `PATCH tfjobs/status job 5`: at least five such writes. A list has the
verb LIST, and the name `*`, or that of the one object that it is of.

In a life of two faults the second meets another call of the records, or one of
the next calls after the first, whatever it is: those that are made only because
something went wrong are in no record.
"""

import collections
import os
import random
import sys

from jobs.kinds import DI, KINDS
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
# Of a call about jobs: a server that is starting does not know them yet.
NOT_FOUND = ("refused-404",)
# What becomes of a watch at one of its events.
WATCH_FAULTS = ("cut-before", "cut-inside", "frozen", "garbled", "expired",
                "repeated")  # and all before it about that object
# So that the operator notices in time what it can notice by time only.
ARGUMENTS = {"frozen": ["--watch-idle-limit", "1s"],
             "unanswered": ["--request-limit", "1s"]}

# How many calls a record has, where time says how often: an election, lists of a
# version that is not defined, and certificates that may be others'.
MOST = {("GET", "leases"): 4, ("PUT", "leases"): 4, (LIST, "dijobs"): 1,
        ("GET", "secrets"): 2}

Call = collections.namedtuple("Call", "verb resource name")
Plan = collections.namedtuple("Plan", "number life call ordinal fault")
# The `after`-th call after the first fault meets the `choice`-th of its faults.
Next = collections.namedtuple("Next", "after choice")
Pair = collections.namedtuple("Pair", "life first second")

JOBS = {kind.plural for kind in (*KINDS, DI)}
MOST_AFTER = 6  # calls


def describe_call(plan):
    return f"{' '.join(plan.call)} {plan.ordinal}, {plan.fault}"


def name(plan):
    """As `--plan` takes it."""
    if isinstance(plan, Plan):
        return str(plan.number)
    second = plan.second
    return f"{plan.first.number}+" + (
        str(second.number) if isinstance(second, Plan)
        else f"next{second.after}.{second.choice}")


def describe(plan):
    if isinstance(plan, Plan):
        text = describe_call(plan)
    else:
        second = plan.second
        text = f"{describe_call(plan.first)}; " + (
            describe_call(second) if isinstance(second, Plan)
            else f"call {second.after} after it, fault {second.choice}")
    return f"plan {name(plan)}: {plan.life}, {text}"


def faults_of(call):
    if call.verb == WATCH:
        return WATCH_FAULTS
    if call.verb in (GET, LIST):
        found = READ_FAULTS
    else:
        found = EVENT_FAULTS if call.resource == "events" else WRITE_FAULTS
    return found + (NOT_FOUND if call.resource.split("/")[0] in JOBS else ())


def parts(plan):
    if plan is None:
        return []
    return [plan] if isinstance(plan, Plan) else [plan.first, plan.second]


def faults_in(plan):
    """What may happen; of the calls after a fault, what needs arguments."""
    return [part.fault if isinstance(part, Plan) else "unanswered"
            for part in parts(plan)]


def arguments(plan):
    return [argument for fault in dict.fromkeys(faults_in(plan))
            for argument in ARGUMENTS.get(fault, [])]


class Due:
    """The faults of a plan that have not happened yet."""

    def __init__(self, plan):
        self.left, self.met = parts(plan), []
        self.to_pass = self.left[1].after if len(self.left) == 2 and \
            isinstance(self.left[1], Next) else 0

    def meets(self, call, ordinal):
        """The fault that this call meets, or None."""
        fault = self.next_fault(call, ordinal)
        if fault:
            self.met.append(fault)
        return fault

    def next_fault(self, call, ordinal):
        for part in self.left:
            if isinstance(part, Plan) and \
                    (call, ordinal) == (part.call, part.ordinal):
                self.left.remove(part)
                return part.fault
        if len(self.left) == 1 and isinstance(self.left[0], Next) and \
                call.verb != WATCH:
            self.to_pass -= 1
            if self.to_pass == 0:
                faults = faults_of(call)
                return faults[self.left.pop().choice % len(faults)]
        return None


# -- records ------------------------------------------------------------------

def record_path(life):
    return os.path.join(FOLDER, life + ".txt")


def read_record(life):
    """Call -> how often it is made at least."""
    try:
        with open(record_path(life)) as file:
            rows = [line.split() for line in file if line.strip()]
    except FileNotFoundError:
        raise SystemExit(
            f"{record_path(life)} is not there: the calls of this life are not "
            f"recorded; run tests/faults/run.py --record --life {life}"
        ) from None
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


# Not "jobs": some kinds have a Job of Kubernetes.
TRAINING_JOBS = "training jobs"
# Objects beside pods of which nothing but their content is known: the same calls
# are made for all of these.
PLAIN = "plain objects"
# A call about a job's queue, whatever it is: there are many, each is looked at
# again after a fault.
OF_QUEUES = ("workloads", "resourceflavors")
PLAIN_RESOURCES = {"configmaps", "rolebindings", "roles", "serviceaccounts"}


def sort_of(plan):
    """Its fault, and the call whatever the kind of the job, or of the plain
    object."""
    resource, _, sub = plan.call.resource.partition("/")
    if resource in OF_QUEUES or (resource in JOBS
                                 and plan.call.verb == "PUT"):
        return ("", OF_QUEUES[0], "", plan.fault)
    if resource in JOBS:
        resource = TRAINING_JOBS
    elif resource in PLAIN_RESOURCES:
        resource = PLAIN
    return (plan.call.verb, resource, sub, plan.fault)


def each_once(singles):
    """Of each sort one, of the lives in turn; always the same ones."""
    by_sort = collections.defaultdict(lambda: collections.defaultdict(list))
    for plan in singles:
        by_sort[sort_of(plan)][plan.life].append(plan)
    found, played = [], collections.Counter()
    # Those that only some lives have are not taken from others.
    for _, by_life in sorted(by_sort.items(),
                             key=lambda item: (len(item[1]), item[0])):
        life = min(by_life, key=lambda name: played[name])
        played[life] += 1
        found.append(by_life[life][len(found) % len(by_life[life])])
    return found


def pairs(singles, count, seed):
    """So many lives of two faults, the second of either sort."""
    chance = random.Random(seed)
    by_life = collections.defaultdict(list)
    for plan in singles:
        by_life[plan.life].append(plan)

    def second(first):
        if chance.random() < 0.5:
            return Next(chance.randint(1, MOST_AFTER), chance.randint(0, 99))
        found = chance.choice(by_life[first.life])
        same = (found.call, found.ordinal) == (first.call, first.ordinal)
        return second(first) if same else found

    firsts = (chance.choice(singles) for _ in range(count))
    return [Pair(first.life, first, second(first)) for first in firsts]


def named(text, singles):
    """The plan of this name."""
    first, _, second = text.partition("+")
    numbered = {plan.number: plan for plan in singles}
    one = numbered[int(first)]
    if not second:
        return one
    if second.startswith("next"):
        return Pair(one.life, one, Next(*map(int, second[4:].split("."))))
    return Pair(one.life, one, numbered[int(second)])
