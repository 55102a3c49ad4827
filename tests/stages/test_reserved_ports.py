#!/usr/bin/python3
"""A port that tests/cluster/process.py hands out is nobody else's."""

import socket
import sys

import bare_machine  # noqa: F401, for the path of what follows

from checks import equal, run  # of ../cluster
from process import free_port  # of ../cluster


class Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def listening(address, port):
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((address, port))
    server.listen()
    return server


def not_given_again(_):
    """servers on any other address of this machine get other ports"""
    reserved = {free_port() for _ in range(200)}
    equal(len(reserved), 200, "ports")
    others = [listening(address, 0) for address in ("127.0.0.2", "0.0.0.0")
              for _ in range(200)]
    equal(reserved & {o.getsockname()[1] for o in others}, set(), "in common")
    for other in others:
        other.close()


def usable(_):
    """a server listens on it, on one address or on all, and once again"""
    for address in ("127.0.0.1", "0.0.0.0"):
        port = free_port()
        for _ in range(2):
            listening(address, port).close()


CASES = (not_given_again, usable)

if __name__ == "__main__":
    sys.exit(run(CASES, Nothing))
