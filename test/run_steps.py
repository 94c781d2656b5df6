#!/usr/bin/env python3
"""Runs the steps of a tier of test/run.sh and says what failed.

usage: run_steps.py [--quick | --all]

Prints each step with its number and the time, and goes on after a step that failed, except to steps that need its
build. The output of the steps is in build/logs as well. At the end follow the seconds of each step and, again, what
failed: the errors of a build, and the tests with the end of their output. The exit code is 1 if a step failed.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"
PYTHON = sys.executable or "python3"
# The lines of the output of a failed test that are repeated.
REPEATED = 40


@dataclasses.dataclass
class Step:
    """Commands that run in order; `needs` is the step whose build they use."""
    name: str
    commands: list
    needs: "Step" = None
    environment: dict = dataclasses.field(default_factory=dict)
    state: str = "not run"
    seconds: float = 0
    log: pathlib.Path = None


def build(title, preset):
    # -k 0: all errors of a build are seen at once.
    return Step(title, [f"cmake --preset {preset}", f"cmake --build --preset {preset} -- -k 0"])


def steps(tier):
    release = build("release build, warnings are errors", "ci")
    if tier == "quick":
        return [release, Step("quick tests", ["ctest --preset ci -j 2 -L quick"], release)]
    tests = "ctest --preset ci -j 2" + ("" if tier == "all" else " -L functional")
    functional = [release, Step("tests", [tests], release)]
    if tier == "functional":
        return functional
    bins = "build/ci/bin"
    sanitized = build("clang with address and undefined-behaviour sanitizers, warnings are errors", "asan")
    return functional + [
        Step("instructions of compilations and simulations, and their ratio to those stored",
             [f"{PYTHON} test/benchmark/instructions.py {bins}"], release),
        Step("stored command lines", [f"{PYTHON} test/commands/check_commands.py {bins} -j 2"], release),
        Step("every public header compiles alone",
             ["cmake --build --preset ci --target all_verify_interface_header_sets"], release),
        sanitized,
        Step("tests with sanitizers", ["ctest --preset asan -j 2"], sanitized,
             {"CCLC_PROPERTY_PROGRAMS": "200"}),
        Step("stored command lines with sanitizers",
             [f"{PYTHON} test/commands/check_commands.py build/asan/bin -j 2 --every 10"], sanitized),
        Step("clang-tidy, latest changes first",
             ["cmake --preset tidy", f"{PYTHON} utils/run_tidy.py build/tidy --seconds 60"]),
    ]


def execute(step, number):
    LOGS.mkdir(parents=True, exist_ok=True)
    step.log = LOGS / f"{number:02}-{re.sub('[^a-z]+', '-', step.name.lower())[:40].strip('-')}.log"
    began = time.monotonic()
    step.state = "passed"
    with open(step.log, "w", encoding="utf-8") as log:
        for command in step.commands:
            process = subprocess.Popen(command, shell=True, cwd=ROOT, env={**os.environ, **step.environment},
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                       errors="replace")
            for line in process.stdout:
                log.write(line)
                sys.stdout.write(line)
                sys.stdout.flush()
            if process.wait() != 0:
                step.state = "failed"
                break
    step.seconds = time.monotonic() - began


def failures(text):
    """What failed, by the output of a step: the tests of ctest, the units of a build, or its last lines."""
    found = []
    blocks = re.split(r"^(?=\s*(?:Start\s+\d+:|\d+/\d+ Test\s+#)|\d+% tests passed)", text, flags=re.MULTILINE)
    for block in blocks:
        if re.match(r"\s*\d+/\d+ Test\s+#.*\*\*\*(?!Skipped)", block):
            lines = block.rstrip().splitlines()
            found += lines if len(lines) <= REPEATED else [lines[0], "  ..."] + lines[-REPEATED:]
    if not found:
        found = re.findall(r"^(?:FAILED: .*|.*\b(?:error|undefined reference)\b.*)$", text, re.MULTILINE)[:REPEATED]
    return found or text.splitlines()[-REPEATED:]


def main():
    parser = argparse.ArgumentParser(add_help=False)
    tiers = parser.add_mutually_exclusive_group()
    tiers.add_argument("--quick", action="store_const", dest="tier", const="quick")
    tiers.add_argument("--all", action="store_const", dest="tier", const="all")
    tier = parser.parse_args().tier or "functional"
    began = time.monotonic()
    shutil.rmtree(LOGS, ignore_errors=True)
    work = steps(tier)
    for number, step in enumerate(work, 1):
        if step.needs and step.needs.state != "passed":
            continue
        print(f"\n== step {number} of {len(work)}: {step.name} (after {time.monotonic() - began:.0f} s)",
              flush=True)
        execute(step, number)

    print(f"\n== {tier} tier: {time.monotonic() - began:.0f} s")
    for step in work:
        print(f"{step.seconds:6.0f} s  {step.state:7}  {step.name}")
    failed = [step for step in work if step.state == "failed"]
    for step in failed:
        print(f"\n== failed: {step.name} ({step.log.relative_to(ROOT)})")
        print("\n".join(failures(step.log.read_text(encoding="utf-8"))))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
