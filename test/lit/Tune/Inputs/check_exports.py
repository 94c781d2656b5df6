"""Compares the selection files of a portfolio with its rows, by the readers of test/selection, and its files
for simulators with those that ccl-sim writes for the same plan and size.

usage: check_exports.py FOLDER PROGRAMS
"""

import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "selection"))
import readers

# Program: algorithm of NCCL; of Open MPI, by number of the collective; of MPICH.
ALGORITHMS = {"allreduce_ring": ("ring", 2, 4, None), "broadcast_binomial": (None, 7, 6, "Bcast_intra_binomial"),
              "broadcast_pipeline": ("ring", 7, 3, None), "broadcast_grid": (None, 7, 0, None)}

folder = pathlib.Path(sys.argv[1])
rows = json.loads((folder / "portfolio.json").read_text())["rows"]
nccl = readers.nccl_rows((folder / "nccl-tuner.csv").read_text())
open_mpi = readers.open_mpi_rules((folder / "openmpi-rules.conf").read_text())
as_json = readers.open_mpi_json((folder / "openmpi-rules.json").read_text())
mpich = readers.mpich_tree((folder / "mpich-tuning.json").read_text())
programs = set()
for row in rows:
    program, ranks = row["command"].split()[0], row["ranks"]
    programs.add(program)
    of_nccl, number, of_open_mpi, of_mpich = ALGORITHMS[program]
    words = row["command"].replace("=", " ").split() + ["chunks", "8"]
    chunks = int(words[words.index("chunks") + 1])
    points = row["points"]
    for point in points:
        size = point["bytes"]
        found = readers.nccl_choice(nccl, row["collective"], size, 1, ranks)
        assert found == (of_nccl and (of_nccl, row["protocol"].lower(), row["channels"])), (row, found)
        middle = points[(len(points) - 1) // 2]["bytes"]
        segment = middle // chunks if program == "broadcast_pipeline" and chunks > 1 else 0
        found = readers.open_mpi_choice(open_mpi, number, ranks, size)
        assert found == (of_open_mpi, segment), (row, found, segment)
        assert readers.open_mpi_json_choice(as_json, number, ranks, size) == found, row
        call = readers.mpich_call({7: "bcast", 2: "allreduce"}[number], ranks, size)
        found = readers.mpich_choice(mpich, call)
        assert found == of_mpich if of_mpich else found, (row, found)
        name = f"{row['plan'].removesuffix('.json')}.{size}"
        with tempfile.TemporaryDirectory() as scratch:
            subprocess.run(["ccl-sim", folder / row["plan"], "--bytes", str(size), "--emit-goal", f"{scratch}/goal",
                            "--emit-chakra", f"{scratch}/trace"], check=True, stdout=subprocess.DEVNULL)
            pairs = [(f"{name}.goal", "goal")] + [(f"{name}.{r}.et", f"trace.{r}.et") for r in range(ranks)]
            for ours, theirs in pairs:
                assert (folder / ours).read_bytes() == pathlib.Path(scratch, theirs).read_bytes(), ours
assert programs == set(sys.argv[2].split(",")), programs
assert not readers.problems, readers.problems
