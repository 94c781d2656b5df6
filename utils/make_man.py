#!/usr/bin/env python3
"""Makes a manual page from a command guide.

usage: make_man.py --go-md2man PROGRAM --version VERSION GUIDE PAGE

The guide is rewritten for go-md2man: the title becomes the header and the section NAME, links become
their text, and links to other guides name the other manual page.
"""

import argparse
import pathlib
import re
import subprocess

LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^(```.*?^```[^\S\n]*$)", re.MULTILINE | re.DOTALL)


def plain_link(match):
    text, place = match.groups()
    guide = re.fullmatch(r"(ccl(?:c|-\w+))\.md(?:#.*)?", place)
    if place.startswith("http"):
        return match.group(0)
    return f"**{guide.group(1)}**(1)" if guide and text.strip("`") == guide.group(1) else text


def page_of(text, version):
    title, body = text.split("\n", 1)
    tool, purpose = re.fullmatch(r"# (\S+) - (.*)", title).groups()
    parts = FENCE.split(body)
    for i, part in enumerate(parts):
        if i % 2:  # a block of code: without what the tests of documents read
            parts[i] = re.sub(r"^```.*", "```", part, count=1)
        else:
            part = LINK.sub(plain_link, part)
            parts[i] = re.sub(r"^## (.*)", lambda match: "## " + match.group(1).upper(), part,
                              flags=re.MULTILINE)
    # The date stays empty, so that the page depends on the guide alone.
    return (f'# {tool.upper()} 1 "" "cclc {version}" "User Commands"\n\n'
            f"## NAME\n\n{tool} - {purpose}\n" + "".join(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--go-md2man", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("guide", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    args = parser.parse_args()
    source = page_of(args.guide.read_text(), args.version)
    made = subprocess.run([args.go_md2man], input=source, text=True, check=True, stdout=subprocess.PIPE)
    args.page.parent.mkdir(parents=True, exist_ok=True)
    # A line of code that begins with dots is none of a macro's, as go-md2man leaves it.
    args.page.write_text(re.sub(r"^\.\.", r"\\&..", made.stdout, flags=re.MULTILINE))


if __name__ == "__main__":
    main()
