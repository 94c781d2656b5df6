#!/usr/bin/env python3
"""Runs clang-tidy on the sources of the libraries and tools, the most recently changed first.

usage: run_tidy.py BUILD [--seconds N] [--jobs N]

BUILD is a folder configured for clang, which has compile_commands.json. --seconds limits the time:
files that have not been started by then are left out, and their number is printed. The exit code is 1
if there is a finding; .clang-tidy has the list of checks.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("lib/", "tools/")
TIDY = "clang-tidy-19"


def sources(build):
    """The compiled files of the project, relative to its root."""
    commands = json.loads((build / "compile_commands.json").read_text())
    names = {os.path.relpath(entry["file"], ROOT) for entry in commands}
    return sorted(name for name in names if name.startswith(FOLDERS))


def by_last_change(names):
    """NAMES, those of the latest commits first; all as they are where there is no history."""
    log = subprocess.run(["git", "log", "--name-only", "--format=", "-n", "200"], cwd=ROOT,
                         capture_output=True, text=True)
    latest = {}
    for name in log.stdout.split():
        latest.setdefault(name, len(latest))
    return sorted(names, key=lambda name: (latest.get(name, len(latest)), name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    deadline = time.monotonic() + args.seconds if args.seconds else None

    def check(name):
        """Whether NAME was checked, and the findings."""
        if deadline and time.monotonic() > deadline:
            return False, ""
        run = subprocess.run([TIDY, "-p", args.build, "--quiet", name], cwd=ROOT,
                             capture_output=True, text=True)
        return True, run.stdout if run.returncode else ""

    checked = found = 0
    names = by_last_change(sources(args.build))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for done, findings in pool.map(check, names):
            checked += done
            found += bool(findings)
            print(findings, end="")
    print(f"clang-tidy: {checked} of {len(names)} files checked, {found} with findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
