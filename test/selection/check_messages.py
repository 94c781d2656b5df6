#!/usr/bin/env python3
"""Executes collectives with the installed Open MPI under rules that cclc writes, and counts their messages.

usage: check_messages.py WRITE_SELECTION BINDIR

Open MPI's monitoring counts the bytes that each rank sends to each other one. They are those of the plan of the
program that the rules were written for: the rules are in force, and the algorithm is the one that models them.
MPICH executes the same calls under its file, and ends where it has no algorithm. A library that is not installed, or does not start jobs here, is
skipped; if none is left, the exit code is 77.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RANKS = 4
# Collective, its call, a program with its parameters, bytes, and bytes of a segment.
CASES = [
    ("broadcast", "bcast", "broadcast_direct", 4096, 0),
    ("broadcast", "bcast", "broadcast_pipeline chunks=4", 65536, 16384),
    ("allgather", "allgather", "allgather_bruck", 4096, 0),
    ("allgather", "allgather", "allgather_recursive_doubling", 4096, 0),
    ("allgather", "allgather", "allgather_ring", 4096, 0),
    ("allreduce", "allreduce", "allreduce_recursive_doubling", 4096, 0),
    ("allreduce", "allreduce", "allreduce_ring", 65536, 0),
    ("allreduce", "allreduce", "allreduce_halving_doubling", 8192, 0),
    ("alltoall", "alltoall", "alltoall_direct", 4096, 0),
    ("alltoall", "alltoall", "alltoall_bruck", 8192, 0),
    ("broadcast", "bcast", "broadcast_binomial chunks=2", 8192, 4096),
    ("gather", "gather", "gather_binomial", 4096, 0),
    ("reduce", "reduce", "reduce_binomial", 4096, 0),
    ("reducescatter", "reduce_scatter", "reducescatter_ring", 8192, 0),
    ("reducescatter", "reduce_scatter_block", "reducescatter_halving", 4096, 0),
    ("scatter", "scatter", "scatter_binomial", 4096, 0),
]
JOB = """
import ctypes, sys
is_mpich = sys.argv[1] == "mpich"
mpi = ctypes.CDLL("libmpich.so.12" if is_mpich else "libmpi.so.40", ctypes.RTLD_GLOBAL)
def handle(number, name):
    return number if is_mpich else ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))
world, number, plus = (handle(0x44000000, "ompi_mpi_comm_world"), handle(0x4c000405, "ompi_mpi_int"),
                       handle(0x58000003, "ompi_mpi_op_sum"))
mpi.MPI_Init(None, None)
rank, ranks = ctypes.c_int(), ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
mpi.MPI_Comm_size(world, ctypes.byref(ranks))
R = ranks.value
for call, size in zip(sys.argv[2::2], map(int, sys.argv[3::2])):
    n = size // 4
    part = n // R
    mine, out = (ctypes.c_int * n)(*(range(rank.value, rank.value + n))), (ctypes.c_int * n)()
    if call == "bcast":
        mpi.MPI_Bcast(mine, n, number, 0, world)
        right = mine[:] == list(range(n))
    elif call == "allreduce":
        mpi.MPI_Allreduce(mine, out, n, number, plus, world)
        right = out[:] == [R * i + R * (R - 1) // 2 for i in range(n)]
    elif call == "allgather":
        mpi.MPI_Allgather(mine, part, number, out, part, number, world)
        right = out[:] == [r + i for r in range(R) for i in range(part)]
    elif call == "alltoall":
        mpi.MPI_Alltoall(mine, part, number, out, part, number, world)
        right = out[:] == [r + rank.value * part + i for r in range(R) for i in range(part)]
    elif call == "reduce":
        mpi.MPI_Reduce(mine, out, n, number, plus, 0, world)
        right = rank.value or out[:] == [R * i + R * (R - 1) // 2 for i in range(n)]
    elif call == "gather":
        mpi.MPI_Gather(mine, part, number, out, part, number, 0, world)
        right = rank.value or out[:] == [r + i for r in range(R) for i in range(part)]
    elif call == "scatter":
        mpi.MPI_Scatter(mine, part, number, out, part, number, 0, world)
        right = out[:part] == [rank.value * part + i for i in range(part)]
    elif call == "reduce_scatter":
        mpi.MPI_Reduce_scatter(mine, out, (ctypes.c_int * R)(*[part] * R), number, plus, world)
        right = out[:part] == [R * (rank.value * part + i) + R * (R - 1) // 2 for i in range(part)]
    elif call == "reduce_scatter_block":
        mpi.MPI_Reduce_scatter_block(mine, out, part, number, plus, world)
        right = out[:part] == [R * (rank.value * part + i) + R * (R - 1) // 2 for i in range(part)]
    if not right:
        raise SystemExit(call + " has a wrong result")
mpi.MPI_Finalize()
"""
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_plm="isolated")
failures = []


def rules(runtime, cases):
    lines = ""
    for collective, _, program, size, segment in cases:
        name, _, parameters = program.partition(" ")
        lines += f"{collective} {RANKS} {RANKS} {size} {size} {name} Simple 1 {segment} {parameters or '-'} 0\n"
    return subprocess.run([sys.argv[1], runtime], input=lines, capture_output=True, text=True, check=True).stdout


def run(command, **environment):
    return subprocess.run(command, env={**ENVIRONMENT, **environment}, capture_output=True, text=True, check=False,
                          timeout=300)


def starts(library, launcher):
    return bool(shutil.which(launcher[0])) and run([*launcher, "true"]).returncode == 0 and \
        run([*launcher, sys.executable, "-c", JOB, library]).returncode == 0


def planned(program, size):
    """The bytes from each rank to each other one in the plan of a program."""
    name, _, parameters = program.partition(" ")
    command = [f"{sys.argv[2]}/cclc", name, "--ranks", str(RANKS), "--emit", "text", "-o", "-"]
    command += [word for parameter in parameters.split(",") if parameter for word in ("-p", parameter)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    chunks, sent, rank, peer = int(re.search(r" chunks (\d+)", text)[1]), {}, None, None
    per_rank = any(f"coll {word} " in text for word in ("allgather", "reducescatter", "alltoall", "gather", "scatter"))
    for line in text.splitlines():
        if found := re.match(r"  rank (\d+)", line):
            rank = int(found[1])
        elif line.startswith("    tb"):
            peer = re.search(r"send r(\d+)", line)
        elif found := re.match(r"      \d+: (s|rcs|rrs|rrcs) .*?\[(\d+)(?::(\d+))?\]", line):
            count = int(found[3]) - int(found[2]) if found[3] else 1
            pair = rank, int(peer[1])
            sent[pair] = sent.get(pair, 0) + count * size // (chunks * (RANKS if per_rank else 1))
    return sent


def monitored(case, folder):
    """The bytes from each rank to each other one that Open MPI sends, and the messages."""
    _, call, _, size, _ = case
    file = folder / "rules.conf"
    file.write_text(rules("openmpi", [case]))
    settings = {"coll_tuned_use_dynamic_rules": 1, "coll_tuned_dynamic_rules_filename": file, "pml_monitoring_enable": 2,
                "pml_monitoring_enable_output": 3, "pml_monitoring_filename": folder / "sent"}
    options = [word for key, value in settings.items() for word in ("--mca", key, str(value))]
    done = run(OPEN_MPI + options + [sys.executable, "-c", JOB, "openmpi", call, str(size)])
    if done.returncode:
        failures.append(f"Open MPI: {case}: {done.stdout}{done.stderr}")
    sent, messages = {}, {}
    for path in folder.glob("sent.*.prof"):
        for found in re.finditer(r"^[IE]\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs", path.read_text(), re.MULTILINE):
            sent[int(found[1]), int(found[2])] = int(found[3])
            messages[int(found[1]), int(found[2])] = int(found[4])
        path.unlink()
    return sent, messages


OPEN_MPI = ["mpirun.openmpi", "-n", str(RANKS), "--oversubscribe"]
MPICH = ["mpirun.mpich", "-n", str(RANKS)]


def check_open_mpi(folder):
    for case in CASES:
        _, _, program, size, segment = case
        want, (sent, messages) = planned(program, size), monitored(case, folder)
        if sent != want:
            failures.append(f"Open MPI: {program}: sends {sent} instead of {want}")
        if segment and set(messages.values()) != {size // segment}:
            failures.append(f"Open MPI: {program}: {messages} messages instead of {size // segment}")


def runs_mpich(tree, folder, calls):
    file = folder / "tuning.json"
    file.write_text(json.dumps(tree, indent=1))
    done = run([*MPICH, sys.executable, "-c", JOB, "mpich", *calls], MPIR_CVAR_DEVICE_COLLECTIVES="none",
               MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=str(file))
    return done.returncode == 0, done.stdout + done.stderr


def check_mpich(folder):
    tree = json.loads(rules("mpich", CASES))
    is_right, output = runs_mpich(tree, folder, [word for case in CASES for word in (case[1], str(case[3]))])
    if not is_right:
        failures.append("MPICH: " + output)
    # MPICH prints no choice. It ends where the file has none, so that it is in force.
    del tree["collective=allgather"]
    if not runs_mpich(tree, folder, ["bcast", "4096"])[0] or runs_mpich(tree, folder, ["allgather", "4096"])[0]:
        failures.append("MPICH: the file is not in force")


def main():
    is_any = False
    with tempfile.TemporaryDirectory() as name:
        for library, launcher, check in (("openmpi", OPEN_MPI, check_open_mpi), ("mpich", MPICH, check_mpich)):
            if starts(library, launcher):
                is_any = True
                check(pathlib.Path(name))
            else:
                print(f"skipped: {library} is not installed, or does not start jobs")
    print(*failures, sep="\n")
    sys.exit(1 if failures else 0 if is_any else 77)


if __name__ == "__main__":
    main()
