"""Interrupts tools while they write: a pipe without a reader blocks output through graphviz, and writing a
long trace takes longer than the test."""
import os
import signal
import subprocess
import sys
import time

COMMANDS = {
    "trace": ["ccl-sim", "plan.json", "--target", "ring", "--bytes", "16M", "--repeat", "100000", "--trace", "out/trace.json"],
    "picture": ["cclc", "allreduce_ring", "--dump-schedule", "out/q.svg"],
}
with open("dot", "w") as script:
    script.write("#!/bin/sh\nsleep 20\n")
os.chmod("dot", 0o755)
environment = {**os.environ, "PATH": os.getcwd() + ":" + os.environ["PATH"], "TMPDIR": os.path.abspath("out")}
for name, command in COMMANDS.items():
    # The process that runs the tests may ignore interrupts.
    run = subprocess.Popen(command, env=environment, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    while not os.listdir("out") and run.poll() is None:
        time.sleep(0.005)
    run.send_signal(signal.SIGINT)
    print(f"{name}: exit code {run.wait()}, files left: {len(os.listdir('out'))}")
