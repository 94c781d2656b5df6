#!/usr/bin/env python3
"""Runs the fuzzers with libFuzzer, keeps what they learn, and prints the line coverage of every reader.

usage: fuzz.py [--minutes N] [--seeds PROGRAM] [--no-build] [NAME...]

Builds the preset `fuzz`, and runs each fuzzer (default: all) for N minutes (default: 10), one after the
other, from the files in test/fuzz/corpus/NAME, from plans, programs and targets that PROGRAM (default:
build/ci/bin/fuzz-text) writes, and from those of the tree. Inputs that reach code that these do not reach are
minimised, and small ones are added to the folder of the fuzzer. The table at the end has the executions and the
inputs that failed, which are kept in build/fuzz/found; then follows the share of the lines of each reader that the
runs executed, also for inputs that were refused, which the corpora do not keep. The exit code is 1 if an input
failed."""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "fuzz")
CORPUS = os.path.join(ROOT, "test", "fuzz", "corpus")
LLVM = "/usr/lib/llvm-19/bin"

FUZZERS = ["plan", "text", "mscclpp", "target", "pipeline", "verdict", "compression", "import", "portfolio", "command"]
# What is kept for each fuzzer: files of this size, and their number.
LARGEST, MOST = 1024, 40
# The files of the tree that are seeds, and the longest input in bytes.
KINDS, MAX_LENGTH = (".ccl", ".json", ".xml", ".yml"), 20000

READERS = {
    "text": ["IR/Text/Parser", "IR/Text/ParserTables", "IR/Text/TokenParser", "IR/Text/Lexer"],
    "JSON": ["Formats/PlanJsonReader", "Formats/PlanJsonHeader", "Formats/PlanJsonWalker"],
    "binary": ["Formats/PlanBinReader"],
    "XML": ["Formats/Msccl/Scanner", "Formats/Msccl/Reader", "Formats/Msccl/Loader", "Formats/Msccl/Lint"],
    "MSCCL++": ["Mscclpp/Reader", "Mscclpp/OpReader", "Mscclpp/JsonTree"],
    "target": ["Target/Json", "Target/KeyPlaces", "Target/Loader", "Target/LinkList", "Target/LinkChanges",
               "Target/GraphMachine", "Target/Switched", "Target/Ahbm", "Target/AhbmSips", "Target/Dimensions",
               "Target/Dragonfly", "Target/FatTree", "Target/Processors", "Target/Memories", "Target/Protocols",
               "Target/RoutingKey", "Target/SwitchModel", "Target/DirectionQueues", "Target/Mscclpp"],
    "portfolio": ["Formats/PortfolioFile", "Run/Mpi/PlanFolder"],
    "compression": ["Support/Compression"],
    "import": ["Target/Import/NcclTopology", "Target/Import/NcclLinks", "Target/Import/NcclImport",
               "Target/Import/AstraNetwork"],
    "command line": ["Tools/Cli/CommandLine", "Tools/Cli/Sizes", "Tools/Cli/Values"],
}


def program(name):
    return os.path.join(BUILD, "bin", "fuzz-" + name)


def profile(name):
    return os.path.join(BUILD, name + ".profraw")


def work_folder(name, fresh=False):
    folder = os.path.join(BUILD, "corpus", name)
    if fresh:
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    return folder


def kept(name):
    folder = os.path.join(CORPUS, name)
    return [folder] if os.path.isdir(folder) else []


def quiet(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", **options)


def fuzz(name, seconds, seeds, found):
    """Returns the number of executions and of inputs that failed."""
    work, executions, failures = work_folder(name, fresh=True), 0, 0
    limits = ["-timeout=60", "-rss_limit_mb=4096", f"-max_len={MAX_LENGTH}", f"-artifact_prefix={found}/{name}-"]
    before = set(os.listdir(found))
    run = quiet([program(name), work, *kept(name), seeds, f"-max_total_time={seconds}", "-print_final_stats=1", *limits],
                env={**os.environ, "LLVM_PROFILE_FILE": profile(name)})
    for count in re.findall(r"stat::number_of_executed_units: (\d+)", run.stderr):
        executions += int(count)
    failures = len(set(os.listdir(found)) - before)
    if run.returncode and not failures:
        failures = 1
        print(run.stderr[-2000:])
    return executions, failures


def add_files(seeds):
    """Adds the plans and targets of the tree to the seeds."""
    for folder in ("examples", "targets", "test"):
        for where, _, files in sorted(os.walk(os.path.join(ROOT, folder))):
            for file in sorted(files) if not where.startswith(CORPUS) else []:
                path = os.path.join(where, file)
                if file.endswith(KINDS) and os.path.getsize(path) <= MAX_LENGTH:
                    shutil.copyfile(path, os.path.join(seeds, os.path.relpath(path, ROOT).replace(os.sep, "-")))


def keep(name, seeds):
    """Adds the small inputs that reach new code to the tree."""
    merged = os.path.join(BUILD, "merged", name)
    shutil.rmtree(merged, ignore_errors=True)
    shutil.copytree(seeds, merged)
    for folder in kept(name):
        shutil.copytree(folder, merged, dirs_exist_ok=True)
    before = set(os.listdir(merged))
    quiet([program(name), "-merge=1", merged, work_folder(name)], env={**os.environ, "LLVM_PROFILE_FILE": "/dev/null"})
    new = [os.path.join(merged, file) for file in set(os.listdir(merged)) - before]
    new = sorted((os.path.getsize(file), file) for file in new)
    folder, present = os.path.join(CORPUS, name), sum(len(os.listdir(folder)) for folder in kept(name))
    for size, file in new[: max(MOST - present, 0)]:
        if size <= LARGEST:
            os.makedirs(folder, exist_ok=True)
            with open(file, "rb") as content:
                digest = hashlib.sha256(content.read()).hexdigest()
            shutil.copyfile(file, os.path.join(folder, digest[:16]))


def coverage(names):
    """Prints the share of lines of each reader that the runs executed."""
    profiles = [profile(name) for name in names if os.path.exists(profile(name))]
    data = os.path.join(BUILD, "fuzz.profdata")
    subprocess.run([LLVM + "/llvm-profdata", "merge", "-sparse", *profiles, "-o", data], check=True)
    objects = [word for name in names[1:] for word in ("-object", program(name))]
    export = subprocess.run([LLVM + "/llvm-cov", "export", "-summary-only", "-instr-profile", data, program(names[0]), *objects],
                            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = {}
    for file in json.loads(export.stdout)["data"][0]["files"]:
        stem = file["filename"].rsplit("lib/", 1)[-1].removesuffix(".cpp")
        lines[stem] = (file["summary"]["lines"]["covered"], file["summary"]["lines"]["count"])
    print(f"\n{'reader':14}{'lines':>8}{'executed':>10}{'share':>9}")
    for reader, files in READERS.items():
        found = [lines[file] for file in files if file in lines]
        executed, count = sum(line[0] for line in found), sum(line[1] for line in found)
        if count:
            print(f"{reader:14}{count:8}{executed:10}{100 * executed / count:8.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seeds", default=os.path.join(ROOT, "build", "ci", "bin", "fuzz-text"))
    parser.add_argument("--no-build", action="store_true", help="use the fuzzers as they are")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    names = arguments.names or FUZZERS
    if not arguments.no_build:
        subprocess.run(["cmake", "--preset", "fuzz"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["ninja", "-C", BUILD, *("fuzz-" + name for name in names)], check=True, stdout=subprocess.DEVNULL)
    found, seeds = os.path.join(BUILD, "found"), work_folder("seeds", fresh=True)
    os.makedirs(found, exist_ok=True)
    subprocess.run([arguments.seeds, "--write-seeds", seeds], check=True)
    add_files(seeds)
    failed = 0
    print(f"{'fuzzer':14}{'executions':>12}{'failures':>10}", flush=True)
    for name in names:
        executions, failures = fuzz(name, int(arguments.minutes * 60), seeds, found)
        failed += failures
        keep(name, seeds)
        print(f"{name:14}{executions:12}{failures:10}", flush=True)
    coverage(names)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
