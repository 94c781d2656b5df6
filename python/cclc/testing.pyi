# Tests of algorithms; docs/Python.md.

from collections.abc import Sequence
from os import PathLike
from typing import Any

from cclc import Algorithm, Plan

_Size = int | str

def assert_correct(
    program: str | PathLike[str] | Algorithm, ranks: Sequence[int] = range(2, 17), **options: Any
) -> list[int]: ...
def nanoseconds(time: float | str) -> float: ...
def assert_time(
    plan: Plan, target: str | PathLike[str], below: float | str, bytes: _Size | Sequence[_Size] = "1M", **options: Any
) -> None: ...
def assert_golden(plan: Plan, path: str | PathLike[str], update: bool | None = None) -> None: ...
def pytest_addoption(parser: Any) -> None: ...
def pytest_configure(config: Any) -> None: ...
