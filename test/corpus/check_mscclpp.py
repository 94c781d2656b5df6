#!/usr/bin/env python3
"""Proves plans that MSCCL++'s own programs generate.

usage: check_mscclpp.py CCLC CCL_SIM

CCLC_CORPUS names a folder with mscclpp/index.tsv: files and their verdicts. All files must be proved
except those of NOT_PROVED. All proved files are simulated, with data; converted to plans of steps, they compute the right data as
well, and the plan of MSCCL++ that those are lowered to is proved. Plans with one packet or
wait removed must not be proved. Without the folder the test is skipped (exit code 77).
"""

import copy
import json
import os
import pathlib
import subprocess
import sys

# Other verdicts, and a part of the error.
NOT_PROVED = {
    # Neither rank learns that its own transfer is complete before its caller may overwrite the input.
    "multi_node__send_recv.g2.json": ("race", "(pws) reads it, the caller, after the launch"),
    "unit_tests__switch_reduce_test.json": ("unsupported", "operation 'glre'"),
    # Only the first of four threadblocks that share an operation synchronises with the other rank.
    "unit_tests__tbg__tbg_reduce_send_test.json": ("race", "(res) writes it, the caller, after"),
}


def prove(ccl_sim, text):
    run = subprocess.run([ccl_sim, "verify", "-", "--json", "-"], input=text,
                         capture_output=True, text=True)
    return json.loads(run.stdout[run.stdout.index("{"):]), run.returncode


def problems(name, judged, report, code):
    expected, part = NOT_PROVED.get(name, ("ok", ""))
    if judged == "ok" and expected != "ok":
        yield "judged ok, and not expected to be proved"
    if report["verdict"] != expected:
        yield f"{report['verdict']}, not {expected}: {report['errors']}"
    if code != {"ok": 0, "unsupported": 2}.get(report["verdict"], 1):
        yield f"{report['verdict']} with exit code {code}"
    if part not in " ".join(error["text"] for error in report["errors"]):
        yield f"no error with {part!r}"


def simulates(ccl_sim, text):
    """Whether two launches on one machine compute the right data."""
    run = subprocess.run([ccl_sim, "-", "--target", "dgx-h100", "--bytes", "64K", "--repeat", "2",
                          "--check-data", "--json", "-"], input=text, capture_output=True, text=True)
    return run.returncode == 0 and json.loads(run.stdout)["results"][0]["data_ok"] is not False


def converts(cclc, ccl_sim, path):
    """Whether the plan is lifted to one of steps, which is right and is lowered again."""
    steps = subprocess.run([cclc, "convert", path], capture_output=True, text=True)
    again = subprocess.run([cclc, "convert", "-", "--emit=mscclpp"], input=steps.stdout,
                           capture_output=True, text=True)
    return (steps.returncode == 0 and simulates(ccl_sim, steps.stdout)
            and prove(ccl_sim, again.stdout)[0]["verdict"] == "ok")


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
    cclc, ccl_sim = sys.argv[1:]
    for file, _, judged, _ in rows:
        text = (folder / file).read_text()
        report, code = prove(ccl_sim, text)
        for problem in problems(file, judged, report, code):
            print(f"{file}: {problem}")
            failures += 1
        if report["verdict"] == "ok" and not simulates(ccl_sim, text):
            print(f"{file}: not simulated")
            failures += 1
        if report["verdict"] == "ok" and not converts(cclc, ccl_sim, folder / file):
            print(f"{file}: not converted")
            failures += 1
        if file in NOT_PROVED or "pkt" not in text:
            continue
        for name, mutant in mutants(json.loads(text)):
            tried += 1
            report, code = prove(ccl_sim, json.dumps(mutant))
            if report["verdict"] in ("ok", "malformed", "unsupported") or code != 1:
                print(f"{file}: {name} is {report['verdict']}")
                failures += 1
    print(f"{len(rows)} files, {tried} mutants, {failures} failures")
    return 1 if failures or not rows or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
