"""Changes a plan of MSCCL++.

usage: mscclpp.py PLAN renumber | drop | swap | pad N > NEW

renumber exchanges two threadblocks of rank 0, drop removes the first operation of its threadblock 1,
swap exchanges the sources of one of its operations, and pad begins it with N nops.
"""

import json
import sys

plan = json.load(open(sys.argv[1]))
blocks = plan["gpus"][0]["threadblocks"]
if sys.argv[2] == "renumber":
    blocks[0], blocks[1] = blocks[1], blocks[0]
    for number, block in enumerate(blocks):
        block["id"] = number
elif sys.argv[2] == "drop":
    blocks[1]["ops"].pop(0)
elif sys.argv[2] == "swap":
    op = next(op for op in blocks[0]["ops"] if len(op.get("src_buff", [])) > 2)
    op["src_buff"][1], op["src_buff"][2] = op["src_buff"][2], op["src_buff"][1]
elif sys.argv[2] == "pad":
    blocks[0]["ops"][:0] = [{"name": "nop"}] * int(sys.argv[3])
print(json.dumps(plan, indent=0))
