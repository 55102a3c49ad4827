"""The events of a watch, as the API server frames them: JSON or protobuf."""

import json
import struct

from protobuf import field, fields


class Frames:
    """Splits a body, as it comes, into frames; each keeps its framing."""

    def __init__(self, content_type):
        self.protobuf = "protobuf" in content_type
        self.rest = b""

    def feed(self, data):
        self.rest += data
        while length := self.first_length():
            frame, self.rest = self.rest[:length], self.rest[length:]
            yield frame

    def first_length(self):
        """Of the first frame; 0 if it is not complete."""
        if not self.protobuf:
            return self.rest.find(b"\n") + 1
        if len(self.rest) < 4:
            return 0
        length = 4 + struct.unpack(">I", self.rest[:4])[0]
        return length if len(self.rest) >= length else 0

    def name(self, frame):
        """`ADDED:pod-0`; "" for what is about no object."""
        kind, name = (self.protobuf_name(frame[4:]) if self.protobuf
                      else self.json_name(frame))
        return f"{kind}:{name}" if kind in ("ADDED", "MODIFIED", "DELETED") \
            else ""

    @staticmethod
    def json_name(frame):
        event = json.loads(frame)
        return event["type"], event["object"]["metadata"].get("name", "")

    @staticmethod
    def protobuf_name(frame):
        """WatchEvent: type 1, object 2: RawExtension: raw 1: `k8s\\0` and
        Unknown: raw 2: an object: metadata 1: name 1."""
        event = fields(frame)
        unknown = fields(fields(event[2])[1][4:])
        metadata = fields(fields(unknown[2]).get(1, b""))
        return event[1].decode(), metadata.get(1, b"").decode()

    def expired(self):
        """The event of a version that the server does not have any more."""
        status = {"kind": "Status", "apiVersion": "v1", "metadata": {},
                  "status": "Failure", "message": "too old resource version",
                  "reason": "Expired", "code": 410}
        if not self.protobuf:
            return json.dumps({"type": "ERROR", "object": status}).encode() \
                + b"\n"
        body = field(2, b"Failure") + field(3, status["message"].encode()) \
            + field(4, b"Expired") + b"\x30\x9a\x03"
        unknown = field(1, field(1, b"v1") + field(2, b"Status")) \
            + field(2, body)
        event = field(1, b"ERROR") + field(2, field(1, b"k8s\0" + unknown))
        return struct.pack(">I", len(event)) + event

    def garbled(self, frame):
        """A frame of the same length whose content is none."""
        if self.protobuf:
            return frame[:4] + b"\xff" * (len(frame) - 4)
        return b"{" * (len(frame) - 1) + b"\n"
