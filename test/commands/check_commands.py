#!/usr/bin/env python3
"""Compares what command lines write with stored hashes: a change that is to keep all bytes shows that it does.

usage: check_commands.py BINDIR [BINDIR...] [-j N] [--every K] [--only TEXT] [--against BINDIR] [--update] [--often]

commands.tsv beside this file has a command line a row, with the hash of all that it writes: standard
output and error, the exit code, and the names and contents of its files. Each is executed in a folder of
its own, with the tools of each BINDIR.

  -j N              execute N at once (default: the number of processors)
  --every K         execute only every K-th, for slow builds
  --only TEXT       execute only those that contain TEXT
  --against BINDIR  for each that differs, print where its output differs from that of these tools
  --update          make the list anew from what the tools list (cases.py), and store the hashes of BINDIR
  --often           instead execute those of cases.OFTEN many times, and compare the executions

Exits with 1 if a hash differs. A command line that differs from run to run is a defect of its own, which
--update reports: it executes each twice.
"""

import argparse
import concurrent.futures
import difflib
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

import cases

OFTEN = 20
TABLE = pathlib.Path(__file__).with_name("commands.tsv")
MOST_LINES = 20
SILENT = {"exit code": b"0", "standard output": b"", "standard error": b""}


def execute(command, bindir):
    """What a command line writes: the name and the bytes of each output."""
    path = str(bindir) + os.pathsep + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "work")
        folder.mkdir()
        env = dict(os.environ, PATH=path, NO_COLOR="1", LC_ALL="C.UTF-8", XDG_CACHE_HOME=os.path.join(name, "cache"))
        run = subprocess.run(["sh", "-c", command], cwd=folder, env=env, capture_output=True, check=False)
        outputs = {"exit code": str(run.returncode).encode(), "standard output": run.stdout, "standard error": run.stderr}
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            outputs[file.relative_to(folder).as_posix()] = file.read_bytes()
    return outputs


def digest(outputs):
    sha = hashlib.sha256()
    for name, data in outputs.items():
        sha.update(f"{name}\0{len(data)}\0".encode() + data)
    return sha.hexdigest()[:16]


def in_parallel(job, commands, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(zip(commands, pool.map(job, commands)))


def stored():
    rows = (line.split("\t") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {command: value for value, command in rows}


def update(bindir, jobs):
    commands = list(dict.fromkeys(cases.commands(bindir)))
    first, second = (in_parallel(lambda command: digest(execute(command, bindir)), commands, jobs) for _ in range(2))
    unsteady = [command for command in commands if first[command] != second[command]]
    silent = [command for command in commands if first[command] == digest(SILENT)]
    for command in unsteady:
        print(f"two executions differ: {command}")
    for command in silent:
        print(f"writes nothing: {command}")
    if not unsteady and not silent:
        TABLE.write_text("".join(f"{first[command]}\t{command}\n" for command in commands), encoding="utf-8")
        print(f"{len(commands)} command lines stored")
    return 1 if unsteady or silent else 0


def often(bindir, jobs):
    """The number of command lines with several outputs."""
    unsteady = 0
    for command in cases.OFTEN:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            found = set(pool.map(lambda _, run=command: digest(execute(run, bindir)), range(OFTEN)))
        if len(found) > 1:
            unsteady += 1
            print(f"{OFTEN} executions have {len(found)} outputs: {command}")
    print(f"{bindir}: {len(cases.OFTEN)} command lines, {unsteady} with several outputs")
    return unsteady


def lines(data):
    return data.decode("utf-8", errors="backslashreplace").splitlines()


def explain(command, bindir, against):
    """Where the outputs of two builds differ."""
    old, new = execute(command, against), execute(command, bindir)
    for name in dict.fromkeys([*old, *new]):
        if old.get(name) != new.get(name):
            difference = difflib.unified_diff(lines(old.get(name, b"")), lines(new.get(name, b"")),
                                              f"{against}: {name}", f"{bindir}: {name}", n=1, lineterm="")
            for line in list(difference)[:MOST_LINES]:
                print("    " + line[:200])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("bindirs", nargs="+", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("-j", type=int, default=os.cpu_count(), dest="jobs")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--against", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--often", action="store_true")
    args = parser.parse_args()
    if args.often:
        return 1 if sum(often(bindir, args.jobs) for bindir in args.bindirs) else 0
    if args.update:
        return update(args.bindirs[0], args.jobs)
    expected = stored()
    commands = [command for command in list(expected)[::args.every] if args.only in command]
    failed = 0
    for bindir in args.bindirs:
        got = in_parallel(lambda command, tools=bindir: digest(execute(command, tools)), commands, args.jobs)
        different = [command for command in commands if got[command] != expected[command]]
        for command in different:
            print(f"{bindir}: other bytes than stored: {command}")
            if args.against:
                explain(command, bindir, args.against)
        print(f"{bindir}: {len(commands)} command lines, {len(different)} with other bytes")
        failed += len(different)
    return 1 if failed or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
