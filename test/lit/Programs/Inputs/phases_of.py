"""Prints the phases of a plan and the source lines of the steps of each phase.

usage: phases_of.py PLAN...
"""

import json
import sys

for path in sys.argv[1:]:
    with open(path) as file:
        plan = json.load(file)
    lines = {}
    for rank in plan["ranks"]:
        for threadblock in rank["threadblocks"]:
            for step in threadblock["steps"]:
                file, line = plan["locations"][step["loc"]][:2]
                lines.setdefault(step.get("phase", 0), set()).add(line)
    phases = [f"{name} at {', '.join(map(str, sorted(lines[i])))}"
              for i, name in enumerate(plan["phases"], 1)]
    print(f"{plan['name']}: {'; '.join(phases)}")
