"""Runs a script of MSCCLang, whose modules `msccl...` are those of this package."""

import os
import sys
import types
import warnings

import cclc
from cclc.msccl import chunks, collectives, language, routines, topologies

USAGE = "usage: python3 -m cclc.msccl [--xml-dialect msccl|rccl|msccl-executor] PROGRAM [ARGUMENT]..."


def _module(name, *sources, **members):
    """Makes the module with the public names of others."""
    module = types.ModuleType(name)
    module.__path__ = []
    for source in sources:
        names = getattr(source, "__all__", None) or [each for each in vars(source) if not each.startswith("_")]
        members |= {each: getattr(source, each) for each in names}
    vars(module).update(members)
    sys.modules[name] = module
    return module


def install():
    """Lets `import msccl` find the modules. The collectives of its synthesis, `msccl.collectives`, are not here."""
    msccl = _module("msccl")
    msccl.collectives = _module("msccl.collectives")
    msccl.language = _module("msccl.language", language, collectives=collectives)
    msccl.topologies = _module("msccl.topologies", topologies)
    for name, source in [("buffer", chunks), ("chunk", chunks), ("collectives", collectives), ("ir", chunks),
                         ("routines", routines)]:
        module = _module(f"msccl.language.{name}", source)
        if not hasattr(msccl.language, name):  # chunk is the function
            setattr(msccl.language, name, module)
    for name in ["distributed", "generic", "nvidia", "topology"]:
        setattr(msccl.topologies, name, _module(f"msccl.topologies.{name}", topologies))


def execute(path):
    """Executes a script as Python does. The imports of runpy would take as long as a small script."""
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        raise cclc.UsageError(f"cannot read {path}: {error.strerror}") from error
    script = types.ModuleType("__main__")
    script.__file__ = path
    sys.modules["__main__"] = script
    exec(compile(text, path, "exec"), vars(script))  # pylint: disable=exec-used


def main(arguments):
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if arguments[:1] == ["--xml-dialect"] and len(arguments) > 1:
        language.xml_dialect = arguments[1]
        arguments = arguments[2:]
    if not arguments or arguments[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    install()
    formatted = warnings.formatwarning
    warnings.formatwarning = lambda message, category, *rest: (
        f"warning: {message}\n" if issubclass(category, cclc.CclcWarning) else formatted(message, category, *rest))
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
    try:
        execute(arguments[0])
    except cclc.Error as error:
        print(error, file=sys.stderr)
        for note in getattr(error, "__notes__", ()):
            print(note, file=sys.stderr)
        return 2 if isinstance(error, cclc.UsageError) else 1
    except Exception as error:  # pylint: disable=broad-exception-caught
        # The innermost frames are those of the script; a script that is not Python has none.
        own = error.__traceback__.tb_next.tb_next
        sys.excepthook(type(error), error.with_traceback(own), own)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
