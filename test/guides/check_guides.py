#!/usr/bin/env python3
"""Compares the command guides with the tools.

usage: check_guides.py BINDIR

Each guide documents exactly the options of the tool and of its verbs, its exit codes, and every key of
the JSON that it writes. The documents are made by the commands below, in a folder of their own.
The messages that tests expect of a tool name only options of that tool, or name the other tool.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("cclc", "ccl-bound", "ccl-diff", "ccl-opt", "ccl-run", "ccl-sim", "ccl-tune")
EXIT_CODES = ("0", "1", "2", "70", "130")

# Files for the commands: NAME, and the command of cclc that makes it.
PLANS = {
    "ring.json": "allreduce_ring --ranks 4 --target ring",
    "tree.json": "allreduce_tree --ranks 4 -p chunks=2",
    "ring.xml": "allreduce_ring --ranks 4 --xml-dialect=rccl --max-bytes 1M",
    "lrab.json": "allreduce_lrab --target ahbm",
}
# The JSON of each tool: a command, and the file that it writes; none: standard output.
DOCUMENTS = {
    "cclc": [("list --json", None), ("targets --json", None), ("targets describe ahbm --json", None),
             ("describe allreduce_lrab --json", None),
             (f"targets check {ROOT}/test/lit/Driver/Inputs/fabric.ibnetdiscover --format=json", None),
             ("allreduce_lrab --target ahbm -o plan.json --stats=json", None),
             ("allreduce_ring --ranks 4 -o plan.json --explain=json", None)],
    "ccl-sim": [("ring.json --sweep 4K:64K:4 --check-data --critical-path --what-if --advise --json sim.json", "sim.json"),
                ("lrab.json --bytes 64K --json lrab.sim.json", "lrab.sim.json"),
                ("verify ring.json --target ring --bytes 1M --json verify.json", "verify.json"),
                ("verify ring.json ring.xml --json both.json", "both.json"),
                ("lint ring.xml --json lint.json", "lint.json"),
                ("concurrent ring.json@0 ring.json@1e-6:4 --target ring --bytes 4K --json both.json", "both.json"),
                ("dma sip0.cube0.pe0<-sip0.cube1.pe0 --target ahbm --bytes 4K --json dma.json", "dma.json"),
                ("why ring.json 0:o:1 --json why.json", "why.json")],
    "ccl-bound": [("ring allreduce --plan ring.json --json bound.json", "bound.json"),
                  ("ring broadcast --ranks 4 --json bound.json", "bound.json"),
                  ("ring alltoall --ranks 4 --json bound.json", "bound.json"),
                  (f"dgx-h100 --measured {ROOT}/test/lit/Bound/Inputs/nccl-tests.txt --json peak.json", "peak.json"),
                  ("dgx1 broadcast --endpoints 0,1,7 --without link --json without.json", "without.json"),
                  ("dgx1 broadcast --endpoints 0,1,7 --json bound.json", "bound.json")],
    "ccl-diff": [("ring.json tree.json --target ring --gate time:+1% --gate steps:0 --format=json", None)],
    "ccl-tune": [("ring allreduce --ranks 4 --sizes 1K:4K:4 --programs allreduce_ring "
                  "--vary link.bandwidth=50e9:100e9:2 -o tuned", "tuned/portfolio.json"),
                 ("ring allreduce --ranks 4 --sizes 1K:4K:4 --programs allreduce_ring "
                  "--vary link.bandwidth=50e9:100e9:2 -o tuned", "tuned/vary.json")],
    "ccl-run": [("ring.json --bytes 4K --check-data --predict ring --json run.json", "run.json")],
}
# Objects whose keys are names: of counters of passes, links, and limits of the target.
NAMED = {"passes", "lengths", "limits"}


def options_of(tree):
    """The names of all options of a tool and its verbs."""
    names = {name for option in tree["options"] for name in option["names"]}
    return names.union(*map(options_of, tree["commands"]))


def check_options(tool, guide, tree):
    told = options_of(tree)
    # -O0 to -O3 are values of -O; -v of --version is not shown by the help.
    documented = {re.sub(r"^-O\d$", "-O", name) for line in re.findall(r"^`-.*", guide, re.MULTILINE)
                  for name in re.findall(r"`(--?[a-zA-Z][\w-]*)", line)} - {"-v"}
    for name in sorted(told - documented):
        if not re.search(rf"(?<![\w-]){name}(?![\w-])", guide):
            yield f"{tool}.md: option {name} is not documented"
    for name in sorted(documented - told):
        yield f"{tool}.md: the tool has no option {name}"


def check_messages(tool, options):
    """Remedies in the messages of the lit tests; those of renamed options name the old ones, too."""
    for test in sorted((ROOT / "test/lit").rglob("*.test")):
        for message in re.findall(rf"\b{tool}: (?:error|warning|note): (.*)", test.read_text()):
            message = re.sub(r"\((?:cclc|ccl-\w+) --[^)]*\)|(?:cclc|ccl-\w+) --[\w-]+|--[\w-]+ is deprecated", "",
                             message)
            for name in re.findall(r"(?<![\w'\"-])--[a-z][a-z-]+", message):
                if name not in options:
                    yield f"{test.relative_to(ROOT)}: {tool} has no option {name}, which its message names"


def check_codes(tool, guide):
    section = re.search(r"^## Exit codes$(.*?)(?=^## |\Z)", guide, re.MULTILINE | re.DOTALL)
    rows = set(re.findall(r"^\| (\d+)", section.group(1), re.MULTILINE)) if section else set()
    for code in EXIT_CODES:
        if code not in rows:
            yield f"{tool}.md: exit code {code} is not in the table"


def keys_of(value):
    if isinstance(value, list):
        for item in value:
            yield from keys_of(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in NAMED:
                yield from keys_of(item)


def run(bin_folder, folder, tool, words):
    done = subprocess.run([bin_folder / tool, *words.split()], cwd=folder, text=True, check=False,
                          capture_output=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{tool} {words}\n{done.stderr}exit code {done.returncode}")
    return done.stdout


def check_keys(tool, guide, bin_folder, folder):
    fence = r"^```{}$.*?^```$"
    schemas = re.findall(fence.format("json"), guide, flags=re.MULTILINE | re.DOTALL)
    prose = re.sub(fence.format(".*?"), "", guide, flags=re.MULTILINE | re.DOTALL)
    words = set(re.findall(r"[a-z][\w-]*", " ".join([*schemas, *re.findall(r"`[^`]+`", prose)])))
    for command, file in DOCUMENTS.get(tool, ()):
        text = run(bin_folder, folder, tool, command)
        document = json.loads((folder / file).read_text() if file else text)
        for key in sorted(set(keys_of(document)) - words):
            yield f"{tool}.md: key '{key}' of '{tool} {command}' is not documented"


def main():
    bin_folder = pathlib.Path(sys.argv[1]).resolve()
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, command in PLANS.items():
            run(bin_folder, folder, "cclc", f"{command} -o {file}")
        for tool in TOOLS:
            guide = (ROOT / f"docs/CommandGuide/{tool}.md").read_text()
            tree = json.loads(run(bin_folder, folder, tool, "--help=json"))
            wrong += [*check_options(tool, guide, tree), *check_codes(tool, guide),
                      *check_messages(tool, options_of(tree)),
                      *check_keys(tool, guide, bin_folder, folder)]
    if wrong:
        sys.exit("\n".join(wrong))
    print("the guides document all options, exit codes and keys")


if __name__ == "__main__":
    main()
