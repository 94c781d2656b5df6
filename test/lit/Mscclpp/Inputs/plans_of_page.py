"""Prints the file and the times of each plan, in ps, of a report. usage: plans_of_page.py PAGE"""

import base64
import json
import pathlib
import re
import sys
import zlib

kind, text = re.search(r"\b(zlib|plain) ([A-Za-z0-9+/]{100,}=*)",
                       pathlib.Path(sys.argv[1]).read_text()).groups()
data = base64.b64decode(text)
data = zlib.decompress(data) if kind == "zlib" else data
for plan in json.loads(data[8:8 + int.from_bytes(data[:8], "little")])["plans"]:
    print(pathlib.Path(plan["file"]).name, *[size["time"] for size in plan["sizes"]])
