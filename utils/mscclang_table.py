#!/usr/bin/env python3
"""Compare plans of MSCCLang's example algorithms with those of its own compiler.

usage: mscclang_table.py --bin DIR --document FILE [--update]

Compiles examples/mscclang with the parameters of utils/mscclang_reference.tsv, which has the figures
of MSCCLang's plans. Fails when the table between the markers in FILE is another one, or when a plan
has more steps or a longer path than MSCCLang's right one; --update writes the table instead.
"""

import csv
import json
import pathlib
import sys

from doc_tables import run, table
from plan_steps import longest_path

ROOT = pathlib.Path(__file__).resolve().parent.parent
NONE = "–"
COLUMNS = ["steps", "nop", "waits", "unit", "tb", "channels", "longest"]
HEADER = ["program", "ranks", "steps", "nops", "waits", "path", "threadblocks a rank", "channels",
          "longest threadblock", "MSCCLang"]


def figures(plan):
    """The same as the reference has of a plan."""
    blocks = [tb for rank in plan["ranks"] for tb in rank["threadblocks"]]
    steps = [step for tb in blocks for step in tb["steps"]]
    return {"steps": len(steps), "nop": sum(step["op"] == "nop" for step in steps),
            "waits": sum("wait" in step for step in steps), "unit": longest_path(plan),
            "tb": len(blocks), "channels": 1 + max((tb["channel"] for tb in blocks), default=-1),
            "longest": max((len(tb["steps"]) for tb in blocks), default=0)}


def shown(column, value, ranks):
    if value is None:
        return NONE
    return f"{value / ranks:g}" if column == "tb" else str(value)


def reference():
    """The rows, by name; figures are none where MSCCLang's compiler fails."""
    with open(pathlib.Path(__file__).with_name("mscclang_reference.tsv"), encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            for column in COLUMNS:
                row[column] = None if row[column] == "-" else int(row[column])
            yield row


def make(tools, _):
    rows, wrong = [], []
    for theirs in reference():
        plan = tools.scratch / "plan.json"
        options = [] if theirs["options"] == "-" else theirs["options"].split()
        tools.run("cclc", ROOT / "examples/mscclang" / f"{theirs['program']}.cpp", *options,
                  "-o", plan)
        text = json.loads(plan.read_text())
        ours, ranks = figures(text), len(text["ranks"])
        assert ranks == int(theirs["ranks"]), theirs["name"]
        cells = [f"{shown(column, ours[column], ranks)} ({shown(column, theirs[column], ranks)})"
                 for column in COLUMNS]
        rows.append([f"`{theirs['name']}`", ranks, *cells, theirs["state"]])
        if theirs["state"] == "ok":
            wrong += [f"{theirs['name']}: {ours[column]} {what}, but MSCCLang {theirs[column]}"
                      for column, what in (("steps", "steps"), ("unit", "on the longest path"))
                      if ours[column] > theirs[column]]
    return {"plans": table(HEADER, rows)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
