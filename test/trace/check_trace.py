#!/usr/bin/env python3
"""Checks traces of simulations against the trace event format and against ccl-sim's own report.

usage: check_trace.py BINDIR

Times are compared exactly, in picoseconds.
"""

import bisect
import collections
import decimal
import json
import pathlib
import subprocess
import sys
import tempfile

# Names with all characters that have to be escaped, and longer than those of bundled programs.
HOSTILE = """ccl.version 3
exec.program @"say \\"hi\\" \\\\ \\x01" coll allreduce ranks 1 outofplace {
  phase 1 "a\\"b"
  rank 0 {
    tb 0 ch 0 {
      0: cpy i[0] -> o[0] phase 1 loc("c\\"d\\\\e.cpp":3)
    }
  }
}
""".replace('a\\"b', 'a\\"b' * 2000).replace("e.cpp", "e" * 3000 + ".cpp")

# Program with its options; options of the simulation.
CASES = [
    ("allreduce_ring --ranks 4", "--target ring --bytes 64K"),
    ("allreduce_ring --ranks 5 --instances 2 --slots 1", "--target ring --bytes 1M --slots 1"),
    ("allreduce_lrab --target ahbm", "--bytes 1M"),
    ("allreduce_lrab --target ahbm", "--bytes 256K --network per-flit --set pe.streams=2"),
    ("allreduce_hierarchical -p nodes=2 -p ranks_per_node=2", "--target mesh2d --bytes 1M --slots 1"),
    ("allreduce_ring --ranks 16 --target ndv4 --instances 2", "--bytes 8M"),
    ("allreduce_allpairs --ranks 8 --target ndv4 --protocol LL", "--bytes 64K --repeat 2"),
    ("allreduce_allpairs --ranks 8 --target mi300x", "--bytes 1M"),
    ("hierarchical_sequence --ranks 12", "--target fully-connected --bytes 96K --repeat 3"),
    ("alltoall_direct --ranks 8", "--target torus2d --bytes 256K --network maxmin"),
    ("alltoall_direct --ranks 8", "--target torus2d --bytes 256K --network fifo"),
    ("alltoall_direct --ranks 8", "--target torus2d --bytes 256K --network ideal"),
    ("allreduce_recursive_doubling --ranks 6 -p chunks=2",
     "--target ring --bytes 64K --skew 1=1e-6 --skew 2=2e-6 --schedule random:3"),
    (HOSTILE, "--target ring --bytes 4K --dtype f16 --check-data"),
]
CAUSES = ["launch", "engine", "link", "contention", "slot", "dependence"]
problems = []


class Check:
    """Errors are reported with their case, limited to a few."""

    def __init__(self, case):
        self.case = case
        self.said = collections.Counter()

    def __call__(self, condition, text, *details):
        if condition:
            return
        self.said[text] += 1
        if self.said[text] <= 3:
            problems.append(f"{self.case}: {text} {' '.join(map(str, details))}")


def picoseconds(microseconds):
    value = decimal.Decimal(microseconds) * 1_000_000
    if value != value.to_integral_value():
        raise ValueError(f"{microseconds} is not a whole number of picoseconds")
    return int(value)


KEYS = {
    "M": {"ph", "pid", "name", "args"},
    "X": {"ph", "pid", "tid", "ts", "dur", "name", "cat"},
    "B": {"ph", "pid", "tid", "ts", "name", "cat", "args"},
    "E": {"ph", "pid", "tid", "ts"},
    "s": {"ph", "pid", "tid", "ts", "id", "name", "cat"},
    "f": {"ph", "pid", "tid", "ts", "id", "name", "cat", "bp"},
    "C": {"ph", "pid", "ts", "name", "cat", "args"},
}


def slices_of(track, check):
    """[begin, end, event, depth] of all slices of a track, which are nested; events of equal time are
    in the order of the file."""
    slices, stack = [], []
    for event in sorted(track, key=lambda event: event["ts"]):
        begin = event["ts"]
        while stack and stack[-1][1] is not None and stack[-1][1] <= begin:
            stack.pop()
        if event["ph"] == "E":
            check(stack and stack[-1][1] is None, "an end without a begin", event)
            if stack:
                stack.pop()[1] = begin
            continue
        end = begin + event["dur"] if event["ph"] == "X" else None
        outer = next((entry for entry in reversed(stack) if entry[1] is not None), None)
        check(end is None or outer is None or end <= outer[1], "slices cross", event)
        stack.append([begin, end, event, len(stack)])
        slices.append(stack[-1])
    check(all(end is not None for _, end, _, _ in stack), "a begin without an end")
    for _, _, event, depth in slices:
        check(depth <= 1, "slices nest too deeply", event)
    return slices


def check_links(links, counters, time, repeat, check):
    """Counters have a coarse resolution, but their sums are exact."""
    for link in links:
        samples = counters.pop(link["link"], None)
        check(samples is not None, "a link has no counter", link)
        if samples is None:
            continue
        total = sum((after[0] - before[0]) * before[1]
                    for before, after in zip(samples, samples[1:])) / 100
        wanted = link["busy_ns"] * 1000 * repeat
        check(abs(float(total) - wanted) <= time * 1e-4 + repeat, "a link is busy for another time",
              link["link"], total, wanted)


def check_trace(trace, report, repeat, network, has_protocol, check):
    events = trace["traceEvents"]
    names, tracks, counters = {}, collections.defaultdict(list), collections.defaultdict(list)
    flows = {"s": {}, "f": {}}
    sort = set()
    for event in events:
        phase = event.get("ph")
        check(phase in KEYS, "unknown phase", event)
        extra = {"tid"} if phase == "M" else {"args"} if phase == "X" else set()
        check(KEYS[phase] <= set(event) <= KEYS[phase] | extra, "wrong keys", event)
        for key in ("ts", "dur"):
            if key in event:
                event[key] = picoseconds(event[key])
                check(event[key] >= 0, "negative time", event)
        if phase == "M":
            track = (event["pid"], event.get("tid"))
            if event["name"].endswith("_name"):
                check(track not in names, "two names", event)
                names[track] = event["args"]["name"]
            else:
                check(event["name"].endswith("_sort_index"), "unknown metadata", event)
                sort.add(track)
        elif phase in "XBE":
            tracks[event["pid"], event["tid"]].append(event)
        elif phase in "sf":
            check(event["id"] not in flows[phase], "two flows with one id", event)
            flows[phase][event["id"]] = event
        elif phase == "C":
            (value,) = event["args"].values()
            check(value >= 0, "negative counter", event)
            counters[names[event["pid"], None]].append((event["name"], event["ts"], value))
    check(set(names) == sort, "a name without a place in the order")

    # Slices.
    result = report["results"][0]
    run_pid = next(pid for (pid, _), name in names.items() if name == "run")
    (run,) = [event for (pid, _), track in tracks.items() if pid == run_pid for event in track]
    time = run["dur"]
    check(abs(time - round(result["time_ns"] * 1000) * repeat) <= (repeat if repeat > 1 else 0),
          "the run takes another time", time, result["time_ns"])
    check(run["name"] == report["plan"], "the run has another name", run)
    last_end = max(event["ts"] + event.get("dur", 0) for event in events if "ts" in event)
    check(last_end == time, "the last end is not that of the run", last_end, time)
    for event in events:
        if "HOSTILE" in check.case and "step" in event.get("cat", ""):
            check(event["args"]["phase"] == 'a"b' * 2000, "the phase has another name")
            check(event["args"]["at"] == 'c"d\\' + "e" * 3000 + ".cpp:3", "another source line",
                  event["args"]["at"][:20])
    steps = 0
    sums = {}
    executions = {}  # by track
    for track, its_events in sorted(tracks.items()):
        if track[0] == run_pid:
            continue
        check(track in names and (track[0], None) in names, "a track without a name", track)
        slices = slices_of(its_events, check)
        executions[track] = [(begin, end) for begin, end, event, _ in slices
                             if "step" in event["cat"].split(",")]
        sums[track] = dict.fromkeys(CAUSES, 0)
        at = 0
        for begin, end, event, depth in slices:
            categories = event["cat"].split(",")
            steps += "step" in categories
            check(depth == 0 or "step" not in categories, "a step in a step", event)
            for cause in categories:
                if cause in CAUSES:
                    sums[track][cause] += end - begin
            if depth == 0:
                check(begin == at, "time that is not accounted for", event, at)
                at = end
    check(steps == result["steps"] * repeat, "number of steps", steps, result["steps"])
    for (track, sum_), row in zip(sorted(sums.items()), result["threadblocks"]):
        wanted = {cause: round(ns * 1000) for cause, ns in row["causes_ns"].items()}
        check(sum_ == wanted, "causes of a threadblock", track, sum_, wanted)
        check(names[track[0], None].startswith(f"rank {row['rank']} ("), "a rank has another name")
        check(names[track].startswith(f"tb {row['tb']}, "), "a threadblock has another name")
    check(len(sums) == len(result["threadblocks"]), "number of threadblocks")

    # Arrows.
    check(set(flows["s"]) == set(flows["f"]), "an arrow has one end")
    check(has_protocol or len(flows["s"]) == result["messages"] * repeat, "number of arrows",
          len(flows["s"]), result["messages"])
    for id_, send in flows["s"].items():
        receive = flows["f"].get(id_, send)
        check(send["ts"] <= receive["ts"] and send["pid"] != receive["pid"], "an arrow leads back")
    begins = {track: [begin for begin, _ in spans] for track, spans in executions.items()}
    for event in [*flows["s"].values(), *flows["f"].values()]:
        track = event["pid"], event["tid"]
        last = bisect.bisect_right(begins[track], event["ts"]) - 1
        check(last >= 0 and event["ts"] <= executions[track][last][1],
              "an arrow does not touch a step", event)

    # Counters.
    by_name = {}
    for process, samples in counters.items():
        check(process in ("links", "slots in use"), "counters of another process", process)
        grouped = collections.defaultdict(list)
        for name, ts, value in samples:
            check(not grouped[name] or grouped[name][-1][0] < ts, "a counter goes back", name, ts)
            grouped[name].append((ts, value))
        for name, values in grouped.items():
            check(values[-1][1] == 0, "a counter does not end at 0", name, values[-1])
        by_name[process] = grouped
    slots = report["slots"]
    for name, values in by_name.get("slots in use", {}).items():
        check(max(value for _, value in values) <= slots, "more slots than there are", name)
    if network in ("cut-through", "fifo"):
        links = dict(by_name.get("links", {}))
        check_links(result["links"], links, time, repeat, check)
        check(not links, "counters of links that are not used", links)


def main():
    bindir = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        plan, trace = pathlib.Path(folder) / "plan.ccl", pathlib.Path(folder) / "trace.json"
        for program, options in CASES:
            name = "HOSTILE" if "\n" in program else f"{program} {options}"
            check = Check(name)
            if "\n" in program:
                plan.write_text(program)
            else:
                subprocess.run([bindir / "cclc", *program.split(), "-o", plan, "--print-locs"],
                               check=True)
            command = [bindir / "ccl-sim", plan, *options.split(), "--json", "-"]
            plain = subprocess.run(command, capture_output=True, text=True)
            traced = subprocess.run([*command, "--trace", trace], capture_output=True, text=True)
            check(plain.returncode == 0 and traced.stdout == plain.stdout,
                  "the trace changes the result", plain.stderr, traced.stderr)
            if plain.returncode != 0:
                continue
            report = json.loads(plain.stdout)
            words = options.split()
            repeat = int(words[words.index("--repeat") + 1]) if "--repeat" in words else 1
            text = trace.read_text()
            check_trace(json.loads(text, parse_float=decimal.Decimal), report, repeat,
                        report["network"], report["target"] in ("ndv4", "mi300x"), check)
    for problem in problems:
        print(problem[:600], file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
