"""Programs in C++ beside their twins in Python: the tool cclc compiles the former."""

import os
import re
import subprocess

BIN = os.environ["CCLC_BIN"]


def tool(*words, cwd=None):
    """The exit code and the output of a tool."""
    words = [os.path.join(BIN, str(words[0])), *map(str, words[1:])]
    done = subprocess.run(words, cwd=cwd, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def plan_of(*words, cwd=None):
    """The plan that cclc writes in text form, which has no locations."""
    code, text = tool("cclc", *words, "--emit", "text", cwd=cwd)
    assert code == 0, text
    return text


def load(path):
    """The names that a file of Python defines."""
    names = {}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), str(path), "exec"), names)  # pylint: disable=exec-used
    return names


def without_file(text):
    """Messages without the names of the two files."""
    return re.sub(r"\b\w+\.(cpp|py)\b", "FILE", text)
