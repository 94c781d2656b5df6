#!/usr/bin/env python3
"""Opens reports in a browser and operates them as their readers do.

usage: check_report.py BIN [--screenshots FOLDER]

BIN contains cclc, ccl-run, ccl-sim and ccl-tune. Exits with 77 if Chromium and its driver are not installed.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import webdriver
from reader import Reader
from tune_page import check_failures, check_measured_plans, check_tune


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def results_of(path):
    return json.loads(path.read_text())["results"]


def steps_of(path):
    """Name and source line of every step, in the order of the plan."""
    plan = json.loads(path.read_text())
    steps = []
    for rank in plan["ranks"]:
        for tb in rank["threadblocks"]:
            for number, step in enumerate(tb["steps"]):
                file, line = plan["locations"][step["loc"]][:2]
                steps.append((f"r{rank['rank']} tb{tb['tb']} step {number} ({step['op']})",
                              f"{plan['files'][file]}:{line}"))
    return steps


def senders_of(path):
    """By receiving step, the name of the sending step: the n-th of the same connection."""
    sends, receives, number = {}, {}, 0
    for rank in json.loads(path.read_text())["ranks"]:
        for tb in rank["threadblocks"]:
            for local, step in enumerate(tb["steps"]):
                name = f"r{rank['rank']} tb{tb['tb']} step {local} ({step['op']})"
                if step["op"] in ("s", "rcs", "rrs", "rrcs"):
                    sends.setdefault((rank["rank"], tb["send"], tb["channel"]), []).append(name)
                if step["op"] in ("r", "rcs", "rrc", "rrs", "rrcs"):
                    connection = (tb["recv"], rank["rank"], tb["channel"])
                    receives.setdefault(connection, []).append(number)
                number += 1
    return {step: name for key in receives for step, name in zip(receives[key], sends[key])}


def segments_of(result):
    """(cause, length, begin) of the critical path, in picoseconds."""
    return [(s["cause"], round(s["length_ns"] * 1000), round(s["from_ns"] * 1000))
            for s in result["critical_path"]["segments"]]


def check_sweep(reader, bin, folder):
    """An all-reduce of 32 cubes on AHBM, over four sizes: a report with all of its parts."""
    plan, page, numbers = folder / "ahbm.json", folder / "ahbm.html", folder / "numbers.json"
    run(bin / "cclc", "allreduce_lrab", "--target", "ahbm", "-o", plan)
    run(bin / "ccl-sim", plan, "--sweep", "4K:256K:4", "--dtype", "f16", "--report", page,
        "--critical-path", "--what-if", "--json", numbers)
    results, steps = results_of(numbers), steps_of(plan)
    reader.open(page)
    reader.changes_screens()
    reader.narrows_the_window()
    reader.looks_at_both_themes()
    reader.goes_through_with_tab()
    reader.compares_times(results)
    reader.asks_what_if(json.loads(numbers.read_text())["what_if"])
    spans = reader.hovers(steps)
    reader.asks_what_waits_are_for(senders_of(plan))
    reader.zooms()
    reader.clicks(steps, spans)
    reader.follows_path(segments_of(results[-1]))
    reader.reads_phases(results[-1])
    reader.walks()
    reader.slides()
    reader.moves_about_the_machine()
    reader.points_at_a_link(results[-1]["links"])
    reader.looks_into_a_chunk(32)
    reader.ask("choose", "size", "0")
    reader.wait("the smallest size is shown", "size() === arguments[0]", str(results[0]["bytes"]))
    reader.hovers(steps)
    reader.ends_silent()


def check_comparison(reader, bin, folder):
    """Two plans for the same collective, on two nodes of GPUs: one time axis, and the differences."""
    new, old, page = folder / "new.json", folder / "old.json", folder / "comparison.html"
    run(bin / "cclc", "allreduce_hierarchical", "--target", "ndv4", "-o", new)
    run(bin / "cclc", "allreduce_ring", "--ranks", "16", "--target", "ndv4", "-o", old)
    run(bin / "ccl-sim", new, "--baseline", old, "--sweep", "64K:4M:8", "--report", page)
    times = []
    for plan in (new, old):
        numbers = folder / "numbers.json"
        run(bin / "ccl-sim", plan, "--bytes", "4M", "--json", numbers)
        times.append(results_of(numbers)[0]["time_ns"])
    reader.open(page)
    reader.narrows_the_window()
    reader.screenshot("overview")
    name, *shown, change = reader.ask("cells", "#comparison-table tbody tr:first-child > *")
    reader.equal("the first row", [name, *shown], ["time", *(f"{t:,.3f} ns" for t in times)])
    rows = reader.ask("cells", "#comparison-table tbody tr > :first-child")
    for phase in ("reduce-scatter in each node", "all-gather"):
        reader.true(f"{phase} is compared", f"critical path: phase {phase}" in rows)
    part = 100 * (times[0] / times[1] - 1)
    reader.true(f"the change is {part}: {change}", abs(int(change.rstrip(" %")) - part) <= 0.51)
    reader.equal("one time axis", reader.ask("range", 0), reader.ask("range", 1))
    reader.hovers(steps_of(new), 0)
    reader.hovers(steps_of(old), 1)
    reader.ask("zoom", 1e8, 2e8)
    reader.wait("the other timeline follows", "shows(1e8, 2e8, 1)")
    reader.screenshot("timelines")
    for plan, which in ((old, "1"), (new, "0")):
        reader.ask("choose", "plan", which)
        run(bin / "ccl-sim", plan, "--bytes", "4M", "--critical-path", "--json", numbers)
        [result] = results_of(numbers)
        reader.follows_path(segments_of(result), int(which))
        reader.points_at_a_link(result["links"])
    reader.looks_at_both_themes()
    reader.ends_silent()


def message_plan(ranks, sends):
    """A plan with one step for each (sender, receiver, chunks): it sends that many chunks."""
    chunks = max(count for *_, count in sends)
    lines = ["ccl.version 2",
             f"exec.program @message coll custom ranks {ranks} outofplace slots 8 {{",
             f"  input {chunks}", f"  output {chunks}"]
    lines += [f"  expect r{to}:o[{c}] = r{at}:i[{c}]" for at, to, count in
              sorted(sends, key=lambda send: send[1]) for c in range(count)]
    part = lambda count: "0" if count == 1 else f"0:{count}"
    for rank in range(ranks):
        tbs = [(f"send r{to}", f"s i[{part(count)}]") for at, to, count in sends if at == rank]
        tbs += [(f"recv r{at}", f"r -> o[{part(count)}]") for at, to, count in sends if to == rank]
        lines.append(f"  rank {rank} {{")
        for number, (peer, step) in enumerate(tbs):
            lines += [f"    tb {number} {peer} ch 0 {{", f"      0: {step}", "    }"]
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def check_measured(reader, bin, folder):
    """An execution by threads below its simulation."""
    plan, trace, page = folder / "measured.json", folder / "trace.json", folder / "measured.html"
    run(bin / "cclc", "allreduce_ring", "--ranks", 4, "-o", plan)
    run(bin / "ccl-run", plan, "--bytes", "1M", "--iterations", 1, "--trace", trace)
    run(bin / "ccl-sim", plan, "--target", "dgx1", "--sweep", "64K:1M:16", "--report", page, "--measured", trace)
    events = json.loads(trace.read_text())["traceEvents"]
    [whole] = [event for event in events if event.get("cat") == "run"]
    steps = [event for event in events if event.get("cat") == "step" and event["pid"] == 1]
    reader.open(page)
    reader.equal("the titles", reader.ask("cells", ".view-title"),
                 [f"predicted allreduce_ring ({plan})", "measured allreduce_ring"])
    [note] = reader.ask("cells", "#timeline-note")
    found = re.match(r"Measured: ([0-9.]+) (µs|ms|s) \(threads\). Predicted: ", note)
    reader.true(f"the times in '{note}'", found)
    shown = float(found[1]) * {"µs": 1, "ms": 1e3, "s": 1e6}[found[2]]
    reader.true(f"{shown} µs are {whole['dur']}", abs(shown / whole["dur"] - 1) < 0.01)
    spans = [span for span in reader.ask("spansOf", 1, 0) if span["cause"] == "engine"]
    reader.equal("as many steps", len(spans), len(steps))
    for span, step in zip(spans, steps):
        reader.true(f"{span} is {step}", abs(span["begin"] - step["ts"] * 1e6) < 2
                    and abs(span["end"] - span["begin"] - step["dur"] * 1e6) < 2)
    reader.ask("selectSpan", 1, 0)
    [title] = reader.ask("cells", "#details h3")
    reader.true(f"the details are of r0: {title}", title.startswith("r0 tb0 step 0"))
    reader.ask("show", "timeline")
    reader.screenshot("timelines")
    reader.ask("click", "theme")
    reader.screenshot("timelines-dark")
    reader.ask("choose", "size", "0")
    [note] = reader.ask("cells", "#timeline-note")
    reader.equal("the other size", note, "No execution was measured with 64 KiB.")
    reader.ends_silent()


def check_rows(reader, bin, folder):
    """Tori, and a message over a link that closes a row."""
    for name, height in (("row", 1), ("grid", 4)):
        plan, page = folder / "message.ccl", folder / f"{name}.html"
        plan.write_text(message_plan(4 * height, [(0, 3, 1)]))
        run(bin / "ccl-sim", plan, "--target", "torus2d", "--set", "width=4", "--set",
            f"height={height}", "--bytes", "1M", "--report", page)
        reader.open(page)
        reader.follows_a_link_beside_a_row(["n0", "n1", "n2", "n3"])
        reader.ends_silent()


TWO_SPINES = {
    "name": "spines", "family": "graph", "shape": "list",
    "nodes": [*({"name": f"r{r}"} for r in range(4)),
              *({"name": name, "endpoint": "off"} for name in ("leaf0", "leaf1", "spine0", "spine1"))],
    "links": [{"from": a, "to": b, "bandwidth": 50e9, "propagation": 1e-6}
              for a, b in (("r0", "leaf0"), ("r1", "leaf0"), ("r2", "leaf1"), ("r3", "leaf1"),
                           ("leaf0", "spine0"), ("leaf0", "spine1"), ("leaf1", "spine0"),
                           ("leaf1", "spine1"))]}
RAILS = {"name": "rails", "base": "dgx-h100", "nodes": 4, "fabric": {"shape": "rails"}}
RAIL_TREE = {"name": "rail-tree", "family": "switched", "gpus_per_node": 4, "nodes": 16,
             "nic": {"bandwidth": 50e9, "propagation": 5e-7},
             "fabric": {"shape": "fat_tree", "rails": "on",
                        "tiers": [{"down": 8, "up": 4}, {"down": 4, "up": 2}, {"down": 2}]}}
DRAGONFLY = {"name": "dragonfly", "family": "graph", "shape": "dragonfly",
             "link": {"bandwidth": 25e9, "propagation": 1e-7},
             "dragonfly": {"groups": 5, "routers": 4, "endpoints": 2}}
FAT_TREE = {"name": "fat-tree", "family": "graph", "shape": "fat_tree", "ranks": 512,
            "link": {"bandwidth": 50e9, "propagation": 1e-7},
            "tiers": [{"down": 8, "up": 8}, {"down": 8, "up": 4}, {"down": 8}]}


def check_tiers(reader, bin, folder):
    """Machines with switches: tiers, rails and the groups of a dragonfly."""
    def report(target, plan_text, *options):
        name = target["name"] if isinstance(target, dict) else target
        file, plan, page = folder / f"{name}.json", folder / f"{name}.ccl", folder / f"{name}.html"
        if isinstance(target, dict):
            file.write_text(json.dumps(target))
        plan.write_text(plan_text)
        run(bin / "ccl-sim", plan, "--target", file if isinstance(target, dict) else target, *options,
            "--bytes", "1M", "--report", page)
        reader.open(page)

    report(TWO_SPINES, message_plan(4, [(0, 1, 4), (1, 0, 1)]))
    reader.sees_a_tidy_machine()
    reader.sees_tiers()
    reader.sees_names("leaf0", "leaf1", "spine0", "spine1")
    reader.equal("frames", reader.ask("frames"), ["leaf0", "leaf1"])
    reader.equal("busy lines", sorted(reader.ask("strokes")),
                 ["leaf0 -> r0", "leaf0 -> r1", "r0 -> leaf0", "r1 -> leaf0"])
    reader.sees_both_directions(["r0 -> leaf0", "leaf0 -> r0"])
    reader.looks_at_both_themes()
    reader.ends_silent()

    report("ndv4", message_plan(16, [(0, 15, 1)]))
    reader.sees_a_tidy_machine()
    reader.sees_names("switch", "nic3", "fabric", "node0", "node1", "15")
    report("dgx-h100", message_plan(8, [(0, 7, 1)]))
    reader.sees_a_tidy_machine()
    reader.sees_names("node0.switch", "node0.nic3", "fabric")
    reader.equal("marks", reader.ask("marks"), [])
    report("dgx-h100", message_plan(16, [(0, 7, 1)]), "--set", "links.node1.nic3<->fabric=off",
           "--set", "links.node0.gpu2->node0.switch.bandwidth=10e9")
    reader.sees_a_tidy_machine()
    reader.equal("marks", reader.ask("marks"),
                 [["fabric -> node1.nic3", "dashed"], ["node0.gpu2 -> node0.switch", "solid"],
                  ["node1.nic3 -> fabric", "dashed"]])
    report(RAILS, message_plan(32, [(0, 31, 1)]))
    reader.sees_a_tidy_machine()
    reader.equal("frames", reader.ask("frames"), [f"node{n}" for n in range(4)])
    reader.ends_silent()

    # 64 endpoints with 104 switches: nodes are closed, and all are below three tiers.
    report(RAIL_TREE, message_plan(64, [(0, 63, 1)]))
    reader.sees_a_tidy_machine()
    reader.sees_names("node5", "node10", "tier0.7", "tier1.0", "tier2.7")
    places = [reader.ask("placeOfItem", name)[1] for name in ("tier2.0", "tier1.0", "tier0.0", "node5")]
    reader.equal("tiers and nodes from top to bottom", places, sorted(places))
    reader.ends_silent()

    report(DRAGONFLY, message_plan(40, [(0, 39, 1)]))
    reader.sees_a_tidy_machine()
    reader.equal("frames", reader.ask("frames"), [f"group {n}" for n in range(5)])
    reader.sees_names(*(f"router{r}" for r in range(4)), *(f"group {g}" for g in range(5)))
    reader.ends_silent()

    report(FAT_TREE, message_plan(512, [(200, 511, 1), (201, 200, 3)]))
    reader.sees_a_tidy_machine()
    members = [f"tier{t}.{n}" for t in (0, 1) for n in range(48, 56)]
    reader.opens_groups("n200", ["tier0.25", "tier1 3"], "tier1 6", members)
    reader.ends_silent()


ABSENT = {"name": "absent", "family": "graph", "shape": "torus", "absent": [8, 20, 21],
          "dimensions": [{"size": 6}, {"size": 5}]}
IMPORTS = pathlib.Path(__file__).resolve().parents[1] / "fuzz/corpus/import"


def check_machines(reader, bin, folder):
    """Every family, and files of other tools."""
    file, plan, page = folder / "target.json", folder / "machine.ccl", folder / "machine.html"

    def report(target, ranks):
        plan.write_text(message_plan(ranks, [(0, ranks - 1, 1)]))
        run(bin / "ccl-sim", plan, "--target", target, "--bytes", "1M", "--report", page)
        reader.open(page)
        reader.sees_a_tidy_machine()

    for target, ranks in (("alpha-beta", 24), ("bluefield3", 8), ("dgx1", 8), ("fully-connected", 9), ("ideal", 8),
                          ("mesh2d", 15), ("mi300x", 8), ("ring", 50), ("torus2d", 16)):
        report(target, ranks)
    file.write_text(json.dumps(ABSENT))
    report(file, 27)
    for name in ("fabric.ibnetdiscover", "hwloc.xml", "nccl-nvswitch.xml", "nccl-xgmi-mesh.xml", "tree.conf"):
        run(bin / "cclc", "targets", "import", IMPORTS / name, "-o", file)
        report(file, 2)
    reader.ends_silent()


LEAVES = {"name": "leaves", "family": "graph", "shape": "fat_tree", "ranks": 32,
          "link": {"bandwidth": 50e9, "propagation": 1e-7}, "tiers": [{"down": 2, "up": 16}, {"down": 16}]}


def check_bundles(reader, bin, folder):
    """Leaves and spines, and a complete graph: only a few of the lines are drawn."""
    target, plan, page = folder / "leaves.json", folder / "leaves.ccl", folder / "leaves.html"
    numbers = folder / "numbers.json"
    target.write_text(json.dumps(LEAVES))
    plan.write_text(message_plan(32, [(0, 31, 1), (5, 20, 3)]))
    run(bin / "ccl-sim", plan, "--target", target, "--bytes", "1M", "--report", page, "--json", numbers)
    busy = [link["link"] for link in results_of(numbers)[0]["links"]]
    switches = lambda tier, number: [f"tier{tier}.{n}" for n in range(number)]
    pairs = [(a, b) for a in switches(0, 16) for b in switches(1, 16)]
    links = [f"{a} -> {b}" for pair in pairs for a, b in (pair, pair[::-1])]
    reader.open(page)
    texts = reader.ask("bundles")
    reader.equal("links of bundles", sum(int(text.split()[0]) for text in texts), len(links))
    reader.sees_a_tidy_machine()
    reader.sees_names(*texts)
    reader.sees_links_of("tier1.3", links, busy)
    reader.looks_at_both_themes()
    reader.ends_silent()

    plan, page = folder / "complete.json", folder / "complete.html"
    run(bin / "cclc", "allgather_allpairs", "--ranks", "24", "--target", "fully-connected", "-o", plan)
    run(bin / "ccl-sim", plan, "--bytes", "24M", "--report", page, "--json", numbers)
    links = results_of(numbers)[0]["links"]
    reader.open(page)
    [text] = reader.ask("bundles")
    reader.equal("text", text, f"552 links, equal: {100 * links[0]['busy_share']:.0f} %")
    reader.sees_names(text, "0", "23")
    reader.ask("show", "machine")
    reader.screenshot("machine")
    reader.equal("one line represents all", reader.ask("linksDrawn"), ["n0 -> n1"])
    names = [f"n{a} -> n{b}" for a in range(24) for b in range(24) if a != b]
    reader.sees_links_of("n7", names, ["n0 -> n1"])
    reader.ask("choose", "links-of", "3")
    reader.wait("the list of nodes chooses one", "chosenNode() === 'rank 3, n3'")
    reader.wait("its links are drawn", "numberDrawn() === 47")
    reader.ask("clickLink", 5)
    reader.wait("a link of the list is drawn", "numberDrawn() === 48")
    reader.ends_silent()


def check_sips(reader, bin, folder):
    """Six SIPs with 768 PEs: one of them is open."""
    plan, page, numbers = folder / "sips.json", folder / "sips.html", folder / "numbers.json"
    for links in ("switch", "direct"):
        run(bin / "cclc", "allreduce_lrab", "--target", "ahbm-6sip-torus", "--set",
            f"sips.links={links}", "-o", plan)
        run(bin / "ccl-sim", plan, "--bytes", "64K", "--report", page, "--json", numbers)
        reader.open(page)
        busiest = results_of(numbers)[0]["links"][0]["link"].split(".")[0]
        others = [f"sip{s}" for s in range(6) if f"sip{s}" != busiest]
        reader.folds_sips(busiest, others)
        reader.ends_silent()


def check_many_ranks(reader, bin, folder):
    """128 ranks with many threadblocks: the timeline is folded. A few ranks are not."""
    plan, page, numbers = folder / "many.json", folder / "many.html", folder / "numbers.json"
    for ranks in ("128", "16"):
        run(bin / "cclc", "allreduce_hierarchical", "--ranks", ranks, "--target", "ndv4", "-o", plan)
        run(bin / "ccl-sim", plan, "--bytes", "1M", "--report", page, "--critical-path", "--json",
            numbers)
        reader.open(page)
        segments = results_of(numbers)[0]["critical_path"]["segments"]
        if ranks == "128":
            reader.folds_ranks([(s["rank"], round(s["length_ns"] * 1000)) for s in segments])
            reader.hovers(steps_of(plan))
            reader.follows_path(segments_of(results_of(numbers)[0]))
        else:
            reader.true("all rows are shown", not any(folded for *_, folded, _ in reader.ask("ranks")))
        reader.ends_silent()


def check_mscclpp(reader, bin, folder):
    """A plan of MSCCL++, whose phases are its operations."""
    plan, page, numbers = folder / "packets.json", folder / "packets.html", folder / "numbers.json"
    run(bin / "cclc", "allreduce_allpairs", "--ranks", 8, "--protocol", "LL", "--emit", "mscclpp", "-o", plan)
    run(bin / "ccl-sim", plan, "--target", "dgx-h100", "--bytes", "64K", "--what-if", "--critical-path",
        "--report", page, "--json", numbers)
    reader.open(page)
    [result] = results_of(numbers)
    reader.equal("phases", sorted(reader.ask("cells", "#phase-table tbody button")),
                 sorted(phase["phase"] or "(outside phases)" for phase in result["phases"]))
    reader.follows_path(segments_of(result))
    reader.looks_at_both_themes()
    reader.ends_silent()


def check_large(reader, bin, folder):
    """A plan of 100,000 steps opens in less than three seconds and responds quickly."""
    plan, page = folder / "large.json", folder / "large.html"
    run(bin / "cclc", "allreduce_ring", "--ranks", "225", "-o", plan)
    run(bin / "ccl-sim", plan, "--target", "ring", "--bytes", "1M", "--report", page)
    reader.true(f"{page.stat().st_size} bytes are few", page.stat().st_size < 3_000_000)
    shown = min(reader.open(page) for _ in range(3))
    reader.true(f"drawn in {shown} s, less than 3 s", shown < 3)
    reader.equal("phases", reader.ask("cells", "#phase-table tbody button"),
                 ["reduce-scatter", "all-gather"])
    reader.true("100,000 steps", reader.ask("steps") > 100_000)
    time = reader.ask("zoomTime")
    print(f"{reader.name}: a zoom takes {time:.1f} ms")
    reader.true(f"a zoom takes {time} ms", time < 150)  # beside other tests
    reader.ask("zoomOut")
    reader.zooms()
    reader.ask("zoom", 1e8, 1.5e8)
    reader.ask("zoomRows", 3, 20)
    reader.wait("the rows are near", "lastRow() < 21")
    reader.screenshot("near")
    reader.looks_into_a_deep_tree(225)
    reader.ends_silent()


def check_all(bin, screenshots, folder):
    browser = webdriver.Browser()
    try:
        for part in (check_sweep, check_comparison, check_measured, check_rows, check_tiers, check_machines,
                     check_bundles, check_sips, check_many_ranks, check_mscclpp, check_tune, check_failures,
                     check_measured_plans, check_large):
            part(Reader(browser, screenshots), bin, folder)
    finally:
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    args = parser.parse_args()
    if not webdriver.is_available():
        print("chromium and chromedriver are not installed")
        sys.exit(77)
    if args.screenshots:
        args.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        check_all(args.bin, args.screenshots, pathlib.Path(folder))


if __name__ == "__main__":
    main()
