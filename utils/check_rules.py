#!/usr/bin/env python3
"""Checks that every numbered rule of the documents is implemented and tested by name.

usage: check_rules.py ROOT

A document marks a list of rules by the HTML comment "rules: KIND" before it; "rules: KIND, to the
end" marks all numbered lists in the rest of the document. Code cites a rule in a
comment ("rule 3", "rules 8 to 11 and 26"; of a KIND other than "rule": "structure rule 3"). A unit
test has a tag "[KIND-3]", another test a comment "rule 3". Each rule has to be cited by code in
include/, lib/ or tools/ and by a test; a citation of a rule that does not exist is an error.
"""

import pathlib
import re
import sys

MARKER = re.compile(r"<!-- rules: (\w+)(, to the end)? -->")
ITEM = re.compile(r"(P?\d+)\. ")
NUMBERS = r"(P?\d+(?:(?:, | and | to )P?\d+)*)"


def rules_of(text):
    """Pairs of a kind and the numbers of its rules, in order."""
    for marker in MARKER.finditer(text):
        numbers = []
        for line in text[marker.end():].splitlines()[1:]:
            item = ITEM.match(line)
            if item:
                numbers.append(item.group(1))
            elif line and not line.startswith(" ") and not marker.group(2):
                break
        yield marker.group(1), numbers


def expand(text, numbers):
    """The rules that "8 to 11 and 26" names."""
    for part in re.split(r", | and ", text):
        first, _, last = part.partition(" to ")
        last = last or first
        if first in numbers and last in numbers:
            yield from numbers[numbers.index(first):numbers.index(last) + 1]
        else:
            yield part


def citations(text, kind, numbers):
    prefix = r"(?<!structure )(?<!trace )[Rr]ules?" if kind == "rule" else kind + r" rules?"
    text = re.sub(r"\n\s*(//+|#)\s*", " ", text)
    for match in re.finditer(prefix + r" " + NUMBERS, text):
        yield from expand(match.group(1), numbers)


def main():
    root = pathlib.Path(sys.argv[1])
    sources = [p.read_text() for folder in ("include", "lib", "tools")
               for p in sorted((root / folder).rglob("*"))
               if p.suffix in (".h", ".cpp")]
    tests = [p.read_text(errors="ignore") for p in sorted((root / "test").rglob("*"))
             if p.suffix in (".h", ".cpp", ".py", ".test", ".ccl")]
    errors = []
    for document in sorted((root / "docs").rglob("*.md")):
        for kind, numbers in rules_of(document.read_text()):
            name = f"{document.relative_to(root)}: {kind}"
            implemented = {n for text in sources for n in citations(text, kind, numbers)}
            tested = {n for text in tests for n in citations(text, kind, numbers)}
            tested |= {n for text in tests for n in re.findall(rf"\[{kind}-(P?\d+)\]", text)}
            errors += [f"{name} {n} is cited by no code" for n in numbers if n not in implemented]
            errors += [f"{name} {n} is cited by no test" for n in numbers if n not in tested]
            errors += [f"{name} {n} is cited, but does not exist"
                       for n in sorted((implemented | tested) - set(numbers))]
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
