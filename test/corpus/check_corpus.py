#!/usr/bin/env python3
"""Verifies published algorithm files of other compilers and compares the verdicts.

usage: check_corpus.py CCL_SIM

CCLC_CORPUS names a folder with msccl-xml/index.tsv: a header line, then one line per file with its name,
origin, verdict, collective, ranks, protocol, steps and the verdicts by number of slots
("inf:ok 8:ok 1:DEADLOCK"). Without CCLC_CORPUS the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

VERDICTS = {"bad": "wrong-result"}


def verify(ccl_sim, path, slots, report):
    run = subprocess.run([ccl_sim, "verify", str(path), "--slots", slots, "--json", report],
                         capture_output=True, text=True)
    return json.load(open(report)), run


def problems(row, path, ccl_sim, report):
    verdict, by_slots = row[2], row[7]
    expected = {}
    for pair in by_slots.split():
        if ":" in pair:
            slots, what = pair.split(":")
            expected[slots] = what.lower()
    for slots in ("inf", "8", "2", "1"):
        want = expected.get(slots, verdict)
        want = VERDICTS.get(want, want)
        got, run = verify(ccl_sim, path, slots, report)
        if got["verdict"] != want:
            yield f"with {slots} slots: {got['verdict']}, not {want}: {run.stderr[:300]}"
            continue
        code = {"ok": 0, "malformed": 2}.get(want, 1)
        if run.returncode != code:
            yield f"with {slots} slots: exit code {run.returncode}, not {code}"
        if want != "ok" and not got["errors"]:
            yield f"with {slots} slots: no message"
        if want == "malformed" and got["errors"] and got["errors"][0]["location"].count(":") < 2:
            yield f"no line and column: {got['errors'][0]['location']}"
        if want == "deadlock" and got["errors"] and len(got["errors"][0]["notes"]) < 2:
            yield f"with {slots} slots: the message names no circle of waits"


def main():
    if "CCLC_CORPUS" not in os.environ:
        print("CCLC_CORPUS is not set")
        return 77
    folder = pathlib.Path(os.environ["CCLC_CORPUS"]) / "msccl-xml"
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()[1:]]
    failures = 0
    with tempfile.TemporaryDirectory() as temp:
        report = os.path.join(temp, "report.json")
        for row in rows:
            for problem in problems(row, folder / row[0], sys.argv[1], report):
                print(f"{row[0]}: {problem}")
                failures += 1
    print(f"{len(rows)} files, {failures} failures")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
