#!/usr/bin/env python3
"""Ends every writer of the tools at random moments, and lets writing fail: no output may be torn.

usage: try_writers.py --bin BIN [--runs N] [--seed N]

Each writer first runs undisturbed. Then N runs (default: 500) are ended by SIGKILL and N by SIGINT, half of them
at a random moment and half while a file is written; before each, the outputs have an old content or do not
exist. Afterwards an output has its old
content, or a whole new one: the bytes of the undisturbed run, or, for measured values, a document that is
complete. SIGINT gives exit code 130 unless the tool was done, and leaves no temporary file. At last every
writer meets a full disk (a limit on the size of files, and a small file system where one can be mounted), a
read-only folder and a pipe without a reader: exit code 2, a line for an output, and the old content."""

import argparse
import collections
import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

OLD = b"the old content\n"

Writer = collections.namedtuple("Writer", "name command outputs exact", defaults=[True])

PLAN = "cclc allreduce_ring --ranks 24"
WRITERS = [
    Writer("plan.json", f"{PLAN} -o OUT/p.json", ["p.json"]),
    Writer("plan.xml", f"{PLAN} -o OUT/p.xml", ["p.xml"]),
    Writer("plan.ccl", f"{PLAN} -o OUT/p.ccl", ["p.ccl"]),
    Writer("plan.bin", f"{PLAN} --emit bin -o OUT/p.bin", ["p.bin"]),
    Writer("plan.zst", f"{PLAN} -o OUT/p.json.zst", ["p.json.zst"]),
    Writer("plan.gz", f"{PLAN} -o OUT/p.json.gz", ["p.json.gz"]),
    Writer("mscclpp", f"{PLAN} --emit mscclpp -o OUT/p.json", ["p.json"]),
    Writer("drawings", f"{PLAN} -o OUT/p.json --dump-schedule OUT/s.dot --dump-chunk-dag OUT/c.dot --dump-inst-dag OUT/i.dot",
           ["p.json", "s.dot", "c.dot", "i.dot"]),
    Writer("convert", "cclc convert in.json -o OUT/p.xml", ["p.xml"]),
    Writer("synth", "cclc synth allgather --target ring --ranks 6 -o OUT/p.json", ["p.json"]),
    Writer("simulation", "ccl-sim in.json --target ring --json OUT/r.json --trace OUT/t.json --report OUT/r.html "
           "--dump-target OUT/m.json", ["r.json", "t.json", "r.html", "m.json"]),
    Writer("bounds", "ccl-bound ring allreduce --json OUT/b.json", ["b.json"]),
    Writer("comparison", "ccl-diff in.json in.json --json OUT/d.json", ["d.json"]),
    Writer("text IR", "ccl-opt in.json -o OUT/p.ccl", ["p.ccl"]),
    Writer("execution", "ccl-run few.json --transport threads --iterations 2 --json OUT/r.json --trace OUT/t.json",
           ["r.json", "t.json"], False),
    Writer("portfolio", "ccl-tune ring allreduce --ranks 4 --sizes 1K:16K:4 --programs allreduce_ring,allreduce_tree -o OUT "
           "--resume OUT/kept", ["portfolio.json", "runtime/sim/allreduce-1.json", "runtime/sim.env", "report.html"]),
]


class Trial:
    """A folder with the outputs of one writer."""

    def __init__(self, folder, binaries, writer):
        self.writer, self.out = writer, os.path.join(folder, "out")
        self.folder = folder
        words = writer.command.replace("OUT", self.out).split()
        self.command = [os.path.join(binaries, words[0])] + words[1:]

    def path(self, name):
        return os.path.join(self.out, name)

    def prepare(self, old):
        shutil.rmtree(self.out, ignore_errors=True)
        os.mkdir(self.out)
        for name in self.writer.outputs if old else []:
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            with open(self.path(name), "wb") as file:
                file.write(OLD)

    def start(self, prepare=None, **streams):
        def child():
            # The process that runs this script may ignore interrupts.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if prepare:
                prepare()
        return subprocess.Popen(self.command, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=streams.get("stdout", subprocess.DEVNULL), stderr=subprocess.PIPE, preexec_fn=child)

    def contents(self):
        found = {}
        for name in self.writer.outputs:
            if os.path.exists(self.path(name)):
                with open(self.path(name), "rb") as file:
                    found[name] = file.read()
        return found

    def temporaries(self):
        return glob.glob(self.out + "/**/.cclc-*", recursive=True)

    def measure(self):
        """Runs undisturbed and remembers the outputs."""
        self.prepare(False)
        began = time.monotonic()
        run = self.start()
        errors = run.communicate()[1]
        self.seconds = time.monotonic() - began
        self.whole = self.contents()
        assert run.returncode == 0 and len(self.whole) == len(self.writer.outputs), (self.command, errors, self.whole.keys())

    def torn(self, old):
        """The outputs that are neither old nor whole."""
        wrong, found = [], self.contents()
        for name in self.writer.outputs:
            if name not in found:
                if old:
                    wrong.append(name + " is gone")
            elif not ((old and found[name] == OLD) or self.is_whole(name, found[name])):
                wrong.append(name + " is torn")
        for path in glob.glob(self.path("kept/measures/*.json")):
            with open(path, "rb") as file:
                if not is_json(file.read()):
                    wrong.append("a measure is torn")
        return wrong

    def is_whole(self, name, content):
        if not self.writer.exact:
            return is_json(content)
        # An interrupted simulation reports the sizes that are done.
        return content == self.whole[name] or is_json(content) and json.loads(content).get("complete") is False


def is_json(content):
    try:
        json.loads(content)
        return True
    except ValueError:
        return False


class Report:
    def __init__(self):
        self.runs, self.defects = collections.Counter(), []

    def add(self, kind, trial, wrong):
        self.runs[kind] += 1
        for text in wrong:
            self.defects.append(f"{kind}, {trial.writer.name}: {text}")


def end_at_random_moments(trials, runs, choices, report):
    for number in (signal.SIGKILL, signal.SIGINT):
        run = ended = 0
        while ended < runs and run < 4 * runs:
            trial, old = trials[run % len(trials)], choices.random() < 0.5
            run += 1
            trial.prepare(old)
            process = trial.start()
            if choices.random() < 0.5:
                time.sleep(choices.random() * trial.seconds)
            else:  # while it writes
                while process.poll() is None and not trial.temporaries():
                    pass
                time.sleep(choices.random() * 0.001)
            process.send_signal(number)
            errors = process.communicate()[1].decode()
            wrong = trial.torn(old)
            ended += process.returncode in (-number, 130)
            report.runs[f"{number.name}: with a temporary file left"] += bool(trial.temporaries())
            if number == signal.SIGINT:
                # Before the handler is installed, the signal itself ends the process.
                if process.returncode not in (0, 130, -signal.SIGINT):
                    wrong.append(f"exit code {process.returncode}: {errors}")
                if trial.temporaries():
                    wrong.append("a temporary file is left")
            report.add(number.name, trial, wrong)
        report.runs[f"{number.name}: ended"] = ended


def let_fail(trial, kind, report, prepare):
    trial.prepare(True)
    undo = prepare(trial)
    try:
        process = trial.start(undo["child"])
        errors = process.communicate()[1].decode()
        wrong = trial.torn(True)
        if process.returncode != 2:
            wrong.append(f"exit code {process.returncode}: {errors}")
        if not 1 <= len(errors.splitlines()) <= len(trial.writer.outputs):
            wrong.append(f"more than one line for an output, or none: {errors}")
        if trial.temporaries():
            wrong.append("a temporary file is left")
    finally:
        undo["parent"]()
    report.add(kind, trial, wrong)


def limited(trial):
    def child():
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
    return {"child": child, "parent": lambda: None}


def read_only(trial):
    def child():
        if os.getuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
    for name in trial.writer.outputs:
        os.chmod(trial.path(name), 0o666)
    os.chmod(trial.out, 0o555)
    return {"child": child, "parent": lambda: os.chmod(trial.out, 0o755)}


def full(trial):
    """A file system with room for the old contents only."""
    contents = trial.contents()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", trial.out], check=True)
    for name, content in contents.items():
        os.makedirs(os.path.dirname(trial.path(name)), exist_ok=True)
        with open(trial.path(name), "wb") as file:
            file.write(content)
    filler = os.open(trial.path("filler"), os.O_WRONLY | os.O_CREAT)
    try:
        while os.write(filler, b"x" * 4096):
            pass
    except OSError:
        pass
    os.close(filler)
    return {"child": None, "parent": lambda: subprocess.run(["umount", trial.out], check=True)}


def can_mount(folder):
    place = os.path.join(folder, "mount")
    os.makedirs(place, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place]
    try:
        if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
            return False
    except FileNotFoundError:
        return False
    subprocess.run(["umount", place], check=True)
    return True


def close_pipe(trial, report):
    """Standard output is a pipe without a reader."""
    words = [word for word in trial.command]
    target = trial.path(trial.writer.outputs[0])
    if target not in words:
        return
    trial.prepare(True)
    piped = Trial(trial.folder, "", trial.writer)
    piped.command = ["-" if word == target else word for word in words]
    reader, writer = os.pipe()
    os.close(reader)
    process = piped.start(stdout=writer)
    os.close(writer)
    errors = process.communicate()[1].decode()
    wrong = [] if process.returncode == 2 and len(errors.splitlines()) <= 1 else [f"exit code {process.returncode}: {errors}"]
    report.add("closed pipe", trial, wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    binaries, choices, report = os.path.abspath(arguments.bin), random.Random(arguments.seed), Report()
    with tempfile.TemporaryDirectory(prefix="try-writers-") as folder:
        os.chmod(folder, 0o755)
        for name, ranks in (("in.json", "24"), ("few.json", "2")):
            subprocess.run([binaries + "/cclc", "allreduce_ring", "--ranks", ranks, "-o", os.path.join(folder, name)], check=True)
        trials = [Trial(folder, binaries, writer) for writer in WRITERS]
        for trial in trials:
            trial.measure()
        end_at_random_moments(trials, arguments.runs, choices, report)
        mounts = can_mount(folder)
        for trial in trials:
            let_fail(trial, "limit of files", report, limited)
            let_fail(trial, "read-only folder", report, read_only)
            if mounts:
                let_fail(trial, "full disk", report, full)
            close_pipe(trial, report)
    for kind, count in report.runs.items():
        print(f"{count:6} runs: {kind}")
    if not mounts:
        print("no file system can be mounted: a full disk was not tried")
    for defect in report.defects:
        print(defect.rstrip())
    print(f"{len(report.defects)} defects")
    return 1 if report.defects else 0


if __name__ == "__main__":
    sys.exit(main())
