"""Compile, prove, simulate, bound, tune and execute plans of collectives. docs/Python.md is a tutorial."""

from cclc._cclc import *  # pylint: disable=wildcard-import
from cclc._cclc import __version__
from cclc._errors import CclcWarning, Error, InternalError, ProgramError, ProofError, Refused, UsageError
from cclc._language import Algorithm, Bool, Choice, Int, program
from cclc._rows import complete as _complete


def _shown_by(name, text=None):
    """The function of cclc._pictures, which is imported when a notebook shows something."""
    def show(self):
        from cclc import _pictures  # pylint: disable=import-outside-toplevel
        return getattr(_pictures, name)(self)
    show.__doc__ = text
    return show


for _row in [each for each in globals().values() if hasattr(each, "fields")]:
    _complete(_row)

if "Plan" in globals():  # the tools have the language alone
    Plan.schedule = _shown_by("schedule", "The picture of the threadblocks and their steps.")
    Simulation.timeline = _shown_by("timeline", "The picture of the threadblocks over time; it needs trace=True.")
    Machine.graph = _shown_by("graph_of_machine", "The graph of the nodes and links.")
    Machine._repr_svg_ = _shown_by("svg_of_machine")
    Machine._repr_html_ = _shown_by("html_of_machine")
    Simulation.report = _shown_by("report", "The performance report; it needs report=True.")
    Plan._repr_html_ = _shown_by("of_plan")
    for _rows in (Simulation, Advice, Bounds, Comparison, Portfolio, Provenance, TargetCheck, Lint):
        _rows._repr_html_ = _shown_by("of_rows")
