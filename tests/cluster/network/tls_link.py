"""A TLS connection of which one thread reads while another writes.

Python's own may end the program with a segmentation fault then: OpenSSL wants
one thread at a time.
"""

import select
import ssl
import threading


class TlsLink:
    def __init__(self, connection):
        """`connection`: a connected ssl.SSLSocket; from now on used by nobody
        else."""
        self.connection = connection
        self.lock = threading.Lock()
        connection.setblocking(False)

    def recv(self, size):
        """Some bytes, b"" at the end."""
        return self.repeat(lambda: self.connection.recv(size))

    def read(self, size):
        """So many bytes, fewer at the end."""
        data = b""
        while len(data) < size and (piece := self.recv(size - len(data))):
            data += piece
        return data

    def sendall(self, data):
        left = memoryview(data)
        while left:
            left = left[self.repeat(lambda: self.connection.send(left)):]

    def shutdown(self, how):
        with self.lock:
            self.connection.shutdown(how)

    def repeat(self, call):
        """Its result, when the connection was ready for it."""
        while True:
            with self.lock:
                try:
                    return call()
                except (ssl.SSLWantReadError, BlockingIOError):
                    awaited = select.POLLIN
                except ssl.SSLWantWriteError:
                    awaited = select.POLLOUT
            ready = select.poll()
            ready.register(self.connection, awaited)
            ready.poll()
