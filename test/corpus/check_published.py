#!/usr/bin/env python3
"""Compares plans for RCCL with the best published files, on the target mi300x.

usage: check_published.py CCLC CCL_SIM

CCLC_CORPUS names a folder with mi300x/NAME.xml and msccl-xml/NAME.xml. At each size from 1 KiB to 16 MiB, the
best of the plans of PLANS for RCCL may take 3 % longer than the best file of the collective. Without
CCLC_CORPUS the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SLOWER = 1.03
SWEEP = "1K:16M:4"
# The options of cclc for the plans of each collective.
PLANS = {
    "allreduce": ["allreduce_representatives --protocol LL --instances 2",
                  "allreduce_allpairs --protocol LL --instances 4",
                  "allreduce_allpairs --protocol LL --instances 8",
                  "allreduce_allpairs --protocol Simple --instances 8",
                  "allreduce_allpairs --protocol Simple --instances 8 -p parts=8"],
    "allgather": ["allgather_allpairs --protocol LL",
                  "allgather_allpairs --protocol LL --instances 8",
                  "allgather_allpairs --protocol Simple --instances 8",
                  "allgather_rails --protocol Simple --instances 4"],
}


def times(ccl_sim, path):
    """The time in ns at each size at which the plan completes."""
    run = subprocess.run([ccl_sim, str(path), "--target", "mi300x", "--sweep", SWEEP, "--json", "-"],
                         capture_output=True, text=True)
    try:
        report = json.loads(run.stdout)
    except ValueError:
        return {}
    return {row["bytes"]: row["time_ns"] for row in report["results"]}


def best(ccl_sim, paths):
    """By size: the shortest time, and the name of its plan."""
    found = {}
    for path in paths:
        for size, time in times(ccl_sim, path).items():
            found[size] = min(found.get(size, (time, path.stem)), (time, path.stem))
    return found


def published(corpus, collective):
    """The files of the corpus for 8 ranks."""
    for path in sorted([*corpus.glob("mi300x/*.xml"), *corpus.glob("msccl-xml/*.xml")]):
        head = re.search(r"<algo[^>]*>", path.read_text(errors="replace"))
        if head and f'coll="{collective}"' in head.group() and 'ngpus="8"' in head.group():
            yield path


def compiled(cclc, collective, folder):
    for number, options in enumerate(PLANS[collective]):
        path = folder / f"{number} {options}.xml"
        subprocess.run([cclc, *options.split(), "--target", "mi300x", "--emit=xml", "--xml-dialect=rccl",
                        "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
        yield path


def main():
    corpus = pathlib.Path(os.environ.get("CCLC_CORPUS", ""))
    if not (corpus / "mi300x").is_dir() or not (corpus / "msccl-xml").is_dir():
        print("CCLC_CORPUS is not set, or has no folders mi300x and msccl-xml")
        return 77
    cclc, ccl_sim = sys.argv[1:]
    failures = 0
    for collective in PLANS:
        with tempfile.TemporaryDirectory() as name:
            ours = best(ccl_sim, compiled(cclc, collective, pathlib.Path(name)))
        theirs = best(ccl_sim, published(corpus, collective))
        for size, (time, path) in theirs.items():
            own, options = ours[size]
            failures += own > SLOWER * time
            print(f"{collective} {size:9} {time:12.1f} {path:44} {own:12.1f} {100 * (own / time - 1):+6.1f} % {options}")
        if not theirs:
            print(f"{collective}: no published file")
            failures += 1
    print(f"{failures} sizes at which a published plan is more than 3 % faster")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
