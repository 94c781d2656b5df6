#!/usr/bin/env python3
"""Write the table of all bundled programs with their costs and simulated times.

usage: library_table.py --bin DIR --document FILE [--update]

Compiles every program of `cclc list` and simulates it on ahbm and ndv4. Fails if the tables between
the markers in FILE are out of date; --update updates them instead. Without --update, the time at
16 MiB is copied from FILE if the run at 64 KiB executes more than 10,000 steps, because such
simulations take long.
"""

import fractions
import json
import sys

from doc_tables import run, table
from plan_steps import longest_path, messages

SIZES = {"1K": "1 KiB", "64K": "64 KiB", "16M": "16 MiB"}
RANKS = 16  # of the costs and on ndv4
MAX_STEPS = 10_000
NONE = "–"
ILLEGAL, UNUSABLE = 1, 2  # exit codes of cclc
# Collectives for which --bytes is the size of a buffer with the chunks of all ranks.
BY_RANK = {"allgather", "alltoall", "gather", "reducescatter", "scatter"}
HEADER = ["program", "collective", "ranks", "path", "steps", "sends", "slots", "queues"]
COLUMNS = [(machine, size) for machine in ("ahbm", "ndv4") for size in SIZES]


class Measurements:
    def __init__(self, tools):
        self.tools = tools

    def compile(self, name, program, *args, refusals=(UNUSABLE,)):
        """Plan and statistics; None if the request is refused."""
        plan = self.tools.scratch / f"{name}.json"
        out = self.tools.run("cclc", program, *args, "-o", plan, "--stats=json", refusals=refusals)
        return (None, None) if out is None else (plan, json.loads(out))

    def simulate(self, plan, size):
        return self.tools.results(plan, "--bytes", size, "--dtype", "f16")[0]


def most_sent(plan):
    """Data sent by one rank, relative to the buffer size of --bytes."""
    collective = plan["collective"]
    chunks = collective["input" if collective["kind"] == "custom" else "chunks"]
    if collective["kind"] in BY_RANK:
        chunks *= collective["ranks"]
    sent = [sum(step.get("cnt", 1) for tb in rank["threadblocks"] for step in tb["steps"]
                if messages(step)[1]) for rank in plan["ranks"]]
    return fractions.Fraction(max(sent), chunks)


def queues(stats):
    """The largest number of queues that a rank shares, or uses alone."""
    if stats is None:
        return NONE
    shared = [need["queues"] for need in stats["queues"] if need["queues"] > need["limit"]]
    return f"{max(shared)} shared" if shared else max(need["queues"] for need in stats["queues"])


def rank_options(parameters, nodes, ranks):
    """Options for the number of ranks; none if it follows from the parameters of the program."""
    if "nodes" in parameters and "ranks_per_node" in parameters:
        return ["-p", f"nodes={nodes}", "-p", f"ranks_per_node={ranks // nodes}"]
    return ["--ranks", ranks]


class Row:
    """One program: its table row, and its times by machine and size."""

    def __init__(self, measured, program, known):
        self.program, self.known = program, known
        about = json.loads(measured.tools.run("cclc", "describe", program, "--json"))
        self.collective = about["collective"]
        parameters = {parameter["name"]: parameter for parameter in about["parameters"]}
        on_ahbm = ["--target", "ahbm"]
        if "cube_leaders" in parameters.get("mapper", {}).get("choices", []):
            on_ahbm += ["-p", "mapper=cube_leaders"]
        if "ranks_per_node" in parameters:
            on_ahbm += rank_options(parameters, 2, 32)
        options = rank_options(parameters, 2, RANKS)
        ahbm, ahbm_stats = measured.compile(f"{program}-ahbm", program, *on_ahbm,
                                            refusals=(ILLEGAL, UNUSABLE))
        if ahbm is None:
            ahbm, ahbm_stats = measured.compile(f"{program}-ahbm", program, *on_ahbm,
                                                "--multiplex-queues")
        plan, stats = measured.compile(program, program, *options)
        if plan is None:
            plan, stats = ahbm, ahbm_stats
        text = json.loads(plan.read_text())
        self.cells = [f"`{program}`", self.collective, stats["ranks"], longest_path(text),
                      stats["steps_max_per_rank"], f"{float(most_sent(text)):.2f}",
                      stats["slots_needed"], queues(ahbm_stats)]
        self.times = {}
        self.measure(measured, "ahbm", dict.fromkeys(SIZES, ahbm))
        protocols = {size: "Simple" if size == "16M" else "LL" for size in SIZES}
        ndv4 = {protocol: measured.compile(f"{program}-{protocol}", program, "--target", "ndv4",
                                        "--protocol", protocol, *options)[0]
                for protocol in sorted(set(protocols.values()))}
        self.measure(measured, "ndv4", {size: ndv4[protocols[size]] for size in SIZES})
        self.cells += [self.times[column] for column in COLUMNS]

    def measure(self, measured, machine, plans):
        """\p plans by size, in ascending order; None if the program rejects the request."""
        executed = 0
        for size, plan in plans.items():
            column = machine, size
            if plan is None:
                self.times[column] = NONE
            elif size == "16M" and self.known and executed > MAX_STEPS:
                self.times[column] = self.known[len(HEADER) + COLUMNS.index(column)]
            else:
                result = measured.simulate(plan, size)
                executed = result["steps"]
                self.times[column] = f"{result['time_ns'] / 1000:,.1f}"


def known_rows(text):
    """The cells of the rows in the document, by program."""
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(HEADER) + len(COLUMNS) and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = cells
    return rows


def fastest(rows):
    """The fastest program of each collective with several programs, by machine and size."""
    lines = []
    for collective in sorted({row.collective for row in rows}):
        line = [collective]
        for column in COLUMNS:
            times = [(float(row.times[column].replace(",", "")), row.program) for row in rows
                     if row.collective == collective and row.times[column] != NONE]
            best = min(times)[0]
            line.append(", ".join(f"{name.split('_', 1)[-1]}" for value, name in times
                                  if value == best))
        if sum(row.collective == collective for row in rows) > 1:
            lines.append(line)
    return lines


def make(tools, shown):
    known = known_rows(shown("programs"))
    measured = Measurements(tools)
    programs = [line.split()[0] for line in tools.run("cclc", "list").splitlines()]
    rows = [Row(measured, program, known.get(program)) for program in programs]
    columns = [f"{machine} {SIZES[size]}" for machine, size in COLUMNS]
    return {"programs": table(HEADER + columns, [row.cells for row in rows]),
            "fastest": table(["collective"] + columns, fastest(rows))}, []


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
