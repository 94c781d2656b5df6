"""Programs in files: those in Python are executed here, those in C++ are compiled by the tool."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from cclc._errors import UsageError

_MESSAGE = re.compile(r"::(error|warning|notice) (?:file=([^,]*),)?(?:line=(\d+),)?(?:col=(\d+),)?title=[^:]*::(.*)")


def _tool():
    """The path of cclc, in the prefix of the package or on the path of the user."""
    prefix = os.path.abspath(__file__)
    for _ in range(5):
        prefix = os.path.dirname(prefix)
    own = os.path.join(prefix, "bin", "cclc")
    found = own if os.access(own, os.X_OK) else shutil.which("cclc")
    if not found:
        raise UsageError("the tool cclc compiles programs in C++, and is not installed")
    return found


def _text(value):
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return os.fspath(value) if hasattr(value, "__fspath__") else str(value)


def _words(name, value):
    """The words of the command line for an argument."""
    if name == "O":
        return [f"-O{value}"]
    if name == "jobs":
        return ["-j", str(value)]
    if name == "set":
        settings = [f"{path}={_text(each)}" for path, each in value.items()] if isinstance(value, dict) else value
        return [word for each in ([settings] if isinstance(settings, str) else settings) for word in ("--set", each)]
    option = "--" + name.replace("_", "-")
    if value is True:
        return [option] if name == "aggregate" else []
    if value is False:
        return [] if name == "aggregate" else [option.replace("--", "--no-")]
    if name == "fuse" and not value:
        return ["--no-fuse"]
    return [option, _text(value)]


def _message(line):
    """The severity, place and text of a line that is a message; None of another one."""
    found = _MESSAGE.fullmatch(line)
    if not found:
        return None
    severity, file, row, column, text = found.groups(default="")
    for code, mark in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        file, text = file.replace(code, mark), text if code in ("%3A", "%2C") else text.replace(code, mark)
    return ("error", "warning", "notice").index(severity), file, int(row or 0), int(column or 0), text


def compiled(file, options, parameters):
    """The exit code, the plan and the messages of cclc, with the options and parameters of cclc.compile()."""
    words = [_tool(), file, "--format", "github"]
    for name, value in options.items():
        words += _words(name, value) if value is not None else []
    for name, value in parameters.items():
        words += ["-p", f"{name}={value}"]
    with tempfile.TemporaryDirectory() as folder:
        plan = os.path.join(folder, "plan")
        words += ["-o", plan] if "emit" in options else ["-o", plan, "--emit", "bin"]
        done = subprocess.run(words, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        messages = []
        for line in done.stdout.decode(errors="replace").splitlines():
            message = _message(line)
            if message:
                messages.append(message)
            else:  # of the compiler and of the program
                print(line, file=sys.stderr)
        if done.returncode:
            return done.returncode, b"", messages
        with open(plan, "rb") as made:
            return 0, made.read(), messages
