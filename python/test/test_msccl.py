"""Scripts of MSCCLang run unchanged, and give the plans of the same algorithms in C++."""

import pathlib
import re
import subprocess
import sys

import pytest
import twins

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parent.parent / "examples" / "mscclang"
# A script with its arguments, and the program in C++ with the options of cclc.
TWINS = [
    ("ring 8 1 1", "allreduce_a100_ring --ranks 8"),
    ("ring 8 4 1 --protocol LL", "allreduce_a100_ring --ranks 8 -p channels=4 --protocol LL"),
    ("ring 8 4 8", "allreduce_a100_ring --ranks 8 -p channels=4 --instances 8 --instance-layout interleaved"),
    ("hierarchical 4 2 1", "hierarchical_allreduce -p gpus=4"),
    ("hierarchical 4 2 1 --schedule manual", "hierarchical_allreduce -p gpus=4 -p schedule=manual"),
    ("hierarchical 4 2 2", "hierarchical_allreduce -p gpus=4 --instances 2 --instance-layout batched"),
    ("two_step 2 8", "alltoall_a100_two_step"),
    ("two_step 4 4", "alltoall_a100_two_step -p nodes=4 -p gpus=4"),
    ("doubling 8", "allgather_recursive_doubling --ranks 8"),
    ("pairs 8", "allreduce_a100_allpairs_v2 --ranks 8"),
    ("spread star", "simple/custom_collective"),
    ("spread chain", "simple/custom_collective -p way=chain"),
]


def run(*words, cwd=None):
    return subprocess.run([sys.executable, "-m", "cclc.msccl", *map(str, words)], check=False, capture_output=True,
                          text=True, cwd=cwd)


def script(tmp_path, *lines, collective="AllReduce(2, 2, True)", options="", ranks=2):
    """Runs the lines in a program; the first is line 5."""
    text = ["from msccl.language import *", "from msccl.topologies import *",
            "from msccl.language.collectives import *",
            f"with MSCCLProgram('lines', fully_connected({ranks}), {collective}, 1{options}):",
            *("    " + line for line in lines)]
    path = tmp_path / "lines.py"
    path.write_text("\n".join(text) + "\n")
    return run("lines.py", cwd=tmp_path)


@pytest.mark.parametrize("words, port", TWINS)
def test_plans_are_those_of_cpp(tmp_path, words, port):
    name, *arguments = words.split()
    done = run(HERE / "msccl" / f"{name}.py", *arguments)
    assert done.returncode == 0, done.stderr
    assert not done.stderr or done.stderr.startswith("warning: the plan is limited to sizes of up to")
    example, *options = port.split()
    code, wanted = twins.tool("cclc", EXAMPLES / f"{example}.cpp", *options, "--emit", "xml", "-o", tmp_path / "plan.xml")
    assert code == 0, wanted
    wanted = (tmp_path / "plan.xml").read_text()
    named = re.compile('<algo name="[^"]*"')
    assert named.sub("", done.stdout) == named.sub("", wanted)


def test_dialects():
    done = run("--xml-dialect", "rccl", HERE / "msccl" / "ring.py", 8, 1, 1)
    assert done.returncode == 0
    code, wanted = twins.tool("cclc", EXAMPLES / "allreduce_a100_ring.cpp", "--ranks", 8, "--emit", "xml",
                              "--xml-dialect", "rccl")
    assert code == 0
    assert done.stdout.splitlines()[1:] == wanted.splitlines()[1:]


def test_slots_of_the_runtime(tmp_path):
    """Rings whose steps need more slots than a connection of the runtime has are fused less."""
    done = script(tmp_path, "for source in range(4):", "    for index in range(2):",
                  "        c = chunk(source, Buffer.input, index)", "        for hop in range(1, 4):",
                  "            c = c.copy((source + hop) % 4, Buffer.output, 2 * source + index)", "XML()",
                  collective="AllGather(4, 2, True)", ranks=4)
    assert done.returncode == 0, done.stderr
    assert 'type="rcs"' in done.stdout


ERRORS = [
    # The sum of the other rank is missing.
    (["chunk(0, Buffer.input, 0).reduce(chunk(1, Buffer.input, 0))", "XML()"],
     "lines.py:5: wrong result: r0:o[1]: expected the reduction of chunk 1 over all 2 ranks, but r1:i[1] is missing"),
    (["chunk(0, Buffer.input, 0).copy(2)"], "lines.py:5: rank 2 is out of range: the program has 2 ranks"),
    (["chunk(0, Buffer.input, 0).copy(2 / 2)"], "lines.py:5: rank 1.0 is not an integer"),
    (["chunk(0, Buffer.input, 0).copy(1, ch=1 / 4)", "XML()"],
     "lines.py:5: 'float' object cannot be interpreted as an integer"),
    (["pass", "chunk(0, Buffer.input, 0).copy(1, Buffer.input)"],
     "lines.py:6: a copy to the input or the output needs an index: only scratch has an end to append to"),
    (["c = chunk(0, Buffer.input, 0)", "c.group(chunk(1, Buffer.input, 1))"],
     "lines.py:6: chunks of different buffers cannot be grouped: r0:i[0] and r1:i[1]"),
    (["chunk(0, Buffer.input, 0).reduce(chunk(1, 'empty', 0))"],
     "lines.py:5: r1:empty[0] is out of range: the buffer has 0 chunks"),
    (["chunk(0, Buffer.input, 0).reduce(None)"], "lines.py:5: reduce() takes a reference to chunks, not None"),
    (["chunk(0, Buffer.input, 0, 2).reduce(chunk(1, Buffer.input, 0))"],
     "lines.py:5: r1:i[0] and r0:i[0:2] have different numbers of chunks"),
    (["chunk(0, Buffer.input, 1, 2).copy(1)"], "lines.py:5: r0:i[1:3] is out of range: the buffer has 2 chunks"),
    (["chunk(0, Buffer.input, 0).copy(1, Buffer.output, 2)"],
     "lines.py:5: r1:i[2] is out of range: the buffer has 2 chunks"),
]


@pytest.mark.parametrize("lines, message", ERRORS)
def test_errors(tmp_path, lines, message):
    done = script(tmp_path, *lines)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("program, message", [
    ({"collective": "AllReduce(2, 0, True)"}, "0 chunks: the number must be between 1 and"),
    ({"ranks": 3}, "the topology has 3 ranks, and the collective 2"),
    ({"options": ", 'LL64'"}, "unknown protocol 'LL64'")])
def test_errors_of_programs(tmp_path, program, message):
    """What no operation is to blame for is reported at the beginning of the program."""
    done = script(tmp_path, "XML()", **program)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith(f"lines.py:4: {message}")


def test_unsound_mapping(tmp_path):
    done = script(tmp_path, "chunk(0, Buffer.input, 1).copy(1, Buffer.output, 0)",
                  collective="ReduceScatter(2, 1, True)")
    assert done.returncode == 1
    assert done.stderr.startswith("lines.py:5: the output of rank 1 is another part of its input than that of rank 0")


def test_links(tmp_path):
    (tmp_path / "line.py").write_text(
        "from msccl.language import *\nfrom msccl.topologies import *\n"
        "from msccl.language.collectives import AllGather\n"
        "with MSCCLProgram('line', line(3), AllGather(3, 1, True), 1):\n"
        "    chunk(0, Buffer.input, 0).copy(1)\n"
        "    chunk(0, Buffer.input, 0).copy(2)\n")
    done = run("line.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "line.py:6: the topology has no link from rank 0 to rank 2\n")


def test_check_of_the_script():
    done = run(HERE / "msccl" / "spread.py", "one")
    assert done.returncode == 1
    assert re.search(r"spread.py:\d+: the check of the collective fails", done.stderr)


NAMED = """from msccl.language import *
from msccl.topologies import *
from msccl.language.collectives import Collective
class Sum(Collective):
    def __init__(self, *words):
        Collective.__init__(self, *words)
        self.name = NAME
    def init_buffers(self):
        return [{Buffer.input: [Chunk(rank, 0)], Buffer.output: [None]} for rank in range(2)]
    def check(self, prog):
        return True
with MSCCLProgram('sum', fully_connected(2), Sum(2, 1, False), 1):
    for rank in range(2):
        chunk(rank, Buffer.input, 0).copy(rank, Buffer.output, 0)
        STATEMENT
    XML()
"""


def test_buffers_of_different_sizes(tmp_path):
    """Rank 0 gathers the only chunk of each rank. A runtime has one number of chunks for both buffers."""
    (tmp_path / "gathered.py").write_text(
        "from msccl.language import *\nfrom msccl.topologies import *\n"
        "from msccl.language.collectives import Collective\n"
        "class Gathered(Collective):\n"
        "    def init_buffers(self):\n"
        "        return [{Buffer.input: [Chunk(rank, 0)], Buffer.output: [None] * (1 if rank else 3)}\n"
        "                for rank in range(3)]\n"
        "    def check(self, prog):\n"
        "        return [each.origin_rank for each in prog.buffers[0][Buffer.output]] == [0, 1, 2]\n"
        "with MSCCLProgram('gathered', fully_connected(3), Gathered(3, 1, False), 1):\n"
        "    for rank in range(3):\n"
        "        chunk(rank, Buffer.input, 0).copy(0, Buffer.output, rank)\n"
        "    XML()\n"
        "    assert Check()\n")
    done = run("gathered.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert 'i_chunks="3" o_chunks="3"' in done.stdout


@pytest.mark.parametrize("name, statement, code, collective, message", [
    ("allreduce", "chunk(rank, Buffer.output, 0).reduce(chunk(1 - rank, Buffer.input, 0))", 0, "allreduce", ""),
    ("allreduce", "pass", 1, None, "named.py:14: wrong result: r0:o[0]: expected the reduction of chunk 0"),
    ("sum", "pass", 0, "custom", "named.py:12: the collective 'sum' is written as custom")])
def test_names_of_collectives(tmp_path, name, statement, code, collective, message):
    """A collective that a script names like one of the runtimes is proved to be that."""
    text = NAMED.replace("NAME", repr(name)).replace("STATEMENT", statement)
    (tmp_path / "named.py").write_text(text)
    done = run("named.py", cwd=tmp_path)
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr
    assert not collective or f'coll="{collective}"' in done.stdout


def test_stale_references(tmp_path):
    """A reference has what is in its place when it is used, as in MSCCLang."""
    done = script(tmp_path, "old = chunk(1, Buffer.input, 0)", "old.reduce(chunk(0, Buffer.input, 0))",
                  "old.copy(0)", "new = chunk(1, Buffer.input, 1)", "new.reduce(chunk(0, Buffer.input, 1))",
                  "new.copy(0)", "XML()", "print(Check())")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("True\n")


def test_modules(tmp_path):
    """Scripts import modules whose names they do not use."""
    names = ["collectives", "language.ir", "topologies.distributed", "topologies.generic", "topologies.nvidia",
             "topologies.topology"]
    done = script(tmp_path, *(f"from msccl.{name} import *" for name in names), "print(dgx1().num_nodes())",
                  "print(Topology('two', [[0, 1], [1, 0]]).link(0, 1))")
    assert (done.returncode, done.stdout) == (0, "8\n1\n"), done.stderr


def test_unnamed_scratch(tmp_path):
    """Buffer.scratch is a buffer beside those with names."""
    done = script(tmp_path, "for rank in range(2):",
                  "    for index, buffer in enumerate([Buffer.scratch, 'scratch']):",
                  "        first = chunk(rank, Buffer.input, index).copy(1 - rank, buffer)",
                  "        first.copy(1 - rank, Buffer.output, 2 * rank + index)", "XML()",
                  collective="AllGather(2, 2, True)", options=", instr_fusion=False")
    assert done.returncode == 0, done.stderr
    assert 's_chunks="2"' in done.stdout


def test_usage():
    assert run("--help").stdout.startswith("usage: python3 -m cclc.msccl")
    assert run().returncode == 2
    done = run("none.py")
    assert (done.returncode, done.stderr) == (2, "cannot read none.py: No such file or directory\n")


@pytest.mark.parametrize("text, first", [
    ("def peer():\n    return 1 // 0\npeer()\n",
     'Traceback (most recent call last):\n  File "fails.py", line 3, in <module>'),
    ("x = (1 2)\n", '  File "fails.py", line 1\n')])
def test_exceptions_of_scripts(tmp_path, text, first):
    """They are shown as those of any script."""
    (tmp_path / "fails.py").write_text(text)
    done = run("fails.py", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(first)


def test_scripts_are_the_main_module(tmp_path):
    (tmp_path / "main.py").write_text("import __main__\nvalue = 3\nprint(__name__, __main__.value, __file__)\n")
    assert run("main.py", cwd=tmp_path).stdout == "__main__ 3 main.py\n"


def test_places_are_those_of_the_script():
    """Locations of a plan are lines of the script."""
    from cclc.msccl import collectives, language, topologies  # pylint: disable=import-outside-toplevel
    with language.MSCCLProgram("two", topologies.fully_connected(2), collectives.AllGather(2, 1, True), 1) as program:
        assert program is not None
        for rank in range(2):
            language.chunk(rank, language.Buffer.input, 0).copy(1 - rank, language.Buffer.output, rank)
        plan = program.compiled()
    assert "test_msccl.py" in plan.write("json")
    assert plan.verify().ok

