"""Prints the values of a parameter in the candidates of a folder of results; its default where none is given: 1.

usage: list_values.py DIR NAME
"""

import json
import pathlib
import re
import sys

commands = [json.loads(path.read_text())["candidate"] for path in pathlib.Path(sys.argv[1], "measures").iterdir()]
values = {re.search(rf"-p {sys.argv[2]}=(\S+)", command) for command in commands}
print(*sorted({int(match[1]) if match else 1 for match in values}))
