#!/usr/bin/python3
"""Which plans a stage plays."""

import contextlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cluster"))

import plans  # noqa: E402
from checks import equal, run  # noqa: E402
from lives import LIVES  # noqa: E402

ALL = plans.all_plans()


def once(_):
    """each fault meets each sort of call once, the same plans each time"""
    found = plans.each_once(ALL)
    sorts = [plans.sort_of(plan) for plan in found]
    equal(len(sorts), len(set(sorts)), "sorts that are there once")
    equal(set(sorts), {plans.sort_of(plan) for plan in ALL}, "sorts")
    equal(plans.each_once(ALL), found, "the second choice")


def in_turn(_):
    """no life is left out, and the calls that all make are shared evenly"""
    found = plans.each_once(ALL)
    equal({plan.life for plan in found}, set(LIVES), "lives")
    of_all = [plan.life for plan in found
              if plans.sort_of(plan)[:3] == (
                  "PATCH", plans.TRAINING_JOBS, "status")]
    most = max(map(of_all.count, LIVES))
    equal(most <= 2, True, f"at most {most} of {len(of_all)} of one life")


def of_later_calls(_):
    """not only the first call of its sort in a life is met"""
    late = [plan for plan in plans.each_once(ALL) if plan.ordinal > 1]
    equal(len(late) > 50, True, f"{len(late)} later calls are many")


def unrecorded(_):
    """a life without a record says how to make one"""
    try:
        plans.read_record("NoSuchJob")
    except SystemExit as error:
        equal("tests/faults/run.py --record --life NoSuchJob" in str(error),
              True, f"the command in {error}")
    else:
        raise AssertionError("a life that is not recorded was read")


CASES = [once, in_turn, of_later_calls, unrecorded]

if __name__ == "__main__":
    sys.exit(run(CASES, contextlib.nullcontext, *sys.argv[1:2]))
