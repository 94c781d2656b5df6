#!/usr/bin/env python3
"""Lets ThreadSanitizer find the races that the verifier names, with a thread for each threadblock.

usage: find_races.py --bin CCL_RUN [--plans N] [--seeds N] FILE...

CCL_RUN is built with ThreadSanitizer:

    cmake -B build/tsan -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCCLC_SANITIZE=thread -DBUILD_TESTING=OFF \\
      -DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-multiple-definition && cmake --build build/tsan --target ccl-run

Each FILE in MSCCL's XML is executed as it is. If it is proved, there must be no report. Then waits are
removed from it: if the verifier names a race, the threads of a report are compared with its two
threadblocks. Executions with random delays are tried, --seeds (default: 5): slots that are used again may order
the two by chance, and so does a thread that drives several threadblocks, as in plans with more than 200.
--plans limits the number of changed plans of each file (default: 3).
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

WAIT = re.compile(r'depid="\d+" deps="\d+"')
RACE = re.compile(r"error: race on (\S+): (r\d+ tb\d+) step \d+ .*?, (r\d+ tb\d+) step \d+ ")
# ThreadSanitizer needs the usual addresses of a process.
PREFIX = ["setarch", platform.machine(), "-R"] if shutil.which("setarch") else []


def execute(ccl_run, path, *options):
    command = [*PREFIX, str(ccl_run), str(path), "--threads", "threadblocks", "--bytes", "10007",
               "--slots", "64", "--check-data", "--iterations", "0", "--timeout", "100", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=1000,
                          env=dict(os.environ, TSAN_OPTIONS="history_size=7 halt_on_error=0 exitcode=66")).stderr


def reported(text):
    """The pairs of threads of all reports."""
    pairs = set()
    for report in text.split("WARNING: ThreadSanitizer: data race")[1:]:
        names = dict(re.findall(r"^  Thread (T\d+) '([^']*)'", report, re.MULTILINE))
        threads = re.findall(r"^  .*(?:[Rr]ead|[Ww]rite) of size \d+ at \S+ by (?:thread (T\d+)|main)", report,
                             re.MULTILINE)
        pairs.add(frozenset(names.get(thread, thread) for thread in threads[:2]))
    return pairs


def names(race, found):
    """Whether a report has the two threadblocks of a race. A thread may drive several."""
    wanted = [name.replace(" ", "") for name in race]
    reports = [[thread.replace(" ", "").split(",") for thread in pair] for pair in found if len(pair) == 2]
    return any(wanted[i] in first and wanted[1 - i] in second for first, second in reports for i in (0, 1))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--plans", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    clean = named = other = missed = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in args.files:
            text = path.read_text(errors="replace")
            original = execute(args.bin, path, "--unproved")
            if "rejects this plan" not in original:
                clean += 1
                if "ThreadSanitizer" in original:
                    failures += 1
                    print(f"{path.name} is proved, but: {reported(original)}")
            changed, races = pathlib.Path(folder) / path.name, 0
            plans = [text] if "rejects this plan (race)" in original else [
                text[:wait.start()] + 'depid="-1" deps="-1"' + text[wait.end():]
                for wait in WAIT.finditer(text)]
            for plan in plans[:4 * args.plans]:
                changed.write_text(plan)
                race = RACE.search(execute(args.bin, changed))
                if not race:
                    continue
                found = set()
                for seed in range(args.seeds):
                    found |= reported(execute(args.bin, changed, "--unproved", "--jitter", str(seed)))
                    if names(race.groups()[1:], found):
                        break
                if names(race.groups()[1:], found):
                    named += 1
                elif found:
                    other += 1
                else:
                    missed += 1
                    print(f"{path.name}: not found: race on {race[1]}, {race[2]} and {race[3]}")
                races += 1
                if races == args.plans:
                    break
    print(f"{clean} proved plans; {named} races between the threadblocks that the verifier names, "
          f"{other} between others, {missed} not found")
    return 1 if failures or other or missed else 0


if __name__ == "__main__":
    sys.exit(main())
