#!/usr/bin/python3
"""Jobs with a policy on failures, and nodes that report no more, beside real
controllers and with the account of deploy/rbac.

    test_recovery.py [--troupe FILE] [--only PART] [-- OPERATOR ARGUMENTS]
"""

import queue
import sys

from components import Components

import launchers
import lost_nodes
import recovery
from checks import equal, main
from jobs.namespace import serial
from operators import shipped_objects
from process import free_port

# A kubelet renews every 2 s; a machine that is busy must not lose others.
NODE_GRACE = "20s"


class Recovering(Components):
    NAMESPACE, ACCOUNT = shipped_objects.NAMESPACE, shipped_objects.ACCOUNT

    def __init__(self, troupe, more):
        port = free_port()
        super().__init__(troupe, [
            "--webhook-url", f"https://127.0.0.1:{port}",
            "--webhook-server-port", str(port),
            "--lost-node-period", "2s", *more], node_grace=NODE_GRACE)
        self.own_kubelets = queue.SimpleQueue()

    def make_account(self, cluster):
        shipped_objects.install_account(cluster)
        shipped_objects.install_webhooks(cluster)

    def prepare_cluster(self, cluster):
        super().prepare_cluster(cluster)
        for i in range(lost_nodes.OWN_KUBELETS):
            name = f"own-{i}"
            self.own_kubelets.put(
                (name, cluster.controllers.start_kubelet(name)))


@serial
def allowed(fixture):
    """no call of it was forbidden"""
    equal(fixture.audit.forbidden(), set())


CASES = [*lost_nodes.CASES, *launchers.CASES, *recovery.CASES,
         *recovery.SERIAL, allowed]

if __name__ == "__main__":
    sys.exit(main(CASES, Recovering, __doc__, at_once=12))
