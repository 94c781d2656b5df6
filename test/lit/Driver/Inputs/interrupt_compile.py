"""Interrupts cclc while it waits for a slow compiler."""
import os
import signal
import subprocess
import time

with open("slow", "w") as script:
    script.write("#!/bin/sh\necho $$ > started.new && mv started.new started\nsleep 20\n")
os.chmod("slow", 0o755)
for number in (signal.SIGINT, signal.SIGTERM):
    if os.path.exists("started"):
        os.remove("started")
    # The process that runs the tests may ignore interrupts.
    run = subprocess.Popen(["cclc", "chunks.cpp"], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                           env={**os.environ, "CXX": "./slow", "TMPDIR": os.path.abspath("tmp")})
    while not os.path.exists("started"):
        time.sleep(0.005)
    run.send_signal(number)
    code = run.wait()
    with open("started") as file:
        compiler = int(file.read())
    ended = not os.path.exists(f"/proc/{compiler}")
    print(f"{number.name}: exit code {code}, compiler {'ended' if ended else 'still runs'}, "
          f"files left: {len(os.listdir('tmp'))}")
