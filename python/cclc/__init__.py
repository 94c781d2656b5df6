"""Compile, prove, simulate, bound, tune and execute plans of collectives. docs/Python.md is a tutorial."""

from cclc._cclc import *  # pylint: disable=wildcard-import
from cclc._cclc import __version__
from cclc._errors import CclcWarning, Error, InternalError, ProgramError, ProofError, Refused, UsageError
from cclc._language import Algorithm, Bool, Choice, Int, program
