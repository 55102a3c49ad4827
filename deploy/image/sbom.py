"""The image's parts as an SPDX 2.3 document."""

import re

from debian_files import sha256

NONE = "NOASSERTION"


def spdx_id(name):
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def part(name, version, license_name=NONE, **more):
    return {"SPDXID": spdx_id(name), "name": name, "versionInfo": version,
            "downloadLocation": NONE, "filesAnalyzed": False,
            "licenseConcluded": license_name, "licenseDeclared": license_name,
            "copyrightText": NONE, **more}


def purl(name, version, architecture, distribution):
    return {"externalRefs": [{
        "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
        "referenceLocator": f"pkg:deb/debian/{name}@{version}"
                            f"?arch={architecture}&distro={distribution}"}]}


def document(version, program, license_name, packages, headers, distribution,
             created):
    """`packages` are in the image; of `headers`, (name, version,
    architecture), parts are compiled into the program."""
    parts = [part("troupe", version, license_name, checksums=[
        {"algorithm": "SHA256", "checksumValue": sha256(program)}])]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", spdx_id("troupe"))]
    for package in packages:
        parts.append(part(
            package.name, package.version, supplier="Organization: Debian",
            checksums=[{"algorithm": "SHA256",
                        "checksumValue": package.sha256}],
            sourceInfo=f"built from Debian's source package {package.source}",
            **purl(package.name, package.version, package.architecture,
                   distribution)))
        relations.append((spdx_id("troupe"), "DEPENDS_ON",
                          spdx_id(package.name)))
    for name, number, architecture in headers:
        parts.append(part(name, number, supplier="Organization: Debian",
                          **purl(name, number, architecture, distribution)))
        relations.append((spdx_id("troupe"), "STATIC_LINK", spdx_id(name)))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": f"troupe-{version}",
        "documentNamespace":
            f"https://spdx.org/spdxdocs/troupe-{version}-{sha256(program)}",
        "creationInfo": {"created": created,
                         "creators": ["Tool: deploy/image/build_image.py"]},
        "packages": parts,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind,
             "relatedSpdxElement": b} for a, kind, b in relations]}
