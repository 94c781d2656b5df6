"""Files of programs, which the tools load."""

import os
import sys
import traceback

from cclc._errors import Error, UsageError
from cclc._language import Algorithm
from cclc._places import shown


class Loaded:
    """The only program of a file, and the files that were read for it."""

    def __init__(self, file):
        folder = os.path.dirname(os.path.abspath(file))
        if folder not in sys.path:
            sys.path.insert(0, folder)
        names = {"__name__": os.path.splitext(os.path.basename(file))[0], "__file__": file}
        with open(file, "rb") as text:
            exec(compile(text.read(), file, "exec"), names)  # pylint: disable=exec-used
        found = {id(each): each for each in names.values()
                 if isinstance(each, Algorithm) and each.file in (file, None)}
        if len(found) != 1:
            raise UsageError("declares " + (f"{len(found)} programs" if found else "no program") +
                             ": it needs one function with @cclc.program(...)")
        self.algorithm = next(iter(found.values()))
        imported = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
        self.files = [file, *sorted(path for path in imported if path.startswith(folder + os.sep))]


load = Loaded


def algorithm_of(file):
    """The program of a file, whose name is in the error if it has none."""
    try:
        return Loaded(file).algorithm
    except UsageError as error:
        if error.messages:  # of a call in the file
            raise
        raise UsageError(f"{file} {error}") from None


def fault(error, file):
    """The file, the line and the text of the message about an exception."""
    if isinstance(error, SyntaxError) and error.filename:
        return shown(error.filename), error.lineno or 0, f"{type(error).__name__}: {error.msg}"
    if isinstance(error, Error):
        return file, 0, str(error)
    package = os.path.dirname(__file__)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(package)]
    place = (shown(frames[-1].filename), frames[-1].lineno) if frames else (file, 0)
    return *place, described(error)


def described(error):
    """The last line of a traceback."""
    return traceback.format_exception_only(error)[-1].strip()
