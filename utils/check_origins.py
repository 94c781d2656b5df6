#!/usr/bin/env python3
"""Checks the tables of tests in docs/Origins.md.

usage: check_origins.py ROOT --bin DIR

Every row must name an item once, tests that exist, and a command that succeeds and prints something. A
test is `FILE`, found by its name in test/ or utils/, or `FILE` "NAME": a TEST_CASE of a C++ file, or a
string in a Python file. The items D1 to D7, T1 to T6 and the numbered sections must be complete.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TEST = re.compile(r'`([^`]+)`(?: "([^"]+)")?')
# The items that a section of the document must have, by the beginning of its title.
REQUIRED = {
    "KernBench ADR-0029": [f"D{i}" for i in range(1, 8)] + [f"T{i}" for i in range(1, 7)],
    "KernBench ADR-0050": [f"D{i}" for i in range(1, 8)],
    "Myung": ["2", "3.1 (1)", "3.1 (2)", "3.1 (3)", "3.1 (4)", "table 1", "3.2", "3.3 (1)", "3.3 (2)",
              "figure 2", "figure 2: threads", "figure 2: signal and read", "figure 2: barrier"],
    "HPX": ["Q1", "Q3", "Q5, 9", "5", "7.4", "9.1", "9.2", "9.3", "9.4", "10", "11, Q6", "12.1", "12.2", "12.3",
            "12.4", "12.5", "12.6", "13", "15", "16"],
    "MSCCLang": ["tracing", "generation", "instructions", "rcs", "rcs: several sends", "rrcs", "rrs", "figure 4"],
}


def cells(line):
    """The cells of a row; \\| is a bar in a cell."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def sections(text):
    """The title of each section, and the rows of its table with their line numbers."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            rows = found.setdefault(line[3:], [])
        elif line.startswith("|") and found and not re.match(r"\|(-|\s*item\b)", line):
            rows.append((number, cells(line)))
    return found


def missing_test(root, file, name):
    """What does not exist of a test; None if it does."""
    paths = [path for folder in ("test", "utils") for path in (root / folder).rglob(file)]
    if not paths:
        return f"no file {file}"
    texts = [path.read_text() for path in paths]
    wanted = f'TEST_CASE("{name}"' if file.endswith(".cpp") else f'"{name}"'
    if name and not any(wanted in text for text in texts):
        return f'{file} has no test "{name}"'
    if not name and file.endswith(".cpp") and not any("RUN:" in text for text in texts):
        return f"{file} has several tests: name one"
    return None


def failed_command(command, environment):
    """The failure of a command; None if it succeeds."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                              errors="replace", check=False)
    if done.returncode:
        return f"exit {done.returncode}: {command}\n{done.stderr}"
    return None if done.stdout.strip() else f"no output: {command}"


def check_row(root, row, environment):
    if len(row) != 4:
        yield f"{len(row)} cells instead of 4"
        return
    tests, command = TEST.findall(row[2]), re.fullmatch(r"`(.+)`", row[3])
    if not tests or TEST.sub("", row[2]).strip(", "):
        yield f"cannot read the tests: {row[2]}"
    for file, name in tests:
        if fault := missing_test(root, file, name):
            yield fault
    if not command:
        yield f"cannot read the command: {row[3]}"
    elif fault := failed_command(command[1], environment):
        yield fault


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    document = arguments.root / "docs" / "Origins.md"
    environment = dict(os.environ, PATH=f"{arguments.bin.resolve()}:{os.environ['PATH']}")
    problems, count = [], 0
    found = sections(document.read_text())
    for title, required in REQUIRED.items():
        rows = [row[0] for heading, table in found.items() if heading.startswith(title) for _, row in table]
        problems += [f"{document.name}: {title}: no row {item}" for item in required if item not in rows]
        problems += [f"{document.name}: {title}: two rows {item}" for item in rows if rows.count(item) > 1]
    for table in found.values():
        for number, row in table:
            count += 1
            problems += [f"{document.name}:{number}: {fault}"
                         for fault in check_row(arguments.root, row, environment)]
    print("\n".join(problems) or f"origins: {count} items")
    sys.exit(bool(problems))


main()
