#!/usr/bin/env python3
"""Compare plans for MSCCLang's example algorithms with those of MSCCLang's compiler.

usage: mscclang_table.py --bin DIR --document FILE [--update]

Compiles examples/mscclang with the parameters of utils/mscclang_reference.tsv, which has the figures
of MSCCLang's plans. Fails if a table between the markers in FILE is out of date, if a plan has more
steps or a longer path than a correct plan of MSCCLang, or if a plan of the second table exceeds its
limits; --update updates the tables instead.
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
# Requirements on the goals of the scheduler: row of the reference, option, maximum of steps, maximum
# of threadblocks of a rank.
GOALS = [("hier_allreduce_8x2_auto", "--optimize-for=steps", 528, None),
         ("hier_allreduce_8x2_auto", "--max-threadblocks=6", 576, 6),
         ("hier_allreduce_8x2_manual", "--optimize-for=threadblocks", 576, 6),
         ("allreduce_allpairs_8", "--optimize-for=steps", 760, None),
         ("allreduce_1step_8", "--optimize-for=steps", 760, None),
         ("hier_allreduce_8x4_auto", "--aggregate", 2239, None),
         ("alltoall_two_step_4x8", "--optimize-for=steps", 2336, None),
         ("allreduce_rdh_16", "--optimize-for=steps", 256, None)]
GOALS_HEADER = ["program", "option", "steps", "nops", "path", "most threadblocks of a rank"]


def figures(plan):
    """The figures of a plan that the reference has."""
    blocks = [tb for rank in plan["ranks"] for tb in rank["threadblocks"]]
    steps = [step for tb in blocks for step in tb["steps"]]
    return {"steps": len(steps), "nop": sum(step["op"] == "nop" for step in steps),
            "waits": sum("wait" in step for step in steps), "unit": longest_path(plan),
            "tb": len(blocks), "most_tb": max(len(rank["threadblocks"]) for rank in plan["ranks"]),
            "channels": 1 + max((tb["channel"] for tb in blocks), default=-1),
            "longest": max((len(tb["steps"]) for tb in blocks), default=0)}


def shown(column, value, ranks):
    if value is None:
        return NONE
    return f"{value / ranks:g}" if column == "tb" else str(value)


def reference():
    """The rows by name; figures are None if MSCCLang's compiler fails."""
    with open(pathlib.Path(__file__).with_name("mscclang_reference.tsv"), encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            for column in COLUMNS:
                row[column] = None if row[column] == "-" else int(row[column])
            yield row


def compiled(tools, row, *more):
    plan = tools.scratch / "plan.json"
    options = [] if row["options"] == "-" else row["options"].split()
    tools.run("cclc", ROOT / "examples/mscclang" / f"{row['program']}.cpp", *options, *more,
              "-o", plan)
    return json.loads(plan.read_text())


def goals(tools, rows):
    """The plans of the second table, and the requirements that they miss."""
    shown_rows, wrong = [], []
    for name, option, steps, threadblocks in GOALS:
        theirs = rows[name]
        ours = figures(compiled(tools, theirs, option))
        shown_rows.append([f"`{name}`", f"`{option}`", f"{ours['steps']} ({theirs['steps']})",
                           f"{ours['nop']} ({theirs['nop']})", f"{ours['unit']} ({theirs['unit']})",
                           ours["most_tb"]])
        if ours["steps"] > steps:
            wrong.append(f"{name} {option}: {ours['steps']} steps, not at most {steps}")
        if threadblocks and ours["most_tb"] > threadblocks:
            wrong.append(f"{name} {option}: {ours['most_tb']} threadblocks on a rank")
    return table(GOALS_HEADER, shown_rows), wrong


def make(tools, _):
    rows, wrong = [], []
    for theirs in reference():
        text = compiled(tools, theirs)
        ours, ranks = figures(text), len(text["ranks"])
        assert ranks == int(theirs["ranks"]), theirs["name"]
        cells = [f"{shown(column, ours[column], ranks)} ({shown(column, theirs[column], ranks)})"
                 for column in COLUMNS]
        rows.append([f"`{theirs['name']}`", ranks, *cells, theirs["state"]])
        if theirs["state"] == "ok":
            wrong += [f"{theirs['name']}: {ours[column]} {what}, but MSCCLang {theirs[column]}"
                      for column, what in (("steps", "steps"), ("unit", "on the longest path"))
                      if ours[column] > theirs[column]]
    goal_table, missed = goals(tools, {row["name"]: row for row in reference()})
    return {"plans": table(HEADER, rows), "goals": goal_table}, wrong + missed


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
