"""Files and folders are checked as by the tool."""

import cclc
import pytest
import twins


@pytest.fixture(scope="module", name="folder")
def make_folder(tmp_path_factory):
    """A right plan, one with fused receives, which rccl refuses, and one with a wrong count."""
    folder = tmp_path_factory.mktemp("algorithms")
    ring = cclc.compile("allreduce_ring", ranks=4)
    (folder / "ring.xml").write_text(ring.convert("xml"))
    (folder / "wrong.xml").write_text((folder / "ring.xml").read_text().replace('cnt="1"', 'cnt="9"', 1))
    return folder


def test_lint(folder, tmp_path):
    code, text = twins.tool("ccl-sim", "lint", folder, "--json", tmp_path / "lint.json")
    lint = cclc.lint(folder)
    assert (code, lint.right) == (1, False)
    assert lint.text == text
    assert lint.json == (tmp_path / "lint.json").read_text()
    assert repr(lint) == f"<lint: wrong, {len(lint)} findings>" and "<table>" in lint._repr_html_()
    columns = lint.columns()
    assert set(columns) == {"rule", "severity", "file", "line", "column", "text"}
    proof = [each for each in lint if each.rule == "proof"]
    assert [each.file for each in proof] == [str(folder / "wrong.xml")] and proof[0].line > 0
    assert proof[0].severity == "error"


def test_one_runtime(folder):
    alone = cclc.lint([folder / "ring.xml"], xml_dialect="rccl")
    assert not alone.right and {each.rule for each in alone} == {"refuses"}
    assert cclc.lint(folder / "ring.xml", xml_dialect="msccl").right


def test_portfolio(tmp_path):
    portfolio = cclc.tune("ring", "allreduce", ranks=4, sizes="1K", programs=["allreduce_ring"])
    portfolio.save(tmp_path / "tuned")
    lint = cclc.lint(tmp_path / "tuned")
    assert lint.right
    assert lint.text == twins.tool("ccl-sim", "lint", tmp_path / "tuned")[1]


@pytest.mark.parametrize("paths, given, error", [
    ("none.xml", {}, "No such file"), ([], {}, "a lint needs a file or a folder"),
    ("none.xml", {"xml_dialect": "nccl"}, "unknown dialect of MSCCL XML 'nccl'")])
def test_unusable(paths, given, error):
    with pytest.raises(cclc.UsageError, match=error):
        cclc.lint(paths, **given)
