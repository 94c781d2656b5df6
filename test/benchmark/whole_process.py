#!/usr/bin/env python3
"""Times whole commands on the ring all-reduce: compile, verify and write; load and simulate.
Plans are binary unless stated otherwise; data are 64 bytes per chunk.

usage: whole_process.py BINDIR [RANKS...]
       whole_process.py BINDIR --compile
       whole_process.py BINDIR --diff [RANKS]

With --diff it compares a ring of RANKS ranks (default: 724, which is a million steps) with itself
and with others. With --compile it times programs for which MSCCLang's compiler takes more than two
minutes or fails, from start to written plan. Prints the best of three wall-clock times, the user time
of that run and the peak memory, in total and per step of the plan; for traces also the quotient of the
times with and without. Absolute times are noisy: compare ratios of one run.
"""

import os
import sys
import tempfile
import time


def measure(command, times=3):
    best = None
    for _ in range(times):
        start = time.monotonic()
        pid = os.posix_spawn(command[0], command, os.environ,
                             file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        _, status, usage = os.wait4(pid, 0)
        elapsed = time.monotonic() - start
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
        if best is None or elapsed < best[0]:
            best = (elapsed, usage.ru_utime, usage.ru_maxrss)
    return best


COMPILED = ["allreduce_ring --ranks 256", "allreduce_hierarchical -p nodes=32",
            "allreduce_allpairs --ranks 32", "allreduce_halving_doubling --ranks 128",
            "alltoall_two_step -p nodes=32"]


def compile_times(bindir):
    print(f"{'program':<42}{'wall s':>9}{'user s':>9}{'MB':>7}")
    with tempfile.TemporaryDirectory() as temp:
        for program in COMPILED:
            wall, user, kilobytes = measure([f"{bindir}/cclc", *program.split(), "-o",
                                             os.path.join(temp, "plan.json")])
            print(f"{program:<42}{wall:>9.3f}{user:>9.3f}{kilobytes // 1024:>7}")


OTHERS = [("the same", ""), ("two channels", "-p channels=2"), ("unfused", "--no-fuse"),
          ("eight slots or one", "--slots 1")]


def diff_times(bindir, ranks):
    """ccl-diff exits with 1 if plans differ; with gates that never trip it exits with 0."""
    print(f"{'compared with':<28}{'steps':>10}{'wall s':>9}{'user s':>9}{'MB':>7}")
    with tempfile.TemporaryDirectory() as temp:
        plans = []
        for number, (_, options) in enumerate(OTHERS):
            plans.append(os.path.join(temp, f"{number}.bin"))
            measure([f"{bindir}/cclc", "allreduce_ring", "--ranks", str(ranks), *options.split(),
                     "-o", plans[-1]], times=1)
        for (name, _), plan in zip(OTHERS, plans):
            wall, user, kilobytes = measure([f"{bindir}/ccl-diff", plans[0], plan, "--gates-only",
                                             "--gate", "steps:+100%"])
            print(f"{name:<28}{ranks * (2 * ranks - 1):>10}{wall:>9.3f}{user:>9.3f}"
                  f"{kilobytes // 1024:>7}")


def main():
    bindir = os.path.abspath(sys.argv[1])
    if sys.argv[2:3] == ["--diff"]:
        diff_times(bindir, int(sys.argv[3]) if sys.argv[3:] else 724)
        return
    if sys.argv[2:] == ["--compile"]:
        compile_times(bindir)
        return
    sizes = [int(n) for n in sys.argv[2:]] or [64, 128, 256, 512, 1024]
    print(f"{'command':<28}{'ranks':>6}{'steps':>10}{'wall s':>9}{'user s':>9}{'MB':>7}"
          f"{'Msteps/s':>10}{'B/step':>8}")
    with tempfile.TemporaryDirectory() as temp:
        plan, binary = os.path.join(temp, "plan.json"), os.path.join(temp, "plan.bin")
        for ranks in sizes:
            steps = ranks * (2 * ranks - 1)
            cclc = [f"{bindir}/cclc", "allreduce_ring", "--ranks", str(ranks)]
            sim = [f"{bindir}/ccl-sim", binary, "--target", "ring", "--bytes", str(64 * ranks)]
            rows = [
                ("compile, verify, write JSON", cclc + ["-o", plan]),
                ("compile, verify, write", cclc + ["-o", binary]),
                ("load JSON, verify", [f"{bindir}/ccl-sim", "verify", plan]),
                ("load, verify", [f"{bindir}/ccl-sim", "verify", binary]),
                ("load, verify, simulate", sim),
                ("the same with data", sim + ["--check-data"]),
                ("the same with a trace", sim + ["--trace", os.path.join(temp, "trace.json")]),
            ]
            walls = {}
            for name, command in rows:
                wall, user, kilobytes = measure(command)
                walls[name] = wall
                ratio = (f"  {wall / walls['load, verify, simulate']:.2f} times as long"
                         if "trace" in name else "")
                print(f"{name:<28}{ranks:>6}{steps:>10}{wall:>9.4f}{user:>9.4f}"
                      f"{kilobytes // 1024:>7}{steps / wall / 1e6:>10.2f}"
                      f"{kilobytes * 1024 / steps:>8.0f}{ratio}")


if __name__ == "__main__":
    main()
