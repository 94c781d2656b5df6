"""Tests of algorithms, for pytest and others. With pytest -p cclc.testing, --update-golden writes golden plans anew."""

import os
import re

import cclc

_UNITS = {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def assert_correct(program, ranks=range(2, 17), **options):
    """Compiles the program for each number of ranks, with the options of cclc.compile, which proves the plan.

    Numbers that the program refuses are passed over, and returned; at least one must not be refused.
    """
    ranks, refused = list(ranks), {}
    for number in ranks:
        try:
            cclc.compile(program, ranks=number, **options)
        except cclc.UsageError as error:
            refused[number] = str(error)
    if len(refused) == len(ranks):
        number, why = next(iter(refused.items()), (None, "there is none"))
        raise AssertionError(f"no number of ranks is accepted; {number}: {why}")
    return sorted(refused)


def nanoseconds(time):
    """A number of nanoseconds, or a text such as "12.5 us"."""
    if isinstance(time, (int, float)):
        return float(time)
    found = re.fullmatch(r"\s*([0-9.]+)\s*(ps|ns|us|ms|s)\s*", time)
    if not found:
        raise ValueError(f"a time is a number of nanoseconds or a text such as '12.5 us', not {time!r}")
    return float(found[1]) * _UNITS[found[2]]


def assert_time(plan, target, below, bytes="1M", **options):  # pylint: disable=redefined-builtin
    """Simulates the plan on the target with each size, and requires a time below a limit for all of them."""
    limit = nanoseconds(below)
    for row in plan.simulate(target, bytes=bytes, **options):
        if row.ns >= limit:
            raise AssertionError(f"{plan.name} takes {row.ns / 1e3:g} us with {row.bytes} bytes, and must take less "
                                 f"than {limit / 1e3:g} us; its lower bound is by {row.binds or 'nothing'}")


def assert_golden(plan, path, update=None):
    """Compares the plan with that in the file, in terms of the algorithm.

    With update, or --update-golden, or CCLC_UPDATE_GOLDEN=1 in the environment, writes a different plan there.
    """
    if update is None:
        update = os.environ.get("CCLC_UPDATE_GOLDEN", "0") not in ("", "0")
    if not os.path.exists(path):
        if not update:
            raise AssertionError(f"{path} does not exist: write it with --update-golden")
        plan.save(path)
        return
    difference = cclc.diff(cclc.load(path), plan)
    if difference.verdict in ("identical", "equivalent"):
        return
    if not update:
        raise AssertionError(f"{plan.name} differs from {path}: {difference.verdict}; accept it with --update-golden\n"
                             f"{difference.text}")
    plan.save(path)


def pytest_addoption(parser):
    """The option of pytest."""
    parser.addoption("--update-golden", action="store_true", help="write golden plans that are different")


def pytest_configure(config):
    """Remembers the option."""
    if config.getoption("--update-golden", default=False):
        os.environ["CCLC_UPDATE_GOLDEN"] = "1"
