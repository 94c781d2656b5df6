#!/usr/bin/env python3
"""Converts published algorithm files for RCCL, which does not execute fused receives.

usage: check_convert.py CCLC CCL_SIM

CCLC_CORPUS names a folder with msccl-xml/index.tsv (see check_corpus.py). A file that is proved
is converted to one that RCCL loads, with the same results, or rejected by a limit of that runtime; a
file that is not proved is rejected. Without CCLC_CORPUS the test is skipped (exit code 77).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

# The numbers of files that RCCL loads unchanged and after the conversion; update them with the corpus.
LOADED, CONVERTED = 20, 40


def lint(ccl_sim, path):
    run = subprocess.run([ccl_sim, "lint", str(path), "--xml-dialect", "rccl", "--json", "-"],
                         capture_output=True, text=True)
    files = json.loads(run.stdout)["files"] if run.stdout else []
    return bool(files) and files[0]["runtimes"]["rccl"] == "loads"


def reduction(ccl_sim, path):
    run = subprocess.run([ccl_sim, "verify", str(path), "--slots", "inf", "--json", "-"],
                         capture_output=True, text=True)
    report = json.loads(run.stdout)
    return report["verdict"], report["reduction_hash"]


def problems(verdict, path, converted, run, ccl_sim):
    if run.returncode == 0:
        if verdict != "ok":
            yield f"{verdict}, but it is converted"
        if not lint(ccl_sim, converted):
            yield "rccl does not load what was written"
        if reduction(ccl_sim, converted) != reduction(ccl_sim, path):
            yield "the result is reduced in another order"
        return
    if run.returncode != (2 if verdict == "malformed" else 1):
        yield f"exit code {run.returncode}: {run.stderr[:300]}"
    if verdict == "ok" and "illegal for rccl" not in run.stderr:
        yield f"refused without a limit: {run.stderr[:300]}"
    if converted.exists():
        yield "a file is written"


def main():
    if "CCLC_CORPUS" not in os.environ:
        print("CCLC_CORPUS is not set")
        return 77
    cclc, ccl_sim = sys.argv[1:]
    folder = pathlib.Path(os.environ["CCLC_CORPUS"]) / "msccl-xml"
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()[1:]]
    failures = loaded = done = 0
    with tempfile.TemporaryDirectory() as temp:
        for name, _, verdict, *_ in rows:
            path, converted = folder / name, pathlib.Path(temp) / name
            run = subprocess.run([cclc, "convert", str(path), "-o", str(converted),
                                  "--xml-dialect", "rccl"], capture_output=True, text=True)
            loaded += lint(ccl_sim, path)
            done += run.returncode == 0
            for problem in problems(verdict, path, converted, run, ccl_sim):
                print(f"{name}: {problem}")
                failures += 1
    print(f"of {len(rows)} files rccl loads {loaded}, and {done} after the conversion; "
          f"{failures} failures")
    if len(rows) == 45 and (loaded, done) != (LOADED, CONVERTED):
        print(f"expected {LOADED} and {CONVERTED}")
        failures += 1
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
