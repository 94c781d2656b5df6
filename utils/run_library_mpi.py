#!/usr/bin/env python3
"""Executes every bundled program by the processes of an MPI library, and compares its results.

usage: run_library_mpi.py --bin BINDIR [--mpi openmpi|mpich] [--ranks LIST] [--dtypes LIST] [--bytes LIST]
                          [--programs LIST] [--jitter SEEDS] [--nodes LIST]

Compiles all programs for each number of ranks, fused and unfused, in and out of place where the
program permits, and executes all of these plans in one mpirun for each number of ranks, type and
size. The data are random, and compared bit by bit with the plan's own order of operations. With
--jitter, delays are injected, with seeds from 1 to SEEDS. With --nodes, the transport is node, on that
many simulated nodes (0: those that the MPI library finds). Prints a line for each mpirun, and on
standard error the command, the exit code and the output of one that fails, without the right rows;
the exit code is then 1.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--ranks", default="2,3,4,8", help="numbers of ranks, separated by commas (default: 2,3,4,8)")
    parser.add_argument("--dtypes", default="f32,i8", help="types of elements (default: f32,i8)")
    parser.add_argument("--bytes", default="700,100001", help="sizes (default: 700,100001)")
    parser.add_argument("--slot-size", default="8K", help="of ccl-run (default: 8K, so that there are several pieces)")
    parser.add_argument("--programs", help="names, separated by commas (default: all)")
    parser.add_argument("--jitter", type=int, default=0, help="the number of seeds (default: no delays)")
    parser.add_argument("--nodes", default="", help="numbers of nodes, separated by commas (default: transport mpi)")
    return parser.parse_args()


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def levels(parameters, ranks):
    """Options for the number of ranks: --ranks, or values of the parameters that it follows from."""
    names = {parameter["name"] for parameter in parameters}
    if {"nodes", "ranks_per_node"} <= names:
        return [["-p", f"nodes={ranks // n}", "-p", f"ranks_per_node={n}"] for n in (2, 4) if ranks % n == 0]
    return [["--ranks", ranks]]


def compile_plans(args, ranks, folder):
    """Writes all plans for a number of ranks; programs refuse the numbers that they do not have."""
    listed = run([args.bin / "cclc", "list"]).stdout.splitlines()
    programs = args.programs.split(",") if args.programs else [line.split()[0] for line in listed if line.strip()]
    plans = []
    for program in programs:
        parameters = json.loads(run([args.bin / "cclc", "describe", program, "--json"]).stdout)["parameters"]
        both = any(p["name"] == "buffers" and "both" in p["choices"] for p in parameters)
        for options in levels(parameters, ranks):
            for placement in (["in_place", "out_of_place", "both"] if both else [""]):
                for fuse in (["-O0"], ["-O2"]):
                    name = folder / f"{program}-{len(plans)}.json"
                    command = [args.bin / "cclc", program, *options, *fuse, "-o", name]
                    command += ["-p", f"buffers={placement}"] if placement else []
                    compiled = run(command)
                    if compiled.returncode not in (0, 2):
                        sys.exit(f"{command}: exit code {compiled.returncode}\n{compiled.stderr}")
                    if compiled.returncode == 0 and f'"ranks": {ranks}' in " ".join(name.read_text()[:4000].split()):
                        plans.append(name)
    return plans


def execute(args, plans, ranks, dtype, size, jitter, nodes):
    """Executes plans in one mpirun. Returns whether all are right."""
    launcher = ["mpirun.openmpi", "--oversubscribe"] if args.mpi == "openmpi" else ["mpirun.mpich"]
    command = [*launcher, "-n", ranks, args.bin / "ccl-run", *plans, "--bytes", size, "--dtype", dtype,
               "--slot-size", args.slot_size, "--seed", 7, "--check-data", "--iterations", 0]
    command += ["--jitter", jitter] if jitter else []
    command += ["--transport", "node"] if nodes else []
    command += ["--simulate-nodes", nodes] if nodes and nodes != "0" else []
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    began = time.monotonic()
    result = run(command, env=environment)
    right = sum(line.endswith(" right") for line in result.stdout.splitlines())
    failed = result.returncode != 0 or right != len(plans)
    print(f"{args.mpi}, {ranks} ranks, {dtype}, {size} bytes{f', jitter {jitter}' if jitter else ''}"
          f"{f', {nodes} nodes' if nodes else ''}: "
          f"{right} of {len(plans)} plans right, {time.monotonic() - began:.1f} s", flush=True)
    if failed:
        lines = [line for line in result.stdout.splitlines() if not line.endswith(" right")]
        print(" ".join(map(str, command)), f"exit code {result.returncode}", "\n".join(lines[-200:]), result.stderr, sep="\n",
              file=sys.stderr, flush=True)
    return not failed


def main():
    args = arguments()
    good = True
    for ranks in map(int, args.ranks.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            plans = compile_plans(args, ranks, pathlib.Path(folder))
            for dtype in args.dtypes.split(","):
                for size in args.bytes.split(","):
                    for jitter in range(1, args.jitter + 1) if args.jitter else [0]:
                        for nodes in args.nodes.split(","):
                            good &= execute(args, plans, ranks, dtype, size, jitter, nodes)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
