"""HTTP/1.1 messages as bytes: as much of it as a proxy needs."""

import collections

Request = collections.namedtuple("Request", "method path body data")
Answer = collections.namedtuple("Answer", "status head body")


class Closed(OSError):
    """The other side has closed the connection."""


def read_head(reader):
    """The first line, the header lines, and the headers by lower-case name."""
    lines, headers = [], {}
    while (line := reader.readline()) not in (b"\r\n", b"\n"):
        if not line.endswith(b"\n"):
            raise Closed("in a head")
        lines.append(line)
        name, colon, value = line.partition(b":")
        if colon:
            headers[name.decode().lower()] = value.decode().strip()
    return lines[0].decode(), lines[1:], headers


def read_exactly(reader, length):
    data = reader.read(length)
    if len(data) < length:
        raise Closed("in a body")
    return data


def read_request(reader):
    first, lines, headers = read_head(reader)
    method, path, _ = first.split(" ", 2)
    body = read_exactly(reader, int(headers.get("content-length", 0)))
    head = first.encode() + b"".join(lines) + b"\r\n"
    return Request(method, path, body, head + body)


def is_chunked(headers):
    return headers.get("transfer-encoding", "").lower() == "chunked"


def read_chunk(reader):
    """The bytes of a chunk; b"" at the end of the body."""
    length = int(reader.readline().split(b";")[0] or b"x", 16)
    data = read_exactly(reader, length)
    read_exactly(reader, 2)
    return data


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def read_chunks(reader):
    while data := read_chunk(reader):
        yield data


def read_answer(reader):
    """A whole answer; its head says the length, whatever the server's did."""
    first, lines, headers = read_head(reader)
    if is_chunked(headers):
        body = b"".join(read_chunks(reader))
    else:
        body = read_exactly(reader, int(headers.get("content-length", 0)))
    kept = [line for line in lines if line.split(b":")[0].lower() not in
            (b"transfer-encoding", b"content-length")]
    kept.append(b"Content-Length: %d\r\n" % len(body))
    head = first.encode() + b"".join(kept) + b"\r\n"
    return Answer(int(first.split()[1]), head, body)
