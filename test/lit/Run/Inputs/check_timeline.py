"""Checks the trace of an execution against its plan.

usage: check_timeline.py PLAN.json TRACE SLOTS measured|both

Every step is executed once for each piece, in the order of its threadblock; slices do not overlap;
every message has both ends of its arrow, and is sent before it is received; no more slots are in use
than there are.
"""

import collections
import json
import sys

plan_file, trace_file, slots, kinds = sys.argv[1:]
plan = json.load(open(plan_file))
events = json.load(open(trace_file))["traceEvents"]


def check(condition, *what):
    if not condition:
        sys.exit(f"{trace_file}: {what}")


names = {e["pid"]: e["args"]["name"] for e in events if e.get("name") == "process_name"}
check(len(set(names.values())) == len(names), "two processes have one name", names)
ranks = {pid: int(name.split()[2]) for pid, name in names.items() if name.startswith("measured rank ")}
check(sorted(ranks.values()) == list(range(len(plan["ranks"]))), "ranks", names)
check(any(name.startswith("predicted rank ") for name in names.values()) == (kinds == "both"), names)

threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"}
run = [e for e in events if e.get("cat") == "run" and names[e["pid"]] == "measured run"]
check(len(run) == 1 and run[0]["ts"] == 0, "run", run)
pieces = run[0]["args"]["pieces"]
error = int(run[0]["args"]["clock_error_ns"]) / 1e3

steps, times, arrows = collections.Counter(), collections.defaultdict(list), collections.defaultdict(dict)
for e in events:
    if e["pid"] not in ranks or e["ph"] == "M":
        continue
    track = ranks[e["pid"]], int(threads[e["pid"], e["tid"]].split(",")[0].split()[1])
    if e["ph"] in "sf":
        check(e["ph"] not in arrows[e["id"]], "an arrow has two ends of one kind", e)
        arrows[e["id"]][e["ph"]] = e["ts"]
        continue
    check(e["ph"] == "X" and e["dur"] >= 0, "an event", e)
    check(e["ts"] + e["dur"] <= run[0]["dur"] + error, "a step ends after the run", e)
    times[track].append((e["ts"], e["ts"] + e["dur"]))
    if e["cat"] == "step":
        steps[track, e["args"]["step"]] += 1

for track, spans in times.items():
    for before, after in zip(spans, spans[1:]):
        check(before[1] <= after[0] + 1e-6, "slices overlap", track, before, after)
expected = {}
for rank in plan["ranks"]:
    for number, threadblock in enumerate(rank["threadblocks"]):
        for step in range(len(threadblock["steps"])):
            expected[(rank["rank"], number), step] = pieces
check(steps == expected, "steps", steps, expected)
check(arrows, "no arrows")
for ends in arrows.values():
    check(set(ends) == {"s", "f"}, "an arrow without an end", ends)
    check(ends["s"] <= ends["f"] + 2 * error, "received before it is sent", ends)
used = [e["args"]["slots"] for e in events if names[e["pid"]] == "measured slots in use" and e["ph"] == "C"]
check(used and min(used) == 0 and max(used) <= int(slots), "slots", used)
