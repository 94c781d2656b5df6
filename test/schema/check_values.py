#!/usr/bin/env python3
"""Tries extreme values of every numeric key of targets: no tool crashes, hangs, or writes inf or nan.

usage: check_values.py BIN [--full]

Each family and shape has a sample with all its keys. A key gets 0, 1 and large values; the tools accept the
target or refuse it (exit codes 0, 1 and 2), and every number that they write is finite. --full tries more
values, and each key of several shapes of a family with all of them instead of the first.
"""

import concurrent.futures
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from samples import SAMPLES

VALUES = (0, 1, 1 << 40)
# The largest times, counts and rates.
MORE_VALUES = (1e-12, 1000, 65536, 1e18)
LIMIT = 60
NOT_FINITE = re.compile(r"(?<![\w.])-?(inf|nan|infinity)(?![\w.])", re.IGNORECASE)


def numbers(value, path=()):
    """The paths of all numeric keys."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from numbers(inner, (*path, index))
    elif isinstance(value, (int, float)):
        yield path


def name_of(sample):
    return f"{sample['family']}-{sample['name']}"


def changed(sample, path, value):
    target = copy.deepcopy(sample)
    place = target
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return target


def tried(samples, full):
    """Each target to try: its name, and its text."""
    seen = set()
    for sample in samples:
        for path in numbers(sample):
            key = (sample["family"], tuple(part for part in path if isinstance(part, str)))
            if path == ("version",) or key in seen and not full:
                continue
            seen.add(key)
            for value in VALUES + (MORE_VALUES if full else ()):
                name = f"{name_of(sample)} {'.'.join(map(str, path))}={value:g}"
                yield name, json.dumps(changed(sample, path, value))


def run(command):
    """The exit code of a run, and its error, if there is one."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return None, f"takes more than {LIMIT} s"
    if done.returncode not in (0, 1, 2):
        return done.returncode, f"exit code {done.returncode}: {done.stderr.strip()[:200]}"
    if found := NOT_FINITE.search(done.stdout):
        return done.returncode, f"writes {found.group(0)}: {done.stdout[max(0, found.start() - 60):found.end()]!r}"
    if done.returncode and not done.stderr.strip():
        return done.returncode, "fails without a message"
    return done.returncode, None


def plans_of(bin_folder, folder):
    """A plan for each sample without changes, for the number of its ranks."""
    plans = {}
    for sample in SAMPLES:
        plan, target = folder / f"{name_of(sample)}.json", folder / f"{name_of(sample)}.target.json"
        target.write_text(json.dumps(sample))
        subprocess.run([bin_folder / "cclc", "allreduce_ring", "--target", target, "-o", plan], check=True,
                       capture_output=True)
        plans[name_of(sample)] = plan
    return plans


def check(bin_folder, folder, plans, number, name, text):
    target = folder / f"{number}.json"
    target.write_text(text)
    plan = plans[name.split()[0]]
    runs = [[bin_folder / "ccl-bound", target, "allreduce", "--sweep", "1K:1G:1024", "--json", "-"],
            [bin_folder / "ccl-sim", plan, "--target", target, "--sweep", "1K:1M:1024", "--json", "-"],
            [bin_folder / "cclc", "allreduce_recursive_doubling", "--target", target, "--max-memory", "512M",
             "--stats", "-o", "/dev/null"]]
    wrong = []
    for command in runs:
        code, what = run(command)
        if what:
            wrong.append(f"{command[0].name}: {name}: {what}")
        elif code == 2 and command is runs[0]:
            break  # the reader of targets, which all tools have, refuses the value
    target.unlink()
    return wrong


def main():
    bin_folder, full = pathlib.Path(sys.argv[1]).absolute(), "--full" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor() as threads:
        folder = pathlib.Path(name)
        plans = plans_of(bin_folder, folder)
        jobs = [threads.submit(check, bin_folder, folder, plans, number, *each)
                for number, each in enumerate(tried(SAMPLES, full))]
        wrong = []
        for job in jobs:
            for line in job.result():
                print(line, flush=True)
                wrong.append(line)
    print(f"{len(jobs)} targets, {len(wrong)} problems")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
