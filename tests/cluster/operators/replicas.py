"""Several replicas of the operator, of which one at a time is killed."""

import random
import threading

from operators.shipped import Operator

PAUSE = (4, 8)  # seconds between two kills
GONE = (0.2, 3)  # seconds for which a killed one stays away


class Replicas:
    """In the place of an Operator; `operators` elect a leader.

    From the start to the stop one of them, at random, is killed again and again
    and started again. One that serves webhooks is taken out of their `service`
    before.
    """

    def __init__(self, operators, seed, service=None):
        self.operators, self.random = operators, random.Random(seed)
        self.service = service
        self.child, self.kills = self, 0
        self.ready, self.stopping = threading.Event(), threading.Event()
        # The kernel kills what a thread has started when that thread ends.
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.failure = None

    @classmethod
    def of(cls, count, seed, kubeconfig, log, troupe, more=()):
        return cls([Operator(kubeconfig, log, troupe,
                             ["--leader-elect", *more])
                    for _ in range(count)], seed)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.thread.start()
        self.ready.wait()
        if self.failure:
            raise self.failure

    def stop(self):
        self.stopping.set()
        self.thread.join()
        if self.failure:
            raise self.failure

    def run(self):
        try:
            for operator in self.operators:
                operator.start()
            self.ready.set()
            while not self.stopping.wait(self.random.uniform(*PAUSE)):
                self.kill_one()
        except Exception as failure:
            self.failure = failure
        finally:
            self.ready.set()
            for operator in self.operators:
                operator.child.stop()

    def kill_one(self):
        victim = self.random.choice(self.operators)
        for operator in self.operators:
            if not operator.child.running():
                raise RuntimeError("a replica has ended by itself:\n"
                                   + operator.child.tail())
        if self.service:
            self.service.take_out(victim)
        victim.kill()
        self.kills += 1
        self.stopping.wait(self.random.uniform(*GONE))
        victim.start()
        if self.service:
            self.service.put_back(victim)

    @property
    def log(self):
        return self.operators[0].child.log

    def running(self):
        return self.failure is None

    def tail(self, lines=30):
        return self.operators[0].child.tail(lines)
