#!/usr/bin/env python3
"""Generates the graph of the rooms and the table of the libraries in docs/Architecture.md and CONTRIBUTING.md, and
checks that the functions exist that docs/Architecture.md names with their file.

usage: architecture.py ROOT [--update]

The sources are the files CMakeLists.txt of lib: the first line describes a library, DEPENDS lists the libraries
that it uses. A folder directly in lib is a room. Without --update the script only compares, and fails if the document is out of date.
"""

import pathlib
import re
import sys


from check_layering import closure, read_libraries, rooms_of

# What a room is for, in words that a newcomer knows.
ROOMS = {
    "Support": "knows nothing of plans",
    "IR": "the three levels of a program and their text",
    "DSL": "what users write",
    "UserPrograms": "compiles, loads and guards users' code",
    "Symmetry": "repetitions of a program, and rolled plans",
    "Proof": "decides whether a plan is right",
    "Transforms": "rewrites programs",
    "Schedule": "from instructions to a plan",
    "Target": "machines, and their import from files of other tools",
    "Limits": "what machines, runtimes and formats accept",
    "Bound": "what no plan can beat",
    "Formats": "every file of a plan",
    "Mscclpp": "plans of MSCCL++: model, proof, lowering, lift",
    "Sim": "times, of plans of steps and of MSCCL++",
    "Run": "executes plans",
    "Compiler": "the stages of a compilation",
    "Search": "finds algorithms and the best plans",
    "Diff": "compares plans",
    "Views": "results, programs and machines as text, HTML and pictures, and plans for other simulators",
    "Tools": "what the tools and the interface for other programs share",
}


def summary_of(root, folder, name):
    summary = re.match(rf"# {name}: (.*)\.\n", (root / "lib" / folder / "CMakeLists.txt").read_text())
    if not summary:
        sys.exit(f"lib/{folder}/CMakeLists.txt does not begin with '# {name}: ...'")
    return summary.group(1)


def order_of(root):
    """The rooms from the bottom up."""
    folders = re.findall(r"add_subdirectory\((\w+)", (root / "lib/CMakeLists.txt").read_text())
    return sorted(set(folders), key=lambda room: max(i for i, folder in enumerate(folders) if folder == room))


def picture(root, rooms):
    """The graph of direct uses, transitively reduced."""
    below = closure(rooms)
    lines = ["```mermaid", "graph TD"]
    for name in reversed(order_of(root)):
        for other in sorted(rooms[name]):
            if not any(other in below[third] for third in rooms[name] if third != other):
                lines.append(f"  {name} --> {other}")
    return "\n".join(lines + ["```"])


def table(root, folders, rooms):
    if missing := set(rooms) ^ set(ROOMS):
        sys.exit(f"utils/architecture.py: no description, or no room: {', '.join(sorted(missing))}")
    rows = ["| room | what it is for | folders |", "|---|---|---|"]
    for room in order_of(root):
        inside = [(folder, name) for name, folder in sorted(folders.items(), key=lambda each: each[1])
                  if folder.split("/")[0] == room]
        cells = [f"`{folder}`: {summary_of(root, folder, name)}" for folder, name in inside]
        rows.append(f"| `{room}` | {ROOMS[room]} | {'; '.join(cells)} |")
    return "\n".join(rows)


def missing_functions(root):
    """Each "`name()` in `file`" whose file does not define such a function."""
    text = (root / "docs/Architecture.md").read_text()
    named = re.findall(r"`(\w+)\(\)`\s+in\s+`([\w/.-]+)`", text)
    if not named:
        sys.exit("docs/Architecture.md names no functions")
    for name, path in named:
        source = root / path
        defined = rf"^[\w<>:,&* ]*[\w>&*] [*&]?(?:\w+::)*{name}\([^;]*?\{{"
        if not source.is_file() or not re.search(defined, source.read_text(), re.MULTILINE):
            yield f"docs/Architecture.md: {path} defines no function {name}()"


def main():
    root = pathlib.Path(sys.argv[1])
    folders, direct = read_libraries(root)
    rooms = rooms_of(folders, direct)
    contents = {"picture": picture(root, rooms), "table": table(root, folders, rooms),
                "rooms": "\n".join(["| room | what it is for |", "|---|---|"] +
                                   [f"| `{room}` | {ROOMS[room]} |" for room in order_of(root)])}
    stale = []
    for path in ("docs/Architecture.md", "CONTRIBUTING.md"):
        text = before = (root / path).read_text()
        for name, content in contents.items():
            begin, end = f"<!-- architecture.py: {name} -->\n", "<!-- end -->"
            if begin in text:
                head, rest = text.split(begin)
                text = head + begin + content + "\n" + rest[rest.index(end):]
        if "--update" in sys.argv:
            (root / path).write_text(text)
        elif text != before:
            stale.append(path)
    for path in stale:
        print(f"{path} differs from the files CMakeLists.txt of lib: run utils/architecture.py . --update")
    missing = list(missing_functions(root))
    print("".join(line + "\n" for line in missing), end="")
    return 1 if stale or missing else 0


if __name__ == "__main__":
    sys.exit(main())
