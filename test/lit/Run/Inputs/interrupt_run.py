"""Interrupts ccl-run after two rows of a sweep, and ccl-opt while it minimizes a plan."""
import json
import os
import signal
import subprocess
import time


def start(command):
    # The process that runs the tests may ignore interrupts.
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


run = start(["ccl-run", "plan.json", "--sweep", "1K:256M:512", "--iterations", "20", "--threads", "1", "--json", "run.json"])
rows = 0
for line in run.stdout:
    words = line.split()
    if words and words[0] in ("1024", "524288"):
        rows += 1
    if rows == 2:
        break
run.send_signal(signal.SIGINT)
errors = run.communicate()[1]
with open("run.json") as file:
    document = json.load(file)
print(f"run: exit code {run.returncode}, complete: {document['complete']}, "
      f"bytes: {[row['bytes'] for row in document['plans'][0]['results']]}")
print(errors.strip())

with open("test.sh", "w") as script:
    script.write("echo >> calls\nsleep 0.1\ngrep -q \": s\" $1\n")
run = start(["ccl-opt", "plan.json", "--minimize", "--minimize-test", "sh test.sh", "-o", "small.ccl"])
while not os.path.exists("calls") or os.path.getsize("calls") < 4:
    time.sleep(0.01)
run.send_signal(signal.SIGINT)
errors = run.communicate()[1]
with open("small.ccl") as file:
    print(f"minimize: exit code {run.returncode}, {file.readline().strip()}")
print(errors.strip())
