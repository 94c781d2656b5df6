#!/usr/bin/env python3
"""Validates the SARIF of the lint against the schema of version 2.1.0.

usage: check_sarif.py BINDIR FOLDER

FOLDER has MSCCL files. The schema below has the objects that are written, with their required
properties, and admits no others (OASIS, Static Analysis Results Interchange Format 2.1.0). Exits with
77 without the package python3-jsonschema.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3-jsonschema is not installed")
    sys.exit(77)


def closed(required, **properties):
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def array(of):
    return {"type": "array", "items": of}


TEXT = {"type": "string"}
MESSAGE = closed(["text"], text={"type": "string", "minLength": 1})
POSITION = {"type": "integer", "minimum": 1}
REGION = closed(["startLine"], startLine=POSITION, startColumn=POSITION)
ARTIFACT = closed(["uri"], uri={"type": "string", "pattern": r"^([A-Za-z0-9/._~-]|%[0-9A-F]{2})+$"})
LOCATION = closed(["physicalLocation"], physicalLocation=closed(["artifactLocation"], artifactLocation=ARTIFACT,
                                                                region=REGION))
RESULT = closed(["message", "ruleId"], ruleId=TEXT, level={"enum": ["none", "note", "warning", "error"]},
                message=MESSAGE, locations=array(LOCATION))
RULE = closed(["id"], id=TEXT, shortDescription=MESSAGE)
DRIVER = closed(["name"], name=TEXT, version=TEXT, rules=array(RULE))
RUN = closed(["tool"], tool=closed(["driver"], driver=DRIVER), results=array(RESULT))
LOG = closed(["version", "runs"], version={"const": "2.1.0"}, runs=array(RUN))
LOG["properties"]["$schema"] = {"type": "string", "format": "uri"}


def main():
    tool, files = pathlib.Path(sys.argv[1]).resolve() / "ccl-sim", sorted(pathlib.Path(sys.argv[2]).glob("*.xml"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in files:
            (folder / file.name).write_bytes(file.read_bytes())
        (folder / "a name with blanks & 100 %.xml").write_text("<algo>")
        done = subprocess.run([tool, "lint", ".", "--sarif", "-"], cwd=folder, text=True, check=False,
                              capture_output=True)
    if done.returncode not in (0, 1, 2):
        sys.exit(f"{done.stderr}exit code {done.returncode}")
    log = json.loads(done.stdout)
    jsonschema.validate(log, LOG)
    run = log["runs"][0]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    unknown = {result["ruleId"] for result in run["results"]} - rules
    if unknown or len(run["results"]) < 5:
        sys.exit(f"{len(run['results'])} results, rules without a description: {sorted(unknown)}")
    print(f"{len(run['results'])} results of {len(files) + 1} files are valid")


if __name__ == "__main__":
    main()
