#!/usr/bin/python3
"""Fails on an include that goes against the direction of the layers.

Linking is no fence here: the headers of the libraries lie system-wide. Rules
are read from the top, the first whose pattern fits the file decides.
"""

import fnmatch
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("k8s", "frameworks", "config", "actors")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# What is no client and no server: values and pure functions.
VALUES = ["k8s/deep_json.hpp", "k8s/json.hpp", "k8s/objects.hpp", "k8s/result.hpp", "k8s/text.hpp"]

# What each part may include of the project: patterns of paths.
LAYERS = [
    ("k8s/rest/*", ["k8s/*", "!k8s/*/*", "k8s/rest/*"]),
    ("k8s/http/*", ["k8s/*", "!k8s/*/*", "k8s/http/*"]),
    ("k8s/apiserver/*", ["k8s/*", "!k8s/*/*", "k8s/http/*",
                         "k8s/apiserver/*"]),
    ("k8s/node/*", ["k8s/*", "!k8s/*/*", "k8s/node/*"]),
    ("k8s/*", ["k8s/*", "!k8s/*/*"]),
    ("frameworks/core/*", ["frameworks/core/*", *VALUES]),
    ("frameworks/*", ["frameworks/*", *VALUES]),
    ("config/*", ["config/*", "k8s/files.hpp", "k8s/json.hpp",
                  "k8s/result.hpp", "k8s/text.hpp"]),
    ("actors/main.cpp", ["actors/cli/*", "actors/heap.hpp"]),
    ("actors/cli/*", ["*"]),
    # Settings are handed down as plain values; only the log is everywhere.
    ("actors/operator_process.*", ["*", "!k8s/apiserver/*", "!k8s/node/*",
                                  "!actors/cli/*"]),
    ("actors/*", ["*", "!k8s/apiserver/*", "!k8s/node/*", "!k8s/rest/*",
                  "!actors/cli/*", "!config/*",
                  "config/logging.hpp"]),
]

# Which files may include a library's headers, and nobody else.
LIBRARIES = [
    ("caf/*", ["actors/*", "!actors/cli/*", "!actors/main.cpp"]),
    ("cpprest/*", ["k8s/rest/web_document.cpp"]),
    ("pplx/*", ["k8s/rest/web_document.cpp"]),
    ("spdlog/*", ["config/logging.cpp"]),
    ("fmt/*", ["config/logging.cpp"]),
    ("prometheus/*", ["actors/*metrics.*"]),
    ("CLI/*", ["config/flags.cpp", "actors/cli/*", "actors/main.cpp"]),
    ("yaml-cpp/*", ["config/settings_file.cpp", "k8s/rest/kubeconfig*",
                    "k8s/yaml.*"]),
    ("boost/beast/*", ["k8s/http/*", "k8s/rest/call_connections.cpp",
                      "k8s/rest/forwarded_call.cpp",
                      "k8s/rest/watch_connection.cpp",
                      "k8s/rest/byte_stream.hpp"]),
    ("boost/asio/*", ["k8s/*", "actors/cli/*"]),
    ("simdjson.h", ["k8s/*"]),
]

# The core decides; it has no clock, log, thread, actor, socket or chance, and
# its answers must not hang on the order of a hash table.
IMPURE = ["thread", "mutex", "shared_mutex", "condition_variable", "future",
          "atomic", "random", "iostream", "fstream", "cstdio", "ctime",
          "filesystem", "unordered_map", "unordered_set", "unistd.h",
          "sys/*", "boost/*", "!boost/smart_ptr/*", "time.h"]
IMPURE_CALL = re.compile(r"_clock::now\(|\bstd::rand\(|\bgetenv\(")


def fits(path, patterns):
    """The last pattern that matches decides; "!" forbids."""
    answer = False
    for pattern in patterns:
        forbids = pattern.startswith("!")
        if fnmatch.fnmatch(path, pattern.lstrip("!")):
            answer = not forbids
    return answer


def offences(path, text):
    layer = next(allowed for own, allowed in LAYERS
                 if fnmatch.fnmatch(path, own))
    for bracket, target in INCLUDE.findall(text):
        if bracket == '"':
            if not fits(target, layer):
                yield f'may not include "{target}"'
            continue
        for header, users in LIBRARIES:
            if fnmatch.fnmatch(target, header) and not fits(path, users):
                yield f"may not include <{target}>"
        if path.startswith("frameworks/") and fits(target, IMPURE):
            yield f"is pure and may not include <{target}>"
    if path.startswith("frameworks/"):
        for call in IMPURE_CALL.findall(text):
            yield f"is pure and may not call {call}"


def self_test():
    """The rules do catch what they are for."""
    forbidden = [
        ("frameworks/core/plan.cpp", "#include <caf/all.hpp>"),
        ("frameworks/core/plan.cpp", "#include <thread>"),
        ("frameworks/core/plan.cpp", '#include "frameworks/tensorflow.hpp"'),
        ("frameworks/tensorflow.cpp", "x = std::chrono::system_clock::now();"),
        ("k8s/codec.cpp", '#include "frameworks/core/job.hpp"'),
        ("k8s/codec.cpp", '#include "k8s/apiserver/api_server.hpp"'),
        ("k8s/node/host_node.cpp", '#include "k8s/apiserver/store.hpp"'),
        ("k8s/codec.cpp", "  #  include <cpprest/http_client.h>"),
        ("config/settings.cpp", '#include "k8s/api.hpp"'),
        ("actors/watcher.cpp", '#include "config/settings.hpp"'),
        ("actors/watcher.cpp", "#include <spdlog/spdlog.h>"),
    ]
    return [f"{path} with {line}" for path, line in forbidden
            if not list(offences(path, line))]


def main():
    failed = 0
    files = [os.path.relpath(os.path.join(folder, name), TOP)
             for top in FOLDERS
             for folder, _, names in os.walk(os.path.join(TOP, top))
             for name in names if name.endswith((".hpp", ".cpp"))]
    for missed in self_test():
        print(f"layering: the rules let pass {missed}")
        failed += 1
    for path in sorted(files):
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            found = list(offences(path, file.read()))
        for offence in found:
            print(f"{path}: {offence}")
        failed += bool(found)
    print(f"{len(files)} files, {failed} with a forbidden include")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
