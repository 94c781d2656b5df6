#!/usr/bin/env python3
"""Lints published algorithm files: a runtime loads the files of its own repository.

usage: check_lint.py CCL_SIM

CCLC_CORPUS names a folder with msccl-xml/index.tsv (see check_corpus.py). Without it the test is
skipped (exit code 77).
"""

import json
import os
import pathlib
import subprocess
import sys

VERDICTS = {"bad": "wrong-result"}
HOMES = {"microsoft/msccl/": "msccl", "ROCm/rccl/": "rccl", "meta-pytorch/torchcomms/": "rccl",
         "Azure/msccl-scheduler/": "msccl-executor"}


def problems(row, got):
    want = VERDICTS.get(row[2], row[2])
    if got["verdict"] != want:
        yield f"{got['verdict']}, not {want}"
    if want != "malformed" and (got["collective"], str(got["ranks"])) != (row[3], row[4]):
        yield f"{got['collective']} of {got['ranks']} ranks, not {row[3]} of {row[4]}"
    for origin, runtime in HOMES.items():
        if row[1].startswith(origin) and got["runtimes"][runtime] != "loads":
            yield f"shipped with {runtime}, which {got['runtimes'][runtime]} it: {got['findings']}"
    for runtime, verdict in got["runtimes"].items():
        named = [f for f in got["findings"]
                 if runtime in f["runtimes"] and f["effect"] == verdict]
        if verdict != "loads" and not named:
            yield f"{runtime} {verdict} it for no reason"
    for finding in got["findings"]:
        if finding["line"] < 1 or finding["column"] < 1 or not finding["remedy"]:
            yield f"no place or remedy: {finding}"


def main():
    if "CCLC_CORPUS" not in os.environ:
        print("CCLC_CORPUS is not set")
        return 77
    folder = pathlib.Path(os.environ["CCLC_CORPUS"]) / "msccl-xml"
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()[1:]]
    run = subprocess.run([sys.argv[1], "lint", str(folder), "--json", "-"],
                         capture_output=True, text=True)
    report = json.loads(run.stdout)
    files = {pathlib.Path(file["file"]).name: file for file in report["files"]}
    failures = 0
    for row in rows:
        for problem in problems(row, files[row[0]]):
            print(f"{row[0]}: {problem}")
            failures += 1
    if run.returncode != 1 or report["right"]:
        print("no runtime loads all of these files, but the exit code is", run.returncode)
        failures += 1
    if not any("index.tsv" in note for note in report["notes"]):
        print("index.tsv is in the folder, but there is no note about it")
        failures += 1
    print(f"{len(rows)} files, {failures} failures")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
