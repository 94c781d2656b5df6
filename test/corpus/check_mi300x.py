#!/usr/bin/env python3
"""Compares the target mi300x with measured times, and its deadlocks with the hangs.

usage: check_mi300x.py CCL_SIM

CCLC_CORPUS names a folder with mi300x/NAME.xml and NAME.csv (see utils/fit_target.py). The median of
the errors of all rows may be 2.5 % and that of a plan 8 %; the rows of a plan end where it hangs.
Without CCLC_CORPUS the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import subprocess
import sys

LARGEST = 1 << 32


def hang_problems(ccl_sim, plan):
    sizes = [int(line.split(",")[0]) for line in
             plan.with_suffix(".csv").read_text().splitlines()[1:]]
    measured = max(sizes)
    run = subprocess.run([ccl_sim, "verify", str(plan), "--target", "mi300x", "--sweep",
                          f"1048576:{LARGEST}", "--json", "-"], capture_output=True, text=True)
    rows = {row["bytes"]: row["safe"] for row in json.loads(run.stdout)["sizes"]["results"]}
    for size, safe in rows.items():
        if safe != (size <= measured):
            yield f"{plan.stem}: {size} bytes are {'safe' if safe else 'refused'}, " \
                  f"the measurements end at {measured}"


def main():
    corpus = os.environ.get("CCLC_CORPUS")
    folder = pathlib.Path(corpus or "") / "mi300x"
    if not corpus or not folder.is_dir():
        print("CCLC_CORPUS is not set, or has no folder mi300x")
        sys.exit(77)
    fit = pathlib.Path(__file__).parent.parent.parent / "utils" / "fit_target.py"
    failed = subprocess.run([sys.executable, str(fit), str(folder), "--target", "mi300x",
                             "--ccl-sim", sys.argv[1], "--bars", "2.5", "8"]).returncode != 0
    for plan in sorted(folder.glob("*.xml")):
        for problem in hang_problems(sys.argv[1], plan):
            print(problem)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
