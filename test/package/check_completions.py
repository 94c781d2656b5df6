#!/usr/bin/env python3
"""Completes words with the completions of every tool, and compares with the help text.

usage: check_completions.py --bin DIR --completions DIR

bash must offer exactly the options of the help of the tool and of every verb, and exactly the words
of an option that has a list of them. zsh must parse its files; fish must offer the same options. A
shell that is missing is left out.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

VERBS = {"cclc": ["", "list", "targets", "targets describe", "targets check", "targets import", "describe", "convert", "synth"]}
TOOLS = ("cclc", "ccl-bound", "ccl-diff", "ccl-opt", "ccl-run", "ccl-sim", "ccl-tune")
BASH = r"""
PATH=$1:$PATH
. "$2"
shift 2
while [ $# -gt 0 ]; do
  read -ra COMP_WORDS <<< "${1//=/ = }"
  [[ $1 != *" " ]] || COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  "_${COMP_WORDS[0]//-/_}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  echo "${COMPREPLY[*]}"
  shift
done
"""


def printed(command, environment):
    return subprocess.run(command, text=True, check=True, env=environment, stdout=subprocess.PIPE).stdout


def options_of_help(text):
    """Names, and the words of those with a list of values: --dtype f16|f32, --stats[=text|json]."""
    names, words = set(), {}
    for line in text.splitlines():
        match = re.match(r"  (-[-\w,]+)(?:\[=([\w|-]+)\]| (\S+))?", line)
        if not match:
            continue
        names.update(match.group(1).split(","))
        value = match.group(2) or match.group(3) or ""
        # Lists have no placeholder in capitals, such as NAME|FILE.
        if "|" in value and not re.search(r"(^|\|)(N|NAME|FILE)(\||$)", value):
            for name in match.group(1).split(","):
                words[name] = set(value.split("|"))
    return names, words


class Offers:
    """What a shell offers for the beginnings of command lines."""

    def __init__(self, args, environment):
        self.args, self.environment = args, environment

    def bash(self, tool, lines):
        file = self.args.completions / "bash" / tool
        out = printed(["bash", "--norc", "-c", BASH, "bash", self.args.bin, file, *lines], self.environment)
        return [set(line.split()) for line in out.split("\n")[:-1]]

    def fish(self, tool, lines):
        file = self.args.completions / "fish" / f"{tool}.fish"
        script = f"source {file}\n" + "".join(f"complete -C '{line}'; echo ==\n" for line in lines)
        out = printed(["fish", "--no-config", "-c", script], self.environment)
        return [{row.split("\t")[0] for row in part.splitlines() if row} for part in out.split("==\n")[:-1]]


def compare(what, offered, expected):
    if offered != expected:
        sys.exit(f"{what}: offers {sorted(offered - expected)} too much, lacks {sorted(expected - offered)}")


def check_values(offers, args, environment, has_fish):
    """Collectives, parameters of the program of the line, and the keys of gates."""
    programs = [line.split() for line in printed([args.bin / "cclc", "list"], environment).splitlines()]
    collectives = {words[1] for words in programs} - {"custom"} | {"sendrecv"}
    for name in ("allgather_paths", "allreduce_ring", "allgather_bruck"):
        [expected] = [{word.split("=")[0] + "=" for word in words[2:]} for words in programs if words[0] == name]
        compare(f"bash: -p of {name}", offers.bash("cclc", [f"cclc {name} -p "])[0], expected)
        if has_fish:
            compare(f"fish: -p of {name}", offers.fish("cclc", [f"cclc {name} -p "])[0], expected)
    compare("bash: -p of no program", offers.bash("cclc", ["cclc synth allreduce -p "])[0], set())
    for tool in ("ccl-tune", "ccl-bound"):
        for begin in ("all", "red", "s"):
            expected = {name for name in collectives if name.startswith(begin)}
            compare(f"bash: {tool} ring {begin}", offers.bash(tool, [f"{tool} ring {begin}"])[0], expected)
    gates = offers.bash("ccl-diff", ["ccl-diff a b --gate "])[0]
    refused = subprocess.run([args.bin / "ccl-diff", "a", "b", "--gate", "x:1"], capture_output=True, text=True,
                             env=environment, check=False).stderr
    keys = refused.strip().rsplit("one of ", 1)[1].split(", ")
    compare("bash: --gate", gates, {key + ":" for key in keys})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--completions", type=pathlib.Path, required=True)
    args = parser.parse_args()
    environment = dict(os.environ, PATH=f"{args.bin}:{os.environ['PATH']}", COLUMNS="400")
    shells = [shell for shell in ("bash", "zsh", "fish") if shutil.which(shell)]
    offers, count = Offers(args, environment), 0
    for tool in TOOLS:
        for verb in VERBS.get(tool, [""]):
            names, words = options_of_help(printed([args.bin / tool, *verb.split(), "--help"], environment))
            begin = f"{tool} {verb} " if verb else f"{tool} "
            named = [name for name in sorted(words) if name.startswith("--")]
            lines = [begin + "-", *(f"{begin}{name}=" for name in named)]
            offered = offers.bash(tool, lines)
            compare(f"bash: {lines[0]}", offered[0], names)
            for line, name, some in zip(lines[1:], named, offered[1:]):
                compare(f"bash: {line}", some, words[name])
            if "fish" in shells:
                long = {name for name in names if name.startswith("--")}
                offered = offers.fish(tool, [begin + "--", *lines[1:]])
                compare(f"fish: {begin}--", {name.rstrip("=") for name in offered[0] if name.startswith("--")}, long)
                for line, name, some in zip(lines[1:], named, offered[1:]):
                    compare(f"fish: {line}", some, {f"{name}={word}" for word in words[name]})
            count += len(names)
        if "zsh" in shells:
            subprocess.run(["zsh", "-n", args.completions / "zsh" / f"_{tool}"], check=True)
    targets = set(printed([args.bin / "cclc", "targets"], environment).split("\n"))
    offered = offers.bash("ccl-sim", ["ccl-sim plan.json --target ahbm"])[0]
    compare("bash: --target ahbm", offered, {line.split()[0] for line in targets if line.startswith("ahbm")})
    check_values(offers, args, environment, "fish" in shells)
    print(f"{count} options are completed as their help says, in {', '.join(shells)}")


if __name__ == "__main__":
    main()
