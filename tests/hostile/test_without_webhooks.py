#!/usr/bin/python3
"""A hostile tenant, where nobody is asked what may be stored.

    test_without_webhooks.py [--troupe FILE] [--only PART]
"""

import sys

import attacks_on_jobs
from tenants import Tenants

from checks import main

if __name__ == "__main__":
    sys.exit(main(attacks_on_jobs.CASES,
                  lambda troupe, more: Tenants(troupe, more, False), __doc__))
