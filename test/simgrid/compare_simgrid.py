#!/usr/bin/env python3
"""Compares times under cclc's maxmin network with those of SimGrid's CM02 model.

usage: compare_simgrid.py SIMGRID-CASES [SIMGRID-REPLAY] [--large]

Prints a table and fails if two times differ by more than 0.5 %. Without SIMGRID-REPLAY, which is
built if SimGrid is installed, it is skipped (77). With --large the runs are those of the
benchmark, and the relevant columns are the messages per second of both.
"""

import subprocess
import sys
import tempfile

LIMIT = 0.5  # percent


def main():
    programs = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    if len(programs) < 2:
        print("SimGrid is not installed (Debian: libsimgrid-dev)")
        return 77
    cases, replay = programs
    print(f"{'':20}{'messages':>9}{'maxmin [us]':>14}{'CM02 [us]':>14}{'apart [%]':>11}"
          f"{'messages/s':>14}{'of SimGrid':>12}")
    apart = 0
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen([cases, folder] + options, stdout=subprocess.PIPE, text=True)
        rows = run.communicate()[0].splitlines()
        if run.returncode != 0 or not rows:
            return 1
        for row in rows:
            name, messages, time, seconds = row.split()
            theirs = subprocess.run([replay, f"{folder}/{name}"], capture_output=True, text=True)
            if theirs.returncode != 0:
                print(theirs.stderr)
                return 1
            theirs = theirs.stdout.split()
            messages, time, their_time = int(messages), int(time), int(theirs[0])
            percent = 100 * abs(time - their_time) / their_time
            apart += percent > LIMIT
            print(f"{name:20}{messages:9}{time / 1e6:14.6f}{their_time / 1e6:14.6f}{percent:11.6f}"
                  f"{messages / max(float(seconds), 1e-6):14.0f}"
                  f"{messages / max(float(theirs[1]), 1e-6):12.0f}", flush=True)
    print(f"{len(rows)} runs, {apart} more than {LIMIT} % apart")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
