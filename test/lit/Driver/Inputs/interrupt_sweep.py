"""Interrupts sweeps after their first rows: the last size would take hours. Prints their output."""
import json
import os
import signal
import subprocess
import sys

os.mkdir("out")
sweep = ["ccl-sim", "plan.json", "--target", "ring", "--set", "queue.slot_size=1024", "--sweep", "1K:4T:65536"]
for name, options, rows in [("SIGINT", [], 2), ("SIGTERM", ["-j", "4"], 2), ("SIGINT", ["--what-if", "--bytes"], 1),
                            ("SIGINT", ["--format", "github", "--bytes"], 0)]:
    command = sweep + options
    if "--bytes" in options:
        command = sweep[:-2] + options + ["1T" if rows == 0 else "256M"]
    # The process that runs the tests may ignore interrupts.
    run = subprocess.Popen(command + ["--json", "out/report.json"], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           env={**os.environ, "TMPDIR": os.path.abspath("out")},
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    lines = [run.stdout.readline() for _ in range(3 + rows)]  # title, empty line, heading
    run.send_signal(getattr(signal, name))
    rest, messages = run.communicate()
    print(f"{name} {' '.join(options)}: exit code {run.returncode}, {len(rest.splitlines())} more lines")
    print("".join(lines[3:]) + messages, end="")
    print("files:", os.listdir("out"))
    if os.path.exists("out/report.json"):
        with open("out/report.json") as file:
            report = json.load(file)
        print("complete:", report["complete"], "bytes:", [row["bytes"] for row in report["results"]])
        os.remove("out/report.json")
