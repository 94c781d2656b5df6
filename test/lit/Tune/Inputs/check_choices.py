"""Compares the tables of runtimes with choices with the rows of a portfolio, by the readers of test/selection.

usage: check_choices.py FOLDER PROGRAMS
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "selection"))
import readers

# Program: algorithm of NCCL; of Open MPI, by number of the collective; of MPICH.
ALGORITHMS = {"allreduce_ring": ("ring", 2, 4, None),
              "allreduce_recursive_doubling": (None, 2, 3, "Allreduce_intra_recursive_doubling"),
              "broadcast_binomial": (None, 7, 6, "Bcast_intra_binomial"), "broadcast_pipeline": ("ring", 7, 3, None)}

folder = pathlib.Path(sys.argv[1]) / "runtime"
rows = json.loads((folder.parent / "portfolio.json").read_text())["rows"]
nccl = readers.nccl_rows((folder / "nccl/tuner.csv").read_text())
open_mpi = readers.open_mpi_rules((folder / "ompi/rules.conf").read_text())
as_json = readers.open_mpi_json((folder / "ompi/rules.json").read_text())
mpich = readers.mpich_tree((folder / "mpich/tuning.json").read_text())
programs = set()
for row in rows:
    program, ranks = row["command"].split()[0], row["ranks"]
    if program not in ALGORITHMS:
        continue
    programs.add((row["runtime"], program))
    of_nccl, number, of_open_mpi, of_mpich = ALGORITHMS[program]
    words = row["command"].replace("=", " ").split() + ["chunks", "8" if program == "broadcast_pipeline" else "1"]
    chunks = int(words[words.index("chunks") + 1])
    for size in (point["bytes"] for point in row["points"]):
        if row["runtime"] == "nccl":
            found = readers.nccl_choice(nccl, row["collective"], size, 1, ranks)
            assert found == (of_nccl, row["protocol"].lower(), row["channels"]), (row, found)
        if row["runtime"] == "ompi":
            segment = size // chunks if chunks > 1 else 0
            found = readers.open_mpi_choice(open_mpi, number, ranks, size)
            assert found == (of_open_mpi, segment), (row, found, segment)
            assert readers.open_mpi_json_choice(as_json, number, ranks, size) == found, row
        if row["runtime"] == "mpich":
            call = readers.mpich_call({7: "bcast", 2: "allreduce"}[number], ranks, size)
            found = readers.mpich_choice(mpich, call)
            assert found == of_mpich, (row, found)
wanted = {tuple(pair.split(":")) for pair in sys.argv[2].split(",")}
assert wanted <= programs, programs
assert not readers.problems, readers.problems
