#!/usr/bin/env python3
"""Checks that every .cpp file of more than 60 lines begins with a description of its purpose and method.

usage: check_openings.py ROOT

The opening of a file in lib/ or tools/ is a banner of comment lines before the first include:

  //===- Name.cpp - Short title -----------------------------------------===//
  //
  // At least one sentence.
  //
  //===----------------------------------------------------------------------===//

The name is that of the file.
"""

import pathlib
import re
import sys

LINES_WITHOUT_OPENING = 60
TITLE = re.compile(r"//===-+ (\S+) - \S.*-===//")
END = re.compile(r"//===-+===//")


def fault(path):
    """Returns the error in the opening of a file, or None."""
    lines = path.read_text().splitlines()
    if len(lines) <= LINES_WITHOUT_OPENING:
        return None
    title = TITLE.fullmatch(lines[0])
    if not title:
        return "no opening"
    if title.group(1) != path.name:
        return f"the opening names {title.group(1)}"
    text = []
    for line in lines[1:]:
        if END.fullmatch(line):
            return None if re.search(r"\w\.(\s|$)", " ".join(text)) else "no sentence in the opening"
        if not line.startswith("//"):
            break
        text.append(line[2:].strip())
    return "the opening has no end"


def main():
    root = pathlib.Path(sys.argv[1])
    errors = [f"{path.relative_to(root)}:1: {problem}"
              for folder in ("lib", "python", "tools") for path in sorted((root / folder).rglob("*.cpp"))
              if (problem := fault(path))]
    print("\n".join(errors) if errors else "openings: ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
