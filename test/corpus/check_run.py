#!/usr/bin/env python3
"""Executes published algorithm files by threads, and compares what happens with the verdicts.

usage: check_run.py CCL_RUN

CCLC_CORPUS names a folder with msccl-xml/index.tsv (see check_corpus.py). A file that is proved runs
and gives the right data; a file that deadlocks or gives a wrong result does so for real, under
--unproved. Without CCLC_CORPUS the test is skipped (exit code 77).
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys


def execute(ccl_run, path, slots, timeout):
    command = [ccl_run, str(path), "--unproved", "--slots", slots, "--bytes", "10007", "--check-data",
               "--iterations", "0", "--timeout", timeout]
    return subprocess.run(command, capture_output=True, text=True)


def outcome(run):
    """What happened, in the words of the verifier."""
    if run.returncode == 2:
        return "malformed"
    if "error: deadlock with" in run.stderr:
        return "deadlock"
    if "WRONG" in run.stdout:
        return "wrong-result"
    return "ok" if run.returncode == 0 else f"exit code {run.returncode}: {run.stderr[:300]}"


def problems(row, path, ccl_run):
    verdict, by_slots = row[2], row[7]
    expected = dict(pair.lower().split(":") for pair in by_slots.split() if ":" in pair)
    for slots in ("8", "2", "1"):
        want = {"bad": "wrong-result"}.get(expected.get(slots, verdict), expected.get(slots, verdict))
        # On a busy machine, an execution that goes on may pause.
        got = outcome(execute(ccl_run, path, slots, "1" if want == "deadlock" else "60"))
        # A race need not happen.
        if got != want and not (want == "race" and got in ("ok", "wrong-result")):
            yield f"{path.name} with {slots} slots: {got}, not {want}"


def main():
    if "CCLC_CORPUS" not in os.environ:
        print("CCLC_CORPUS is not set")
        return 77
    folder = pathlib.Path(os.environ["CCLC_CORPUS"]) / "msccl-xml"
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()[1:]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda row: list(problems(row, folder / row[0], sys.argv[1])), rows)
        failures = [text for texts in found for text in texts]
    for text in failures:
        print(text)
    print(f"{len(rows)} files, {len(failures)} differ")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
