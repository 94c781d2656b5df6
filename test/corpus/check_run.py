#!/usr/bin/env python3
"""Executes published algorithm files by threads, and compares what happens with the verdicts.

usage: check_run.py CCL_RUN

CCLC_CORPUS names a folder with msccl-xml/index.tsv (see check_corpus.py). A file that is proved runs
and gives the right data; a file that deadlocks or gives a wrong result does so for real, under
--unproved, and a deadlock has the cycle that the verifier names.

No file has a race, so waits are removed: of the files for which the verifier then reports a race, some
give wrong data under --jitter, and none deadlocks. One thread executes all ranks, so that a seed always
gives the same order. Without CCLC_CORPUS the test is skipped (exit code 77).
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile


WAITS_OF_FILE, SEEDS = 3, 20
WAIT = re.compile(r'depid="\d+" deps="\d+"')


def execute(ccl_run, path, slots, timeout, *options):
    command = [ccl_run, str(path), "--slots", slots, "--bytes", "10007", "--check-data",
               "--iterations", "0", "--timeout", timeout, *options]
    return subprocess.run(command, capture_output=True, text=True)


def cycle(run):
    """The waits of the report of a deadlock."""
    return sorted(line.split("note: ")[1] for line in run.stderr.splitlines() if "waits for" in line)


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
        run = execute(ccl_run, path, slots, "1" if want == "deadlock" else "60", "--unproved")
        got = outcome(run)
        if want == "deadlock" and cycle(run) != cycle(execute(ccl_run, path, slots, "60")):
            yield f"{path.name} with {slots} slots: another cycle: {cycle(run)}"
        # A race need not happen.
        if got != want and not (want == "race" and got in ("ok", "wrong-result")):
            yield f"{path.name} with {slots} slots: {got}, not {want}"


def races(path, ccl_run):
    """Whether each of the first waits whose removal is a race gives wrong data with a seed."""
    text = path.read_text(errors="replace")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        changed = pathlib.Path(folder) / path.name
        for wait in list(WAIT.finditer(text))[:4 * WAITS_OF_FILE]:
            if len(results) == WAITS_OF_FILE:
                break
            changed.write_text(text[:wait.start()] + 'depid="-1" deps="-1"' + text[wait.end():])
            if "error: race on" not in execute(ccl_run, changed, "8", "60").stderr:
                continue
            runs = (outcome(execute(ccl_run, changed, "8", "60", "--unproved", "--threads", "1", "--jitter",
                                    str(seed))) for seed in range(SEEDS))
            results.append(next((got for got in runs if got != "ok"), "ok"))
    return path.name, results


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
    correct = [folder / row[0] for row in rows if row[2] == "ok"]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        raced = list(pool.map(lambda path: races(path, sys.argv[1]), correct))
    outcomes = [got for _, results in raced for got in results]
    for name, results in raced:
        if set(results) - {"ok", "wrong-result"}:
            print(f"{name} without a wait: {results}")
            failures.append(name)
    wrong = outcomes.count("wrong-result")
    print(f"{len(outcomes)} races by removed waits, {wrong} with wrong data")
    return 1 if failures or not rows or not wrong else 0


if __name__ == "__main__":
    sys.exit(main())
