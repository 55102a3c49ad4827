"""Just enough of protobuf to find names in what passes."""

MAGIC = b"k8s\0"  # Before every object.


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, at, shift = value | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    """number -> the first value of each length-delimited field."""
    found, at = {}, 0
    while at < len(data):
        tag, at = varint(data, at)
        size, after = {0: lambda: (0, varint(data, at)[1]),
                       1: lambda: (8, at), 2: lambda: varint(data, at),
                       5: lambda: (4, at)}[tag & 7]()
        if tag & 7 == 2:
            found.setdefault(tag >> 3, data[after:after + size])
        at = after + size
    return found


def field(number, data):
    length, size = b"", len(data)
    while size > 127:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data
