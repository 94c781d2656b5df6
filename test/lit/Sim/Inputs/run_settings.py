#!/usr/bin/env python3
"""Checks that every output records each setting that the time depends on.

usage: run_settings.py FOLDER

For each case, compiles and simulates a plan, and looks for the setting in the head of the summary, the
JSON report, the trace, the data of the HTML report and, for a setting of cclc, in the header of the plan. Fails if an
option of ccl-sim for the machine or the message has no case.
"""

import base64
import json
import pathlib
import re
import shlex
import subprocess
import sys
import zlib

# The option, the arguments of cclc, those of ccl-sim, and the setting that all outputs record.
CASES = [
    ("--target", "--ranks 4", "--target ring", "target", "ring"),
    ("--target", "--ranks 4", "--target own.json", "target", "own"),
    ("--set", "--ranks 4 --target ring", "--set launch=1e-6", "target_settings", "launch=1e-6"),
    ("--multiplex-queues", "--ranks 4 --target ahbm", "--multiplex-queues", "target_settings",
     "ipcq.multiplex=on"),
    ("--slots", "--ranks 4 --target ring", "--slots 3", "slots", "3"),
    ("--network", "--ranks 4 --target ring", "--network maxmin", "network", "maxmin"),
    ("--skew", "--ranks 4 --target ring", "--skew 1=2e-6", "with", "--skew 1=2e-6"),
    ("--schedule", "--ranks 4 --target ring", "--schedule random:4", "with",
     "--schedule random:4"),
    ("--dtype", "--ranks 4 --target ring", "--dtype f16", "dtype", "f16"),
    ("--op", "--ranks 4 --target ring", "--op max", "op", "max"),
    ("--repeat", "--ranks 4 --target ring", "--repeat 3", "repeat", "3"),
    ("cclc", "--ranks 4 --target ring --set launch=2e-6", "", "target_settings", "launch=2e-6"),
    ("cclc", "--ranks 4 --target ring --slots 5", "--slots 5", "slots", "5"),
    ("cclc", "--ranks 8 --target dgx-h100 --protocol LL", "", "protocol", "LL"),
    ("cclc", "--ranks 9 --target mesh2d --placement snake", "", "endpoints", "0-2,5,4,3,6-8"),
    ("cclc", "--ranks 4 --target ring --set ranks=8 --endpoints 0-6:2", "", "endpoints", "0-6:2"),
    ("cclc", "--ranks 4 --target own.json", "", "target", "own"),
]
# These select sizes, which every result has, or change no time.
WITHOUT_CASE = {"--bytes", "--sweep", "-b", "-e", "-f", "-j", "--rolled"}


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)}: {done.stderr}"
    return done.stdout


def expand(text):
    """The numbers of "0-2,8,10-14:2"."""
    numbers = []
    for part in text.split(","):
        first, last, _, step = re.fullmatch(r"(\d+)(?:-(\d+))?(:(\d+))?", part).groups()
        numbers += range(int(first), int(last or first) + 1, int(step or 1))
    return numbers


def in_json(document, key, value):
    if key == "with":
        option, text = value.split()
        return document[option[2:]] in (text, [text])
    if key == "endpoints" and isinstance(document.get(key), list):
        return document[key] == expand(value)
    found = document.get(key)
    return value in found if isinstance(found, list) else str(found) == value


def in_trace(document, key, value):
    [args] = [event["args"] for event in document["traceEvents"] if event.get("cat") == "run"]
    return args.get(key) == value


def in_head(text, key, value):
    unit = {"slots": " slots", "repeat": " runs"}.get(key, "")
    return re.search(rf"(^|[ ,]){re.escape(value + unit)}(,|$| )", text.splitlines()[0]) is not None


def in_page(plan, key, value):
    if key == "slots":
        return plan[key].split()[0] == value
    if key in ("target", "target_settings"):
        return value in re.split(r" with |, ", plan["target"])
    return str(plan["conditions" if key == "with" else key]) == value


def data_of(page):
    """The plan that a report is about."""
    kind, text = re.search(r"\b(zlib|plain) ([A-Za-z0-9+/]{100,}=*)", page).groups()
    data = base64.b64decode(text)
    data = zlib.decompress(data) if kind == "zlib" else data
    return json.loads(data[8:8 + int.from_bytes(data[:8], "little")])["plans"][0]


def hashes(document, trace, plan):
    [args] = [event["args"] for event in trace["traceEvents"] if event.get("cat") == "run"]
    return {document["target_hash"], args["target_hash"], plan["target_hash"]}


def check(folder, number, case):
    option, compiled, simulated, key, value = case
    plan, report, trace, page = (f"{folder}/{number}.{end}"
                                 for end in ("plan.json", "json", "trace", "html"))
    at = lambda text: shlex.split(text.replace("own.json", f"{folder}/own.json"))
    run(["cclc", "allreduce_ring", *at(compiled), "-o", plan])
    text = run(["ccl-sim", plan, "--bytes", "4K", *at(simulated), "--json", report, "--trace", trace,
                "--report", page])
    document = json.loads(pathlib.Path(report).read_text())
    events = json.loads(pathlib.Path(trace).read_text())
    shown = data_of(pathlib.Path(page).read_text())
    missing = [output for output, found in (("head", in_head(text, key, value)),
                                            ("--json", in_json(document, key, value)),
                                            ("--trace", in_trace(events, key, value)),
                                            ("--report", in_page(shown, key, value))) if not found]
    if option == "cclc" and not in_json(json.loads(pathlib.Path(plan).read_text()), key, value):
        missing.append("plan")
    found = hashes(document, events, shown)
    if len(found) != 1 or not all(found):
        missing.append("one hash of the target")
    print(f"{option} {compiled} {simulated}: {key} {value}: "
          + ("missing in " + ", ".join(missing) if missing else "recorded"))
    return not missing


def options():
    """The options for the machine and the message, and --schedule."""
    groups = re.split(r"\n(?=\w)", run(["ccl-sim", "--help"]))
    text = "\n".join(group for group in groups if group.startswith(("Machine:", "Message:")))
    return set(re.findall(r"^  (--?[\w-]+)", text, re.MULTILINE)) | {"--schedule"}


def main():
    folder = sys.argv[1]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    own = {"base": "ring", "name": "own", "launch": 3e-6}
    pathlib.Path(folder, "own.json").write_text(json.dumps(own))
    complete = all([check(folder, number, case) for number, case in enumerate(CASES)])
    unknown = options() - {case[0] for case in CASES} - WITHOUT_CASE
    assert not unknown, f"options without a case: {sorted(unknown)}"
    sys.exit(not complete)


main()
