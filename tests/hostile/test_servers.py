#!/usr/bin/python3
"""A hostile client of the operator's servers: webhooks, metrics, probes, admin
page, di-server.

    test_servers.py [--troupe FILE] [--only PART]
"""

import sys

import attacks_on_di_server
import attacks_on_servers
from tenants import Tenants

from checks import main

if __name__ == "__main__":
    sys.exit(main([*attacks_on_servers.CASES, *attacks_on_di_server.CASES],
                  lambda troupe, more: Tenants(troupe, more, True), __doc__))
