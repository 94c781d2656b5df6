#!/usr/bin/env python3
"""Compare simulated with published times of the AHBM machine.

usage: validate_ahbm.py --bin DIR [--document FILE [--update]]

Runs every published case with cclc and ccl-sim and prints a Markdown table. Fails if the error of a
time exceeds its tolerance, if the centre root is not faster than the corner root at 96 KiB per tile,
or if the table between the markers in FILE is out of date; --update updates it instead.
"""

import json
import sys

from doc_tables import run, table

QUEUE, DMA = 0.0002, 0.02  # tolerances
ONE_MESSAGE = """ccl.version 2
exec.program @one coll alltonext ranks 2 chunks 1 outofplace slots 8 {
  rank 0 {
    tb 0 send r1 ch 0 {
      0: s i[0]
    }
  }
  rank 1 {
    tb 0 recv r0 ch 0 {
      0: r -> o[0]
    }
  }
}
"""
# A slot holds a whole tile, as in the published runs.
WHOLE_TILE = ["--set", "ipcq.slot_size=131072"]
NO_ACCESS = ["--set", "ipcq.slot_access=off"]


class Published:
    """Runs of the published cases."""

    def __init__(self, tools):
        self.tools = tools

    def plan_time(self, plan, size, *args):
        result, = self.tools.results(plan, "--bytes", size, "--dtype", "f16", *args)
        return result["time_ns"]

    def message(self, size, *args):
        plan = self.tools.scratch / "one.ccl"
        plan.write_text(ONE_MESSAGE)
        return self.plan_time(plan, size, "--target", "ahbm", *args)

    def lrab(self, topology, root, size, *args):
        """The all-reduce without overlap of its phases, as in the published kernel."""
        plan = self.tools.plan("allreduce_lrab", "--target", f"ahbm-6sip-{topology}", "-p",
                               f"root={root}")
        return self.plan_time(plan, size, *WHOLE_TILE, *args)

    def dma(self, requests, size, target):
        return json.loads(self.tools.run("ccl-sim", "dma", requests, "--target", target, "--bytes", size,
                                         "--json", "-"))


def cases(tools):
    """Rows of case, unit, published time, simulated time and tolerance."""
    own, far = "sip0.cube0.pe0", "sip0.cube15.pe7"
    study = lambda requests: tools.dma(requests, "16K", "ahbm-per-flit")
    latency = lambda requests: study(requests)["requests"][0]["latency_ns"]
    yield "16 KiB from the own HBM slice", "ns", 77, latency(f"{own}<-{own}"), DMA
    yield "16 KiB from cube15.pe7's slice", "ns", 573, latency(f"{own}<-{far}"), DMA
    yield ("16 KiB from sip1.cube0.pe0's slice", "ns", 409, latency(f"{own}<-sip1.cube0.pe0"), DMA)
    yield "1 PE on pe0's slice, makespan", "ns", 82, study(f"{own}<-{own}")["makespan_ns"], DMA
    yield ("2 PEs on pe0's slice, makespan", "ns", 158,
           study(f"{own}<-{own},sip0.cube0.pe1<-{own}")["makespan_ns"], DMA)
    yield ("128 PEs on cube0.pe0's slice", "GB/s", 134,
           study(f"sip0.cube*.pe*<-{own}")["aggregate_gbs"], DMA)

    yield ("8 PEs of cube0 on pe0's slice, makespan", "ns", 558,
           study(f"sip0.cube0.pe*<-{own}")["makespan_ns"], DMA)
    twins = [f"sip0.cube0.pe{p}<-sip0.cube1.pe{p}" for p in range(8)]
    studies = [study(",".join(twins[:n])) for n in range(1, 9)]
    yield ("8 PEs of cube0 on the slices of cube1, makespan", "ns", 963,
           studies[-1]["makespan_ns"], DMA)
    yield ("the same with 1 to 8 PEs, peak (published as \"about\")", "GB/s", 160,
           max(done["aggregate_gbs"] for done in studies), 0.03)

    for size, queue, one_sided in (128, 31.14, 12.02), (256, 32.64, 13.02):
        yield (f"pe0 to pe1, {size} B, send and receive", "ns", queue,
               tools.message(size, *NO_ACCESS), QUEUE)
        yield (f"pe0 to pe1, {size} B, load and store", "ns", one_sided,
               tools.dma(f"{own}<-{own};{own}->sip0.cube0.pe1", size, "ahbm")["last_done_ns"],
               QUEUE)
    yield ("pe0 to pe1, 128 B, with slot accesses", "ns", 31.64, tools.message(128), QUEUE)

    for memory, small, large in (("tcm", 1678.04, 1957.04), ("sram", 1774.04, 2389.04),
                                 ("hbm", 1858.04, 2389.04)):
        for size, published in (256, small), (2048, large):
            yield (f"all-reduce, torus, centre root, {memory} slots, {size} B", "ns", published,
                   tools.lrab("torus", "center", size, "--set", f"ipcq.slot_memory={memory}"),
                   QUEUE)
    for size, published in (16, 3073.13), (64, 3079.88), (128, 3088.88):
        yield (f"all-reduce, ring, corner root, {size} B", "ns", published,
               tools.lrab("ring", "corner", size, *NO_ACCESS), QUEUE)


def make(tools, _):
    published_cases, rows, wrong = Published(tools), [], []
    for what, unit, published, simulated, tolerance in cases(published_cases):
        error = simulated / published - 1
        rows.append([what, f"{published} {unit}", f"{simulated:.2f} {unit}",
                     f"{100 * error:+.2f} %"])
        if abs(error) > tolerance:
            wrong.append(f"{what}: more than {100 * tolerance} % off")
    roots = []
    for topology in "torus", "ring", "mesh":
        corner, centre = (published_cases.lrab(topology, root, "96K")
                          for root in ("corner", "center"))
        roots.append([topology, f"{corner:.2f} ns", f"{centre:.2f} ns",
                      f"{100 * (1 - centre / corner):.1f} %"])
        if centre >= corner:
            wrong.append(f"{topology}: the centre root is not faster")
    return {"cases": table(["case", "published", "simulated", "error"], rows),
            "roots": table(["SIPs", "corner root", "centre root", "gain"], roots)}, wrong


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, make))
