"""Reads files with a million values inside each other with every tool: each refuses or accepts them with a usual
exit code, in seconds, without a crash."""
import os
import subprocess

DEPTH = 1000000
PLAN = '{"format": "cclc-plan", "version": 3, '
TEXT = "ccl.version 3\nchunk.program @deep coll custom ranks 2 outofplace "
RULE = TEXT + "{\n  input 2\n  output 1\n  expect r1:o[0] = "
XML = '<algo name="a" nchannels="1" ngpus="2" proto="Simple" coll="allreduce" inplace="1">'


def brackets(count):
    return "[" * count + "]" * count


def braces(count):
    return '{"a":' * count + "1" + "}" * count


FILES = {
    "arrays.json": brackets(DEPTH),
    "open.json": "[" * DEPTH,
    "objects.json": braces(DEPTH),
    "plan-arrays.json": PLAN + '"x": ' + brackets(DEPTH) + "}",
    "plan-objects.json": PLAN + '"name": ' + braces(DEPTH) + "}",
    "mscclpp.json": '{"name": "a", "collective": "allreduce", "protocol": "Simple", "inplace": true, "gpus": '
                    + brackets(DEPTH) + "}",
    "algo.xml": "<algo>" * DEPTH + "</algo>" * DEPTH,
    "gpu.xml": XML + '<gpu id="0">' * DEPTH,
    "comment.xml": "<!--" * DEPTH,
    "braces.ccl": TEXT + "{\n" * DEPTH,
    "parentheses.ccl": RULE + "(" * DEPTH + "r0:i[1]" + ")" * DEPTH + "\n}\n",
    "sum.ccl": RULE + " + ".join(["r0:i[1]"] * DEPTH) + "\n}\n",
    "location.ccl": "ccl.version 3\nplan @a coll allreduce ranks 2 loc(" + "(" * DEPTH,
}
COMMANDS = [
    "ccl-sim verify {}",
    "ccl-sim lint {}",
    "ccl-opt {}",
    "ccl-run {} --transport threads",
    "cclc targets describe ./{}",
]

wrong = runs = 0
for name, text in FILES.items():
    with open(name, "w") as file:
        file.write(text)
    for command in COMMANDS:
        if not name.endswith(".json") and "targets" in command:
            continue
        runs += 1
        run = subprocess.run(command.format(name).split(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                             timeout=120)
        if run.returncode not in (0, 1, 2) or b"crashed" in run.stderr:
            wrong += 1
            print(f"{command.format(name)}: exit code {run.returncode}: {run.stderr[:200]}")
    os.remove(name)
print(f"{runs} runs, {wrong} wrong")
