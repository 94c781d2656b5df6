#!/usr/bin/env python3
"""Proves plans that MSCCL++'s own programs generate.

usage: check_mscclpp.py CCL_SIM

CCLC_CORPUS names a folder with mscclpp/index.tsv: files and their verdicts. A file with the
verdict `ok` must be proved; each other file is proved, or unsupported with the name of the feature.
Plans with one packet or wait removed must not be proved. Without the folder the test is skipped (exit
code 77).
"""

import copy
import json
import os
import pathlib
import subprocess
import sys

# The name of each unsupported feature, and the text by which a file is recognised.
FEATURES = {"port channels": '"port"', "switch channels": '"switch"', "'pipeline'": '"pipeline"',
            "'tbg_info'": '"tbg_info"'}


def prove(ccl_sim, text):
    run = subprocess.run([ccl_sim, "--verify-only", "-", "--json", "-"], input=text,
                         capture_output=True, text=True)
    return json.loads(run.stdout[run.stdout.index("{"):]), run.returncode


def problems(name, judged, text, report, code):
    verdict = report["verdict"]
    if verdict == "ok":
        if code != 0 or report["errors"]:
            yield f"ok with exit code {code}"
        return
    if judged == "ok":
        yield f"{verdict}: {report['errors']}"
    if verdict != "unsupported" or code != 2:
        yield f"{verdict} with exit code {code}, not unsupported with 2"
    said = " ".join(error["text"] for error in report["errors"])
    compact = text.replace(" ", "")
    for feature, sign in FEATURES.items():
        if (feature in said) != (sign in compact):
            yield f"{feature}: {'said' if feature in said else 'not said'}"


def mutants(plan):
    """The plan with one packet, wait or operand of a sum of the first rank removed."""
    for t, threadblock in enumerate(plan["gpus"][0]["threadblocks"][:2]):
        for o, op in enumerate(threadblock["ops"]):
            if op["name"] != "nop":
                mutant = copy.deepcopy(plan)
                del mutant["gpus"][0]["threadblocks"][t]["ops"][o]
                yield f"tb {t} without op {o} ({op['name']})", mutant
            if op["name"] in ("repkt", "respkt"):
                mutant = copy.deepcopy(plan)
                del mutant["gpus"][0]["threadblocks"][t]["ops"][o]["src_buff"][1]
                yield f"tb {t} op {o} without a packet", mutant


def main():
    folder = pathlib.Path(os.environ.get("CCLC_CORPUS", "")) / "mscclpp"
    if "CCLC_CORPUS" not in os.environ or not folder.is_dir():
        print("CCLC_CORPUS does not name a folder with mscclpp")
        return 77
    rows = [line.split("\t") for line in (folder / "index.tsv").read_text().splitlines()[1:]]
    failures = tried = 0
    for file, _, judged, _ in rows:
        text = (folder / file).read_text()
        report, code = prove(sys.argv[1], text)
        for problem in problems(file, judged, text, report, code):
            print(f"{file}: {problem}")
            failures += 1
        if judged != "ok" or "pkt" not in text:
            continue
        for name, mutant in mutants(json.loads(text)):
            tried += 1
            report, code = prove(sys.argv[1], json.dumps(mutant))
            if report["verdict"] in ("ok", "malformed", "unsupported") or code != 1:
                print(f"{file}: {name} is {report['verdict']}")
                failures += 1
    print(f"{len(rows)} files, {tried} mutants, {failures} failures")
    return 1 if failures or not rows or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
