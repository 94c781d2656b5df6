"""Compares the bounds of a wafer as a shape with those of the list of its nodes and links."""
import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1])
ABSENT = [14, 27, 44]
INSIDE = {"bandwidth": 200e9, "propagation": 10e-9}
BORDER = {"bandwidth": 50e9, "propagation": 50e-9}
COMMON = {"name": "wafer", "family": "graph", "queue": {"slots": 8, "slot_size": 65536}}


def shape():
    dimension = {"size": 8, "block": 2, "border": BORDER}
    return {**COMMON, "shape": "mesh", "link": INSIDE, "dimensions": [dimension, dimension], "absent": ABSENT}


def listed():
    present = [place for place in range(64) if place not in ABSENT]
    links = [{"from": f"n{place}", "to": f"n{other}", **(BORDER if coordinate % 2 else INSIDE)}
             for place in present
             for coordinate, other in ((place % 8, place + 1), (place // 8, place + 8))
             if coordinate < 7 and other in present]
    return {**COMMON, "nodes": [{"name": f"n{place}"} for place in present], "links": links}


def bound(machine, collective):
    file = FOLDER / "target.json"
    file.write_text(json.dumps(machine))
    done = subprocess.run(["ccl-bound", file, collective, "--bytes", "1M", "--json", "-"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["results"][0]["bound_ns"]


COLLECTIVES = ("allreduce", "allgather", "reducescatter", "alltoall", "broadcast")
differences = 0
for name in COLLECTIVES:
    times = [bound(machine, name) for machine in (shape(), listed())]
    print(name, *times)
    differences += times[0] != times[1]
print(f"{len(COLLECTIVES)} collectives, {differences} differences")
