#!/usr/bin/python3
"""A hostile tenant, where the operator's webhooks are asked.

    test_with_webhooks.py [--troupe FILE] [--only PART]
"""

import sys

import attacks_on_jobs
from tenants import Tenants

from checks import main

if __name__ == "__main__":
    sys.exit(main(attacks_on_jobs.CASES,
                  lambda troupe, more: Tenants(troupe, more, True), __doc__))
