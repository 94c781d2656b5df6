#!/usr/bin/env python3
"""Reads tuning files with the code of the installed Open MPI and MPICH.

usage: check_runtimes.py WRITE_SELECTION READ_SELECTION

The reader of Open MPI's coll/tuned selects the algorithms that the reader of the other test selects, for
random portfolios. It and cclc read random files, with numbers in any order and spelling, in the same way. MPICH starts with the file of each portfolio, and refuses a damaged one. A library that
is not installed is skipped; if none is, the exit code is 77.
"""

import ctypes
import glob
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from check_readers import OPEN_MPI, decisions, open_mpi_sets, spelt
from check_selection import random_rows, written
from readers import expect, open_mpi_choice, open_mpi_rules, problems

COLLECTIVES = 22  # COLLCOUNT of coll_base_functions.h
PORTFOLIOS = 40
START = """
import ctypes
mpich = ctypes.CDLL("libmpich.so.12")
if mpich.MPI_Init(None, None) or mpich.MPI_Finalize():
    raise SystemExit(1)
"""


class OpenMpi:
    """The functions of coll_tuned_dynamic_file.c and coll_tuned_dynamic_rules.c."""

    def __init__(self, component):
        ctypes.CDLL("libmpi.so.40", ctypes.RTLD_GLOBAL)
        tuned = ctypes.CDLL(component)
        self.read = tuned.ompi_coll_tuned_read_rules_config_file
        self.rule_of = tuned.ompi_coll_tuned_get_com_rule_ptr
        self.rule_of.restype = ctypes.c_void_p
        self.rule_of.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
        self.choose = tuned.ompi_coll_tuned_get_target_method_params
        self.choose.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.POINTER(ctypes.c_int)] * 3

    def check(self, rows, folder):
        file = folder / "rules.conf"
        text = written("openmpi", rows)[0]
        file.write_text(text)
        expected = open_mpi_rules(text)
        rules = ctypes.c_void_p()
        found = self.read(str(file).encode(), ctypes.byref(rules), COLLECTIVES)
        expect(found == len(expected), "Open MPI:", found, "collectives instead of", len(expected))
        fan, segment, requests = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        sizes = {max(0, row[key] + d) for row in rows for key in ("min", "max") for d in (-1, 0, 1)}
        for number in range(COLLECTIVES):
            for ranks in sorted({row["ranks"] + d for row in rows for d in (-1, 0, 1)}):
                rule = self.rule_of(rules, number, ranks)
                for size in sorted(sizes):
                    algorithm = self.choose(rule, size, fan, segment, requests) if rule else 0
                    got = algorithm, segment.value if algorithm else 0
                    want = open_mpi_choice(expected, number, ranks, size)
                    expect(got == want, "Open MPI:", number, ranks, size, got, "instead of", want)

    def check_other_file(self, rng, folder):
        name = rng.choice(sorted(OPEN_MPI))
        number, _, names = OPEN_MPI[name]
        sets = open_mpi_sets(rng)
        text = f"1\n{number} {len(sets)}\n"
        for ranks, rules in sets:
            text += f"{spelt(rng, ranks)} # ranks\n{len(rules)}\n"
            text += "".join(" ".join(spelt(rng, value) for value in rule) + "\n" for rule in rules)
        file = folder / "other.conf"
        file.write_text(text)
        rules = ctypes.c_void_p()
        expect(self.read(str(file).encode(), ctypes.byref(rules), COLLECTIVES) == 1, "Open MPI does not read", text)
        sizes = range(0, 340, 3)
        fan, segment, requests = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        for ranks in range(1, 13):
            answers = decisions("ompi", text, [(name, ranks, 4, 0, 4, size) for size in sizes], folder)
            rule = self.rule_of(rules, number, ranks)
            for size, answer in zip(sizes, answers):
                algorithm, _, _, our_segment, _ = answer.split()
                theirs = names[self.choose(rule, size, fan, segment, requests)], str(segment.value)
                expect((algorithm, our_segment) == theirs, name, ranks, size, answer, "instead of", theirs, text)

    def check_damaged(self, folder):
        file = folder / "damaged.conf"
        file.write_text("1\n2\n1\nranks")
        rules = ctypes.c_void_p()
        expect(self.read(str(file).encode(), ctypes.byref(rules), COLLECTIVES) < 0,
               "Open MPI reads a damaged file")


def starts_mpich(file):
    environment = dict(os.environ, MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=str(file),
                       MPIR_CVAR_DEVICE_COLLECTIVES="none")
    return subprocess.run([sys.executable, "-c", START], env=environment, capture_output=True,
                          check=False, timeout=60).returncode == 0


def check_mpich(rng, folder):
    file = folder / "tuning.json"
    for _ in range(4):
        file.write_text(written("mpich", random_rows(rng))[0])
        expect(starts_mpich(file), "MPICH does not start with", file.read_text()[:2000])
    file.write_text('{"collective=nothing": {}}')
    expect(not starts_mpich(file), "MPICH does not read the file")


def is_installed(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def main():
    rng = random.Random(20250131)
    components = glob.glob("/usr/lib/*/openmpi/lib/openmpi3/mca_coll_tuned.so")
    has_mpich = starts_mpich("") if is_installed("libmpich.so.12") else False
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if components and is_installed("libmpi.so.40"):
            open_mpi = OpenMpi(components[0])
            for _ in range(PORTFOLIOS):
                open_mpi.check(random_rows(rng), folder)
                open_mpi.check_other_file(rng, folder)
            open_mpi.check_damaged(folder)
        else:
            components = []
            print("skipped: Open MPI 4 is not installed")
        if has_mpich:
            check_mpich(rng, folder)
        else:
            print("skipped: MPICH 4 is not installed")
    for problem in sorted(set(problems))[:20]:
        print(problem)
    if problems:
        sys.exit(1)
    if not components and not has_mpich:
        sys.exit(77)


main()
