#!/usr/bin/env python3
"""Generates the graph and the table of the libraries in docs/Architecture.md.

usage: architecture.py ROOT [--update]

The sources are lib/*/CMakeLists.txt: the first line describes a library, DEPENDS lists the libraries
that it uses. Without --update the script only compares, and fails if the document is out of date.
"""

import pathlib
import re
import sys


def libraries(root):
    """Name, summary and direct uses of every library, in the order of lib/CMakeLists.txt."""
    order = re.findall(r"add_subdirectory\((\w+)\)", (root / "lib/CMakeLists.txt").read_text())
    for name in order:
        text = (root / "lib" / name / "CMakeLists.txt").read_text()
        summary = re.match(rf"# {name}: (.*)\.\n", text)
        if not summary:
            sys.exit(f"lib/{name}/CMakeLists.txt does not begin with '# {name}: ...'")
        uses = re.search(r"DEPENDS\s+([A-Za-z\s]+?)(?:PRIVATE|\))", text)
        yield name, summary.group(1), uses.group(1).split() if uses else []


def picture(rooms):
    """The graph of direct uses, transitively reduced."""
    below = {}
    for name, _, uses in rooms:
        below[name] = set(uses).union(*(below[other] for other in uses)) if uses else set()
    lines = ["```mermaid", "graph TD"]
    for name, _, uses in reversed(rooms):
        for other in sorted(uses):
            if not any(other in below[third] for third in uses if third != other):
                lines.append(f"  {name} --> {other}")
    return "\n".join(lines + ["```"])


def table(rooms):
    rows = ["| library | contents |", "|---|---|"]
    return "\n".join(rows + [f"| `{name}` | {summary} |" for name, summary, _ in rooms])


def main():
    root = pathlib.Path(sys.argv[1])
    rooms = list(libraries(root))
    document = root / "docs/Architecture.md"
    text = before = document.read_text()
    for name, content in (("picture", picture(rooms)), ("table", table(rooms))):
        begin, end = f"<!-- architecture.py: {name} -->\n", "<!-- end -->"
        head, rest = text.split(begin)
        text = head + begin + content + "\n" + rest[rest.index(end):]
    if "--update" in sys.argv:
        document.write_text(text)
    elif text != before:
        print("docs/Architecture.md differs from lib/*/CMakeLists.txt: run utils/architecture.py . --update")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
