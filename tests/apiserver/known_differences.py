"""What our server does otherwise than kube-apiserver, on purpose.

Each: the case, a regular expression for lines of its diff, and why. A row that
meets no line any more fails the test, as does a line that no row meets.

Our server is one of the last of assets.VERSIONS. OF_VERSION has the rows for one
of them only.
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

# What a diff has between two of its lines, and is the same.
AROUND = r'^[-+]\s+("(reason|kind|name|status|metadata)": .*|[][{}]+,?)$'

# Version -> rows as above.
OF_VERSION = {
    "1.34.1": [
        ("apply_before_put_of_status", "",
         "a status update of a custom resource takes the owners of metadata "
         "that it leaves out"),
        ("apply_before_put_of_other_labels", r'"f:(metadata|annotations'
         r'|finalizers|labels|ownerReferences|[alm])"|v:\\"x\.io|"k:\{'
         r"|^[-+]\s+[{}],?$",
         "and becomes the owner of those that it has"),
        ("owner_references", r"metadata\.ownerReferences|must (not )?be "
         r'|"FieldValue(Invalid|Required)"',
         "errors of owners have no index, and other words"),
        ("names_of_services", "", "services are named as in DNS-1035"),
        ("names_of_other_kinds", "63 (characters|bytes)",
         "labels have characters, not bytes"),
        ("labels_that_are_wrong", "63 (characters|bytes)|qualified name"
         "|valid label key|" + AROUND, "and are qualified names"),
        ("schema_immutable", "fixed may not change",
         "an immutable value is not named, only its type"),
        ("tables_of_other_kinds", r'Secrets|"a",?$|^[-+]\s+0$'
         r'|"(priority|type|format|description)": |' + AROUND,
         "service accounts have a column for secrets"),
    ],
    "1.37.2": [
        ("schema_types", r'<nil>|Checked value|"FieldValueInvalid"'
         r"|is invalid: (spec\.replicas|\[\.\.\.\])|^-\s+[{}],?$",
         "a number that is not whole has one error, which names the field, and "
         "not a second one of no field"),
        ("schema_large_numbers", r'<nil>|Checked value|"FieldValueInvalid"'
         r"|is invalid: (spec\.counts|\[\.\.\.\])|^-\s+[{}],?$",
         "and neither has one that is too large"),
        ("schema_formats", "",
         "of formats only date-time is checked; the operator says itself which "
         "numbers are too large"),
    ],
}
KNOWN += OF_VERSION[assets.VERSION]


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
