#!/usr/bin/env python3
"""Imports files of other tools and compares bounds, bisections, warnings and findings with the expected ones.

usage: check_topology.py BIN

CCLC_CORPUS names a folder with topology/index.tsv: files, commands, expected outcomes. Bounds ("= 894.8 us") agree to 0.1 %.
Without the folder the test is skipped (exit code 77).
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(folder, bin, command, code=0):
    """The output and the messages of one command, which ends with this exit code."""
    name, *rest = command.split(maxsplit=1)
    result = subprocess.run(f"{bin / name} {rest[0]}", shell=True, cwd=folder, capture_output=True,
                            text=True)
    if result.returncode != code:
        raise ValueError(f"{command}: exit code {result.returncode}: {result.stderr.strip()}")
    return result.stdout, result.stderr


def bound(output):
    """The bound of the last column but one, for 1 GiB."""
    return float(re.search(r"^ +1073741824 .* ([\d.]+)  \S+$", output, re.MULTILINE)[1])


def problems(folder, bin, path, commands, outcome):
    # A server for files that describe only what is between servers.
    commands = commands.replace("SERVER.xml", str(path.parent / "four-rails-two-gpus.xml"))
    first, *others = (command.strip() for command in commands.replace("FILE", str(path)).split(";"))
    _, messages = run(folder, bin, first)
    if "warning" in outcome and "warning: " not in messages:
        yield "no warning"
    for name in re.findall(r"warning that (\w+)", outcome):
        if name not in messages:
            yield f"the warning does not name {name}"
    names = re.findall(r"warning that (\w+)|(\w+ port \d+)", outcome)
    output = ""
    if path.suffix in (".xml", ".ibnetdiscover"):
        output, _ = run(folder, bin, f"cclc targets check {path}", code=1 if names else 0)
    for name in filter(None, sum(names, ())):
        if name not in output:
            yield f"check does not name {name}"
    for command in others:
        if "targets check" in command:
            target, _ = run(folder, bin, command, code=1 if names else 0)
            if target != output:
                yield "check of the target differs from that of the file"
            continue
        output, _ = run(folder, bin, command)
        expected = re.search(r"= ([\d.]+) us", outcome)
        if command.startswith("ccl-bound") and expected:
            value = float(expected[1])
            if abs(bound(output) - value) > value / 1000:
                yield f"bound {bound(output)}, not {value}"
    if bisection := re.search(r"bisection (?:\S+ = )?(\d+)", outcome):
        output, _ = run(folder, bin, "cclc targets describe ./T.json")
        if f"bisection           {bisection[1]} GB/s" not in output:
            yield f"no bisection of {bisection[1]} GB/s"


def main():
    corpus = pathlib.Path(os.environ.get("CCLC_CORPUS", "")) / "topology"
    if "CCLC_CORPUS" not in os.environ or not corpus.is_dir():
        print("CCLC_CORPUS does not name a folder with topology")
        return 77
    failures = tried = 0
    rows = [line.split("\t") for line in (corpus / "index.tsv").read_text().splitlines()[1:]]
    with tempfile.TemporaryDirectory() as folder:
        for file, commands, outcome, _ in rows:
            # Failures of commands are those of other tools.
            if "targets import" not in commands or "exit 2" in outcome:
                continue
            tried += 1
            try:
                found = list(problems(folder, pathlib.Path(sys.argv[1]), corpus / file, commands, outcome))
            except ValueError as error:
                found = [str(error)]
            for problem in found:
                print(f"{file}: {problem}")
                failures += 1
    print(f"{tried} imports, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
