"""Compares the shares of the largest bound in the JSON of ccl-sim and ccl-bound."""

import json
import pathlib
import subprocess
import sys

# Target, collective, program, options of cclc.
PLANS = [
    ("ring", "allreduce", "allreduce_ring", "--ranks 6"),
    ("ring", "alltoall", "alltoall_direct", "--ranks 8"),
    ("torus2d", "allgather", "allgather_grid", "--ranks 16"),
    ("torus2d", "alltoall", "alltoall_direct", "--ranks 36"),
    ("mesh2d", "alltoall", "alltoall_grid", "--ranks 16"),
    ("dgx1", "alltoall", "alltoall_direct", "--ranks 8"),
    ("dgx-h100", "allreduce", "allreduce_allpairs", "--ranks 8 --protocol LL"),
    ("ndv4", "reducescatter", "reducescatter_ring", "--ranks 16"),
    ("ndv4", "broadcast", "broadcast_binomial", "--ranks 16"),
    ("mi300x", "reduce", "reduce_binomial", "--ranks 8"),
    ("alpha-beta", "gather", "gather_binomial", "--ranks 8"),
    ("ahbm", "allreduce", "allreduce_ring", "--ranks 4 -p mapper=cube_leaders"),
]
SIZES = ("1K", "64K", "4M")


def results(folder, *command):
    file = folder / "result.json"
    subprocess.run([*command, "--json", file], check=True, stdout=subprocess.DEVNULL)
    return json.loads(file.read_text())["results"]


def main(folder):
    kinds = set()
    for target, collective, program, options in PLANS:
        plan = folder / f"{program}.json"
        subprocess.run(["cclc", program, "--target", target, *options.split(), "-o", plan], check=True)
        for size in SIZES:
            [run] = results(folder, "ccl-sim", plan, "--bytes", size, "--bounds")
            [bound] = results(folder, "ccl-bound", target, collective, "--plan", plan, "--bytes", size)
            what = f"{program} on {target}, {size}"
            assert run["bound"]["bound_ns"] == bound["bound_ns"] <= run["time_ns"], what
            assert run["bound"]["binds"] == bound["binds"], what
            assert run["bound_share"] == bound["bound_share"], what
            assert abs(run["bound_share"] - bound["bound_ns"] / run["time_ns"]) < 1e-9, what
            kinds.add(bound["binds"])
    assert {"latency", "throughput", "volume"} <= kinds, kinds


main(pathlib.Path(sys.argv[1]))
