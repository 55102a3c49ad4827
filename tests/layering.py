#!/usr/bin/python3
"""Fails on an include that goes against the direction of the layers.

Linking is no fence here: the headers of the libraries lie system-wide. Rules
are read from the top, the first whose pattern fits the file decides. Inside a
folder of ROOMS the sub-folders have a direction, too.
"""

import fnmatch
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("k8s", "frameworks", "config", "actors")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)

# What is no client and no server: values and pure functions.
VALUES = ["k8s/codec/yaml.hpp", "k8s/deep_json.hpp", "k8s/duration.hpp",
          "k8s/general/digest.hpp", "k8s/json.hpp", "k8s/json_outline.hpp", "k8s/json_parts.hpp",
          "k8s/objects.hpp", "k8s/result.hpp", "k8s/text.hpp",
          "k8s/text_pattern.hpp"]

# What each part may include of the project: patterns of paths.
LAYERS = [
    ("k8s/*", ["k8s/*"]),
    ("frameworks/core/*", ["frameworks/core/*", *VALUES]),
    ("frameworks/di/*", ["frameworks/core/*", "frameworks/di/*",
                         "frameworks/conversions.hpp",
                         "frameworks/registry.hpp", "frameworks/rules.hpp",
                         *VALUES]),
    ("frameworks/mpi_ssh/*", ["frameworks/core/*", "frameworks/mpi_ssh/*",
                              "frameworks/mpi_versions.hpp",
                              "frameworks/registry.hpp",
                              "frameworks/rules.hpp", *VALUES]),
    ("frameworks/*", ["frameworks/*", *VALUES]),
    ("config/*", ["config/*", "k8s/duration.hpp",
                  "k8s/general/addresses.hpp", "k8s/general/files.hpp",
                  "k8s/json.hpp", "k8s/result.hpp", "k8s/text.hpp"]),
    ("actors/main.cpp", ["actors/cli/*", "actors/base/heap.hpp"]),
    ("actors/cli/*", ["*"]),
    # Settings are handed down as plain values; only the log is everywhere.
    ("actors/process/operator_*", ["*", "!k8s/apiserver/*", "!k8s/node/*",
                                   "!actors/cli/*"]),
    ("actors/*", ["*", "!k8s/apiserver/*", "!k8s/node/*", "!k8s/rest/*",
                  "!config/*", "config/logging.hpp"]),
]

# Folder -> its sub-folders -> which of the others each may include; "." are the
# files of the folder itself. A folder that is here has no other sub-folders.
ROOMS = {
    "k8s": {
        ".": [],
        "general": ["."],
        "codec": ["."],
        "watch": [".", "codec"],
        "rest": [".", "general", "codec"],
        "http": [".", "general"],
        "apiserver": [".", "general", "codec", "http"],
        "node": [".", "general", "watch"],
    },
    "k8s/rest": {
        "credentials": [],
        ".": ["credentials"],
    },
    "k8s/apiserver": {
        "base": [],
        "schema": ["base"],
        "storage": ["base"],
        "patch": ["base", "schema"],
        "resources": ["base", "schema", "storage"],
        "streams": ["base"],
        "tables": ["base", "storage", "resources"],
        "access": ["base", "storage", "resources"],
        "discovery": ["base", "resources"],
        "state": ["base", "schema", "storage", "resources", "access"],
        "users": ["base", "storage", "resources", "access", "state"],
        "reading": ["base", "storage", "resources", "tables", "state"],
        "writing": ["base", "schema", "storage", "patch", "resources",
                    "access", "state", "reading"],
        "pods": ["base", "resources", "streams", "state", "writing"],
        "controllers": ["base", "storage", "resources", "state", "writing"],
        ".": ["base", "storage", "resources", "access", "discovery", "state",
              "users", "reading", "writing", "pods", "controllers"],
    },
    "k8s/node": {
        "base": [],
        "volumes": ["base"],
        "namespaces": ["base", "volumes"],
        "programs": ["base", "namespaces"],
        "containers": ["base", "volumes", "namespaces"],
        "pods": ["base", "volumes", "namespaces", "containers"],
        "streams": ["base", "namespaces", "pods"],
        "usage": ["base", "pods"],
        ".": ["base", "volumes", "namespaces", "containers", "pods",
              "streams", "usage"],
    },
    "frameworks": {
        "core": [],
        ".": ["core"],
        "di": [".", "core"],
        "mpi_ssh": [".", "core"],
    },
    "frameworks/core": {
        "base": [],
        "progress": ["base"],
        "workload": ["base"],
        "model": ["base", "progress", "workload"],
        "spec": ["base", "progress", "workload", "model"],
        "observed": ["base", "progress", "workload", "model", "spec"],
        "recovery": ["base", "progress", "workload", "model", "spec", "observed"],
        "gangs": ["base", "progress", "workload", "model", "spec", "observed", "recovery"],
        "queueing": ["base", "progress", "workload", "model", "spec", "observed"],
        "pass": ["base", "progress", "workload", "model", "spec", "observed", "recovery",
                 "gangs", "queueing"],
        "memory": ["base", "progress", "workload", "model", "spec", "observed", "recovery",
                   "queueing", "pass"],
        "waiting": ["base", "progress", "workload", "model", "spec", "observed", "recovery",
                    "gangs", "queueing", "pass"],
    },
    "frameworks/di": {
        "base": [],
        "requests": ["base"],
        "coordinator": ["base", "requests"],
        "tasks": ["base", "requests"],
    },
    "actors": {
        "base": [],
        "metrics": ["base"],
        "leadership": ["base", "metrics"],
        "events": ["base", "metrics"],
        "api": ["base", "metrics", "leadership"],
        "queueing": ["base", "metrics"],
        "jobs": ["base", "metrics", "queueing"],
        "webhook": ["base", "metrics", "reports"],
        "di_server": ["base", "metrics"],
        "reports": ["base"],
        "admin": ["base"],
        "process": ["base", "metrics", "leadership", "events", "api", "jobs",
                    "webhook", "di_server", "reports", "queueing", "admin"],
        "cli": ["process", "leadership", "webhook", "reports", "queueing",
                "admin"],
        ".": ["base", "cli"],
    },
    "actors/jobs": {
        "orders": [],
        "report": [],
        ".": ["orders", "report"],
    },
    "actors/admin": {
        "text": [],
        ".": ["text"],
    },
    "actors/cli": {
        "base": [],
        "manifest": ["base"],
        "progress": [],
        "operator": ["base"],
        "local": ["base", "manifest", "operator"],
        "run": ["base", "manifest", "progress", "local"],
        "ask": ["base"],
        "completion": ["base", "ask"],
        "commands": ["base", "manifest", "progress", "operator", "local",
                     "run", "ask", "completion"],
    },
}

# No folder has more files of its own.
MOST_FILES = 40

# Which files may include a library's headers, and nobody else.
LIBRARIES = [
    ("caf/*", ["actors/*", "!actors/cli/*", "!actors/main.cpp"]),
    ("cpprest/*", ["k8s/rest/web_document.cpp"]),
    ("pplx/*", ["k8s/rest/web_document.cpp"]),
    ("spdlog/*", ["config/logging.cpp"]),
    ("fmt/*", ["config/logging.cpp"]),
    ("prometheus/*", ["actors/metrics/*"]),
    ("CLI/*", ["config/flags.cpp", "actors/cli/*", "actors/main.cpp"]),
    ("yaml-cpp/*", ["config/settings_file.cpp", "k8s/codec/yaml.*",
                    "k8s/rest/credentials/kubeconfig*"]),
    ("boost/beast/*", ["k8s/http/*", "k8s/rest/call_connections.cpp",
                      "k8s/rest/forwarded_call.cpp",
                      "k8s/rest/watch_connection.cpp",
                      "k8s/rest/byte_stream.hpp",
                      "actors/di_server/request_forwarder.cpp"]),
    ("boost/asio/*", ["k8s/*", "actors/cli/*",
                     "actors/di_server/request_forwarder.cpp"]),
    ("simdjson.h", ["k8s/*"]),
    ("re2/*", ["k8s/text_pattern.cpp"]),
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


def room_of(path, folder):
    """The sub-folder of `folder` that has the file; None if it is elsewhere."""
    if not path.startswith(f"{folder}/"):
        return None
    below = path[len(folder) + 1:]
    return below.split("/")[0] if "/" in below else "."


def full_path(target, path):
    """Of a file that `path` includes: C programs name what is beside them."""
    if target.split("/")[0] in FOLDERS:
        return target
    return os.path.normpath(os.path.join(os.path.dirname(path), target))


def goes_against_rooms(path, target):
    for folder, rooms in ROOMS.items():
        own, other = room_of(path, folder), room_of(target, folder)
        if own is None or other is None or own == other:
            continue
        if other not in rooms.get(own, []):
            return True
    return False


def offences(path, text):
    layer = next(allowed for own, allowed in LAYERS
                 if fnmatch.fnmatch(path, own))
    for bracket, target in INCLUDE.findall(text):
        if bracket == '"':
            project_file = full_path(target, path)
            if (not fits(project_file, layer)
                    or goes_against_rooms(path, project_file)):
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


def find_circle(rooms):
    """Rooms that may include each other, directly or not; [] if none do."""
    left = {room: set(others) for room, others in rooms.items()}
    while True:
        free = [room for room, others in left.items()
                if not others & set(left)]
        if not free:
            return sorted(left)
        for room in free:
            del left[room]


def unknown_rooms(files):
    """Folders with sources that ROOMS says nothing of."""
    found = {(folder, room_of(path, folder)) for path in files
             for folder in ROOMS}
    return sorted(f"{folder}/{room}" for folder, room in found
                  if room is not None and room not in ROOMS[folder])


def crowded_folders(files_of):
    """From a table of folders and the numbers of their files."""
    return sorted(folder for folder, files in files_of.items()
                  if files > MOST_FILES)


def count_files():
    return {os.path.relpath(folder, TOP): len(names)
            for top in (*FOLDERS, "tests")
            for folder, _, names in os.walk(os.path.join(TOP, top))
            if os.path.basename(folder) != "__pycache__"}


def self_test():
    """The rules do catch what they are for."""
    forbidden = [
        ("frameworks/core/pass/plan.cpp", "#include <caf/all.hpp>"),
        ("frameworks/core/pass/plan.cpp", "#include <thread>"),
        ("frameworks/core/pass/plan.cpp", '#include "frameworks/tensorflow.hpp"'),
        ("frameworks/tensorflow.cpp", "x = std::chrono::system_clock::now();"),
        ("k8s/codec/codec.cpp", '#include "frameworks/core/model/job.hpp"'),
        ("k8s/codec/codec.cpp", '#include "k8s/apiserver/api_server.hpp"'),
        ("k8s/node/host_node.cpp", '#include "k8s/apiserver/storage/store.hpp"'),
        ("k8s/node/programs/reaper.c", '#include "../apiserver/store.h"'),
        ("k8s/node/base/node.hpp",
         '#include "k8s/node/pods/pod_run.hpp"'),
        ("k8s/rest/rest_api.cpp", '#include "k8s/http/server.hpp"'),
        ("k8s/apiserver/api_server.cpp", '#include "k8s/rest/rest_api.hpp"'),
        ("k8s/apiserver/access/authorization.cpp",
         '#include "k8s/apiserver/state/server_state.hpp"'),
        ("k8s/general/files.cpp", '#include "k8s/codec/codec.hpp"'),
        ("frameworks/conversions.cpp",
         '#include "frameworks/di/base/dijob_versions.hpp"'),
        ("frameworks/di/tasks/tasks_dijob.cpp",
         '#include "frameworks/mpi_parts.hpp"'),
        ("frameworks/core/observed/observed.cpp",
         '#include "frameworks/core/pass/plan.hpp"'),
        ("actors/base/protocols.hpp", '#include "actors/jobs/directory.hpp"'),
        ("actors/admin/admin.cpp", '#include "actors/cli/base/signals.hpp"'),
        ("k8s/codec/codec.cpp", "  #  include <cpprest/http_client.h>"),
        ("config/settings.cpp", '#include "k8s/api.hpp"'),
        ("actors/api/watcher.cpp", '#include "config/settings.hpp"'),
        ("actors/api/watcher.cpp", "#include <spdlog/spdlog.h>"),
    ]
    missed = [f"{path} with {line}" for path, line in forbidden
              if not list(offences(path, line))]
    if find_circle({"a": ["b"], "b": ["c"], "c": ["a"], "d": []}) != list("abc"):
        missed.append("rooms in a circle")
    if unknown_rooms(["k8s/text.cpp", "k8s/new/text.cpp"]) != ["k8s/new"]:
        missed.append("a room that has no rule")
    if crowded_folders({"a": MOST_FILES, "b": MOST_FILES + 1}) != ["b"]:
        missed.append("a folder with too many files")
    return missed


def main():
    failed = 0
    files = [os.path.relpath(os.path.join(folder, name), TOP)
             for top in FOLDERS
             for folder, _, names in os.walk(os.path.join(TOP, top))
             for name in names if name.endswith((".hpp", ".cpp", ".h", ".c"))]
    for missed in self_test():
        print(f"layering: the rules let pass {missed}")
        failed += 1
    for folder, rooms in ROOMS.items():
        for circle in filter(None, [find_circle(rooms)]):
            print(f"layering: circle in {folder}: {', '.join(circle)}")
            failed += 1
    for room in unknown_rooms(files):
        print(f"{room}: has no line in ROOMS of tests/layering.py")
        failed += 1
    for folder in crowded_folders(count_files()):
        print(f"{folder}: has more than {MOST_FILES} files: make sub-folders")
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
