#!/usr/bin/env python3
"""Run the examples of Markdown documents and compare their output.

Two kinds of fenced block are live; all others are ignored. The blocks of a document run in
order in one fresh temporary directory, so that a later block sees the files of an earlier one.

A block whose info string has the word ``file=NAME`` writes its content to NAME:

    ```text file=ring.ccl
    ccl.chunk.program @ring ...
    ```

With an additional ``from=PATH``, the block must equal that file of the repository.

A block whose info string starts with the word ``console`` is a session:

    ```console
    $ ccl-opt ring.ccl
    > --passes=lower
    ...
    steps 12
    $ ccl-opt missing.ccl
    ccl-opt: error: ...
    [exit 2]
    ```

* ``$ `` starts a command and each ``> `` line right after it continues it on a new line. A
  command runs by sh with stdin closed, stderr merged into stdout, and the tools first on PATH.
* The other lines are the expected output and are compared exactly; a line ``...`` matches any
  number of lines, including none.
* The last line of the output of a command that exits with N, not 0, is ``[exit N]``.

This form cannot express an output line that starts with ``$ ``. A fence may be indented (in a
list, for example); the same indentation is then removed from each line of the block.

Exit code: 0 if all outputs agree, 1 if one differs, 2 if a document or the command line is
invalid.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WILDCARD = "..."
TIMEOUT_SECONDS = 300
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>.*)$")


class DocumentError(Exception):
    """A document that cannot be run; the message has the place and the reason."""


@dataclass
class Command:
    """One command of a console block, with the lines of the document that hold its output."""

    line: int  # of the "$ ", counted from 1
    text: str
    expected: list[str]
    output_begin: int  # index of the first expected line in Document.lines
    indent: str

    @property
    def output_end(self):
        return self.output_begin + len(self.expected)


@dataclass
class FileBlock:
    """A block that writes a file."""

    line: int
    name: str
    content: str
    source: Path | None  # the file of the repository that it must equal
    indent: str


@dataclass
class Document:
    path: Path
    lines: list[str]
    actions: list[object] = field(default_factory=list)  # Command | FileBlock, in order


def split_lines(text):
    """The lines of `text`, split only at newlines: str.splitlines() also splits at U+2028 etc."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def strip_indent(line, indent):
    """`line` without the common prefix with `indent`."""
    width = len(indent)
    return line[width:] if line[:width].strip() == "" else line.lstrip(" ")


def parse_commands(path, body, begin, indent):
    """The commands of a console block whose first body line is line `begin` (from 0)."""
    commands = []
    index = 0
    while index < len(body):
        if not body[index].startswith("$ "):
            raise DocumentError(f"{path}:{begin + index + 1}: a console block starts with '$ '")
        start = index
        text = [body[index][2:]]
        index += 1
        while index < len(body) and (body[index].startswith("> ") or body[index] == ">"):
            text.append(body[index][2:])
            index += 1
        output = index
        while index < len(body) and not body[index].startswith("$ "):
            index += 1
        commands.append(
            Command(begin + start + 1, "\n".join(text), body[output:index], begin + output, indent)
        )
    return commands


def file_name(path, line, info, key="file"):
    """The NAME of `file=NAME` in an info string, or None; refuses to leave the directory."""
    for word in info.split():
        if word.startswith(key + "="):
            name = word[len(key) + 1 :]
            if not name or name.startswith("/") or ".." in Path(name).parts:
                raise DocumentError(f"{path}:{line}: {word} is not a name below the directory")
            return name
    return None


def parse_document(path):
    """Read a document and find its live blocks."""
    try:
        lines = split_lines(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(f"{path}: cannot read: {error}") from error
    document = Document(path, lines)
    index = 0
    while index < len(lines):
        opening = FENCE.match(lines[index])
        index += 1
        if not opening:
            continue
        fence, indent = opening["fence"], opening["indent"]
        info = opening["info"].strip()
        if fence[0] == "`" and "`" in info:
            continue  # inline code that happens to start a line
        begin = index
        closing = re.compile(rf"^ *{re.escape(fence[0])}{{{len(fence)},}}\s*$")
        while index < len(lines) and not closing.match(lines[index]):
            index += 1
        if index == len(lines):
            raise DocumentError(f"{path}:{begin}: this code fence is never closed")
        body = [strip_indent(line, indent) for line in lines[begin:index]]
        index += 1
        name = file_name(path, begin, info)
        if name is not None:
            content = "".join(line + "\n" for line in body)
            source = file_name(path, begin, info, "from")
            source = ROOT / source if source else None
            document.actions.append(FileBlock(begin, name, content, source, indent))
        elif info.split()[:1] == ["console"]:
            document.actions += parse_commands(path, body, begin, indent)
    return document


def run_command(command, directory, environment):
    """The output of the command as lines, including `[exit N]`."""
    try:
        done = subprocess.run(
            ["sh", "-c", command.text],
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [f"[no end after {TIMEOUT_SECONDS} seconds]"]
    lines = split_lines(done.stdout.decode("utf-8", errors="backslashreplace"))
    if done.returncode:
        lines.append(f"[exit {done.returncode}]")
    return lines


def split_at_wildcards(lines):
    """The runs of literal lines between the wildcards: always one more than there are wildcards."""
    segments = [[]]
    for line in lines:
        if line == WILDCARD:
            segments.append([])
        else:
            segments[-1].append(line)
    return segments


def find_segment(segment, lines, start):
    """The first index >= start at which `segment` occurs in `lines`, or -1."""
    for index in range(start, len(lines) - len(segment) + 1):
        if lines[index : index + len(segment)] == segment:
            return index
    return -1


def match(expected, actual):
    """Compare with wildcards. Returns None if the lines agree, else `expected` with all wildcards
    filled in that could be matched, for a readable diff.

    It is sufficient to take the first occurrence of each middle segment, because it leaves the most
    lines for the following segments."""
    segments = split_at_wildcards(expected)
    first = segments[0]
    if len(segments) == 1:
        return None if expected == actual else expected
    if actual[: len(first)] != first:
        return expected
    filled = list(first)
    for number, segment in enumerate(segments[1:], start=1):
        last = number == len(segments) - 1
        if last:
            at = len(actual) - len(segment)
            found = at >= len(filled) and actual[at:] == segment
        else:
            at = find_segment(segment, actual, len(filled))
            found = at >= 0
        if not found:
            rest = []
            for left in segments[number:]:
                rest += [WILDCARD] + left
            return filled + rest
        filled += actual[len(filled) : at] + segment
    return None


def report(document, command, filled, actual):
    """Print the difference as a unified diff under the command."""
    where = f"{document.path}:{command.line}"
    for line in difflib.unified_diff(
        filled, actual, f"{where} expected", f"{where} actual", lineterm=""
    ):
        print(line)


def compare_with_source(document, block, update):
    """Whether a block equals its source file. An update is written immediately."""
    try:
        source = block.source.read_text(encoding="utf-8")
    except OSError as error:
        raise DocumentError(f"{document.path}:{block.line}: cannot read: {error}") from error
    if source == block.content:
        return True
    if update:
        wanted = [block.indent + line if line else line for line in split_lines(source)]
        end = block.line + len(split_lines(block.content)) if block.content else block.line
        document.lines[block.line : end] = wanted
        document.path.write_text("".join(line + "\n" for line in document.lines), encoding="utf-8")
        print(f"{document.path}:{block.line}: updated from {block.source}; run it again")
        return False
    print(f"{document.path}:{block.line}: is not {block.source.relative_to(ROOT)}")
    return False


def run_document(document, bin_dir, update):
    """Run one document. Returns the numbers of commands and of mismatches."""
    failures = 0
    updates = []  # (Command, new output)
    with tempfile.TemporaryDirectory(prefix="run_docs.") as root:
        directory = Path(root) / "work"
        directory.mkdir()
        environment = dict(
            os.environ,
            PATH=f"{bin_dir}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            NO_COLOR="1",
            LC_ALL="C.UTF-8",
            XDG_CACHE_HOME=str(Path(root) / "cache"),
        )
        commands = 0
        for action in document.actions:
            if isinstance(action, FileBlock):
                if action.source and not compare_with_source(document, action, update):
                    return commands, failures + 1
                target = directory / action.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(action.content, encoding="utf-8")
                continue
            commands += 1
            actual = run_command(action, directory, environment)
            filled = match(action.expected, actual)
            if filled is None:
                continue
            if update and WILDCARD not in action.expected:
                updates.append((action, actual))
                continue
            failures += 1
            report(document, action, filled, actual)
    if updates:
            # From the end, so that the positions of earlier outputs remain valid.
        for command, actual in reversed(updates):
            document.lines[command.output_begin : command.output_end] = [
                command.indent + line if line else line for line in actual
            ]
        document.path.write_text("".join(line + "\n" for line in document.lines), encoding="utf-8")
        print(f"{document.path}: {len(updates)} outputs updated")
    return commands, failures


def main():
    parser = argparse.ArgumentParser(
        description="Run the examples of Markdown documents and compare their output.",
        epilog="The block syntax is described at the top of this file.",
    )
    parser.add_argument("--bin", metavar="DIR", type=Path, help="directory of the tools")
    parser.add_argument(
        "--update",
        action="store_true",
        help="rewrite each output that differs and has no '...' line",
    )
    parser.add_argument("documents", metavar="FILE.md", nargs="+", type=Path)
    options = parser.parse_args()
    if options.bin is None or not options.bin.is_dir():
        parser.error("--bin names the directory that holds the tools")
    try:
        documents = [parse_document(path) for path in options.documents]
    except DocumentError as error:
        print(error, file=sys.stderr)
        return 2
    failed = 0
    for document in documents:
        commands, failures = run_document(document, options.bin.resolve(), options.update)
        print(f"{document.path}: {commands} commands, {failures} failed", flush=True)
        failed += failures
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
