"""Compares the peaks that ccl-bound writes as JSON with closed forms of the machines.

usage: peak.py FOLDER_FOR_FILES

A row is a target of this folder, options, a collective, what switches do, and the bound, the time of the
best ring and that of the best trees, in seconds by hand; None if it is not compared.
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
S = 2**30
AR, AG = "allreduce", "allgather"

ROWS = [
    # 8 H100 behind switches: a rank sends and receives 7/8 of the data twice, or S once if switches add.
    ("h100-8", [], AR, "forward", 2 * 7 / 8 * S / 450e9, 2 * 7 / 8 * S / 450e9, 2 * 7 / 8 * S / 450e9),
    ("h100-8", [], AR, "operate", S / 450e9, None, None),
    ("h100-8", [], AG, "-", 7 / 8 * S / 450e9, 7 / 8 * S / 450e9, 7 / 8 * S / 450e9),
    ("a100-nv4", [], AG, "-", S / 400e9, S / 400e9, S / 400e9),
    ("a100-nv4", [], AR, "-", 1.5 * S / 300e9, 1.5 * S / 300e9, None),
    # Nodes with rate B out of each: 2(N-1)/N S/B for any plan, 2(n-1)/n S/B for a ring over n ranks.
    ("a100-4x4", [], AG, "forward", 3 / 4 * S / 100e9, 15 / 16 * S / 100e9, None),
    ("a100-2x8", [], AR, "forward", S / 100e9, 2 * 15 / 16 * S / 100e9, S / 100e9),
    ("h100-5x8", [], AR, "forward", 1.6 * S / 200e9, 1.95 * S / 200e9, 1.6 * S / 200e9),
    ("gb200-3x4", ["--bytes", "16G"], AR, "forward", 16 * S / 150e9, 2 * 11 / 12 * 16 * S / 200e9, None),
    ("gb200-3x8", ["--bytes", "16G"], AR, "forward", 16 * S / 300e9, 2 * 23 / 24 * 16 * S / 400e9, None),
    ("gb300-8", ["--bytes", "512M"], AR, "forward", 1.75 * S / 2 / 900e9, 1.75 * S / 2 / 900e9, None),
    ("gb300-8", ["--bytes", "512M"], AG, "forward", 0.875 * S / 2 / 900e9, None, None),
    ("mi300x-8", [], AG, "-", S / 384e9, S / 384e9, S / 384e9),
    ("mi300a-4", [], AG, "-", S / 192e9, S / 192e9, S / 192e9),
    # 14 of the 16 GCDs have 6 links to the other two.
    ("mi250-16", [], AG, "-", S / 16 * 7 / 3 / 36e9, None, S / 16 * 7 / 3 / 36e9),
    # Some of the ranks: those of one node.
    ("a100-2x8", ["--endpoints", "8-15"], AR, "forward", 1.75 * S / 300e9, 1.75 * S / 300e9, None),
]
# What nccl-tests multiply the algorithm bandwidth with, by ranks.
BUS = {AR: lambda n: 2 * (n - 1) / n, AG: lambda n: (n - 1) / n}


def compare(what, found, expected):
    """Compares nanoseconds or GB/s. Bounds are rounded down to a picosecond for each of few parts."""
    if expected is not None and abs(found - expected) > 1e-7 * expected:
        sys.exit(f"{what}: {found}, not {expected}")


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, options, collective, switches, bound, ring, trees in ROWS:
        file = folder / "peak.json"
        command = ["ccl-bound", str(HERE / f"{name}.json"), *options, "--json", str(file)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        document = json.loads(file.read_text())
        rows = [r for r in document["results"] if (r["collective"], r["switches"]) == (collective, switches)]
        row = max(rows, key=lambda r: r["ranks"])
        what = f"{name} {collective} {switches}"
        compare(what + " bound", row["bound_ns"], bound * 1e9)
        compare(what + " ring", row["ring_ns"], ring and ring * 1e9)
        compare(what + " trees", row["trees_ns"], trees and trees * 1e9)
        algorithm = document["bytes"] / bound / 1e9
        compare(what + " algbw", row["algbw_gbs"], algorithm)
        compare(what + " busbw", row["busbw_gbs"], algorithm * BUS[collective](row["ranks"]))


if __name__ == "__main__":
    main()
