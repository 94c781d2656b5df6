#!/usr/bin/env python3
"""Adds the barrier of a thread team to the text of a plan.

usage: team_barrier.py PLAN.ccl

In a plan each sum waits for the threadblock that has fetched its operand. With a barrier, the first
of the sums of a threadblock waits for all of them: a chain of `nop` steps before it, of which each
waits for one threadblock.
"""

import pathlib
import re
import sys

STEP = re.compile(r"      \d+: (.*)")
WAIT = re.compile(r" dep tb(\d+):(\d+)")


def with_barriers(plan):
    """The text of PLAN with a barrier before the first of consecutive sums of a threadblock."""
    return re.sub(r"  rank \d+.*?\n  }\n", lambda rank: rank_with_barriers(rank.group(0)), plan,
                  flags=re.S)


def rank_with_barriers(text):
    blocks = {int(number): [STEP.match(line).group(1) for line in steps.splitlines()]
              for number, steps in re.findall(r"    tb (\d+)[^\n]*\{\n(.*?)    }\n", text, re.S)}
    added = {number: barrier_of(steps) for number, steps in blocks.items()}

    def moved(wait):
        block, step = int(wait.group(1)), int(wait.group(2))
        begin, nops = added[block]
        return f" dep tb{block}:{step + (len(nops) if step >= begin else 0)}"

    def written(match):
        number = int(match.group(2))
        begin, nops = added[number]
        steps = blocks[number]
        steps = steps[:begin] + nops + [
            WAIT.sub("", step) if nops and 0 < at <= len(nops) else step
            for at, step in enumerate(steps[begin:])]
        lines = [f"      {at}: {WAIT.sub(moved, step)}\n" for at, step in enumerate(steps)]
        return match.group(1) + "".join(lines) + match.group(3)

    return re.sub(r"(    tb (\d+)[^\n]*\{\n).*?(    }\n)", written, text, flags=re.S)


def barrier_of(steps):
    """The place of the barrier in STEPS, and its steps; no steps if no sum has a wait to move."""
    begin = next((at for at, step in enumerate(steps) if step.startswith("re ")), len(steps))
    nops = []
    for step in steps[begin + 1:]:
        wait = WAIT.search(step)
        if not step.startswith("re ") or not wait:
            break
        nops.append("nop" + wait.group(0) + re.search(r"( phase \d+)?$", step).group(0))
    return begin, nops


if __name__ == "__main__":
    print(with_barriers(pathlib.Path(sys.argv[1]).read_text()), end="")
