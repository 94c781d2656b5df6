#!/usr/bin/env python3
"""Compares times under cclc's maxmin network with those of SimGrid's CM02 model.

usage: compare_simgrid.py SIMGRID-CASES [SIMGRID-REPLAY] [--large]

Prints a table with a row for each plan of a run, and fails if two times differ by more than 0.5 %.
Without SIMGRID-REPLAY, which is built if SimGrid is installed, it is skipped (77). With --large the runs
are those of the benchmark, and the relevant columns are the messages per second of both, which the
first row of a run has.

SimGrid recomputes all rates when a flow begins or ends (network/optim:Full). Its default, Lazy,
recomputes those of the flows that share links with it, directly or through others. Both should give
the same times, but differ by up to 1.7 % in these runs. With --large SimGrid has its default,
which is faster.
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
    settings = [] if "--large" in options else ["--cfg=network/optim:Full"]
    print(f"{'':20}{'messages':>9}{'maxmin [us]':>14}{'CM02 [us]':>14}{'apart [%]':>11}"
          f"{'messages/s':>14}{'of SimGrid':>12}")
    plans = apart = worst = 0
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.Popen([cases, folder] + options, stdout=subprocess.PIPE, text=True)
        rows = run.communicate()[0].splitlines()
        if run.returncode != 0 or not rows:
            return 1
        for row in rows:
            name, messages, seconds, *times = row.split()
            theirs = subprocess.run([replay, f"{folder}/{name}"] + settings,
                                    capture_output=True, text=True)
            if theirs.returncode != 0:
                print(theirs.stderr)
                return 1
            their_seconds, *their_times = theirs.stdout.split()
            if len(times) != len(their_times):
                print(f"{name}: {len(times)} times, {len(their_times)} of SimGrid")
                return 1
            rates = (f"{int(messages) / max(float(seconds), 1e-6):14.0f}"
                     f"{int(messages) / max(float(their_seconds), 1e-6):12.0f}")
            for time, their_time in zip(map(int, times), map(int, their_times)):
                percent = 100 * abs(time - their_time) / their_time
                worst = max(worst, percent)
                plans += 1
                apart += percent > LIMIT
                print(f"{name:20}{messages:>9}{time / 1e6:14.6f}{their_time / 1e6:14.6f}"
                      f"{percent:11.6f}{rates}", flush=True)
                name, messages, rates = "", "", ""
    print(f"{len(rows)} runs of {plans} plans, {apart} more than {LIMIT} % apart, "
          f"the largest difference is {worst:.6f} %")
    return 1 if apart else 0


if __name__ == "__main__":
    sys.exit(main())
