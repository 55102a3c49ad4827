"""What our server does otherwise than kube-apiserver, on purpose.

Each: the case, a regular expression for lines of its diff, and why. A row that
meets no line any more fails the test, as does a line that no row meets.

Our server is one of the last of assets.VERSIONS; in OLDER is what its
predecessors do otherwise.
"""

import re

import assets

KNOWN = [
    ("schema_alternatives", r"<nil>|spec\.either|\[\.\.\.\]|Required"
     r"|^-\s+[{}],?$",
     "of oneOf, the field is named, and not what the nearest alternative "
     "lacks"),
    ("schema_duplicate_fields", r"^[-+](Strict|Warn): ",
     "a member that is twice in a JSON object is not noticed: kubectl notices "
     "it itself"),
    ("definition_lives", r"Definition|finalizers|cleanup|Status|^-\s+\]$",
     "a definition goes at once, and all its objects with it, finalizers or "
     "not"),
    ("definition_with_short_name_taken", r"Establish|Accepted|accepted|Conflict"
     r"|in use|True|False|conflicts",
     "definitions may have names that others have"),
]

# Version -> rows as above.
OLDER = {"1.34.1": []}
KNOWN += OLDER.get(assets.VERSION, [])


def unexplained(case, diff):
    """(whether lines of the diff are left, rows that met nothing)"""
    rows = [re.compile(pattern) for name, pattern, _ in KNOWN if name == case]
    met = [False] * len(rows)
    left = False
    for line in diff:
        if line[:1] not in "+-" or line[:3] in ("+++", "---"):
            continue
        hits = [i for i, row in enumerate(rows) if row.search(line)]
        for i in hits:
            met[i] = True
        left = left or not hits
    return left, [row.pattern for row, hit in zip(rows, met) if not hit]
