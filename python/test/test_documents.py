"""The sessions of docs/Python.md and docs/Api.md, and the two programs of README.md."""

import doctest
import pathlib
import re

import cclc
import pytest
import twins

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / path).read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.filterwarnings("ignore:program 'allreduce_onestep' uses 4 of the 8 PEs")
@pytest.mark.parametrize("page, fewest", [("Python.md", 20), ("Api.md", 15)])
def test_sessions(tmp_path, monkeypatch, page, fewest):
    monkeypatch.chdir(tmp_path)
    sessions = doctest.DocTestParser().get_doctest("".join(blocks(f"docs/{page}", "pycon")), {}, page, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    output = []
    result = runner.run(sessions, out=output.append)
    assert result.attempted > fewest
    assert result.failed == 0, "".join(output)


def test_first_screen(tmp_path):
    cpp, python = blocks("README.md", "cpp")[0], blocks("README.md", "python")[0]
    (tmp_path / "my_ring.cpp").write_text(cpp)
    (tmp_path / "my_ring.py").write_text(python)
    expected = twins.plan_of("my_ring.cpp", "--ranks", 6, cwd=tmp_path)
    assert cclc.compile(twins.load(tmp_path / "my_ring.py")["my_ring"], ranks=6).write("text") == expected
