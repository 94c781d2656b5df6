"""What notebooks show: well-formed pictures with all steps, and tables with all rows."""

import xml.etree.ElementTree as ET

import shutil

import cclc
import pytest
import twins

SVG = "{http://www.w3.org/2000/svg}"


def titles(picture):
    return [each.text for each in ET.fromstring(str(picture)).iter(f"{SVG}title")]


def test_schedule():
    plan = cclc.compile("allreduce_ring", ranks=4)
    shown = titles(plan.schedule())
    assert len(shown) == plan.steps
    assert shown[0] == "step 0: s i[0]\nprograms/allreduce_ring.cpp:24"
    waits = [text for text in titles(cclc.compile("allreduce_allpairs", ranks=4).schedule()) if "waits for tb" in text]
    assert waits


def test_large_plans_are_folded():
    plan = cclc.compile("allreduce_ring", ranks=64)
    picture = plan.schedule()
    assert 600 < len(titles(picture)) < plan.steps
    assert "more ranks" in str(picture)


def test_timeline(tmp_path):
    simulation = cclc.compile("allreduce_ring", ranks=4).simulate("ring", bytes="64K", trace=True)
    shown = titles(simulation.timeline())
    assert sum(not text.startswith("waits") for text in shown) == 28
    assert any(text.startswith("waits: link: 0 to 1.16384 us") for text in shown)
    simulation.timeline().save(tmp_path / "timeline.svg")
    assert ET.parse(tmp_path / "timeline.svg").getroot().tag == f"{SVG}svg"
    with pytest.raises(ValueError, match="simulate with trace=True"):
        cclc.compile("allreduce_ring", ranks=4).simulate("ring").timeline()


def test_html():
    plan = cclc.compile("allreduce_ring", ranks=4)
    assert "<svg" in plan._repr_html_() and "plan allreduce_ring" in plan._repr_html_()
    rows = ET.fromstring(plan.simulate("ring", bytes=["1K", "1M"])._repr_html_()).iter("tr")
    assert [[cell.text for cell in row][:1] for row in rows] == [["bytes"], ["1024"], ["1048576"]]
    assert ET.fromstring(cclc.bound("ring", "allreduce", ranks=4, bytes="1M")._repr_html_()).tag == "table"
    assert "<table>" in cclc.diff(plan, cclc.compile("allreduce_tree", ranks=4))._repr_html_()


@cclc.program("allreduce", buffers="in_place")
def half(p):
    """Does not compute its collective."""
    p.phase("first half")
    p.chunk(0, cclc.Output, 0).reduce(p.chunk(1, cclc.Output, 0))


@pytest.mark.parametrize("stage", ["chunk-dag", "inst-dag", "schedule"])
def test_graph(stage, tmp_path):
    words = ["allreduce_ring", "--ranks", 4, "-O1", f"--dump-{stage}", "graph.dot", "--dump-rank", 1, "--dump-fold", "none"]
    assert twins.tool("cclc", *words, cwd=tmp_path) == (0, "")
    graph = cclc.graph("allreduce_ring", stage, ranks=4, O=1, rank=1, fold="none")
    assert str(graph) == (tmp_path / "graph.dot").read_text()


def test_graph_of_a_wrong_program():
    with pytest.warns(cclc.CclcWarning, match="wrong result"):
        graph = cclc.graph(half, ranks=2, phase="first half")
    assert "digraph" in str(graph)
    with pytest.raises(cclc.ProgramError, match="wrong result"):
        cclc.graph(half, "schedule", ranks=2)
    for given, error in (({"rank": 2}, "there is no rank 2 of 2"), ({"phase": "second"}, "there is no phase 'second'"),
                         ({"fold": "x"}, "unknown folding 'x'"), ({"stage": "dag"}, "unknown stage 'dag'")):
        with pytest.raises((cclc.UsageError, cclc.ProgramError), match=error):
            cclc.graph(half, ranks=2, **given)


@pytest.mark.skipif(not shutil.which("dot"), reason="graphviz is not installed")
def test_graph_is_drawn(tmp_path):
    graph = cclc.graph("allreduce_ring", ranks=2)
    assert "<svg" in graph._repr_svg_() and graph._repr_html_() is None
    graph.save(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes()[1:4] == b"PNG"
    assert "<svg" in cclc.describe("ring")._repr_svg_()
    cclc.describe("ring").graph().save(tmp_path / "ring.dot")
    assert (tmp_path / "ring.dot").read_text() == cclc.describe("ring").dot


def test_without_graphviz(monkeypatch):
    monkeypatch.setenv("PATH", "")
    graph, machine = cclc.graph("allreduce_ring", ranks=2), cclc.describe("ring")
    assert graph._repr_svg_() is None and graph._repr_html_().startswith("<pre>digraph")
    assert machine._repr_svg_() is None and machine._repr_html_().startswith("<pre>ring: family graph")
    with pytest.raises(cclc.UsageError, match="graphviz is not installed"):
        graph.drawn()


def test_report(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan, tree = cclc.compile("allreduce_ring", ranks=4), cclc.compile("allreduce_tree", ranks=4)
    plan.save("plan.json")
    tree.save("tree.json")
    code, text = twins.tool("ccl-sim", "plan.json", "--target", "ring", "--bytes", "64K", "--baseline", "tree.json",
                            "--report", "report.html", cwd=tmp_path)
    assert code == 0, text
    simulation = cclc.load("plan.json").simulate("ring", bytes="64K", report=True, baseline="tree.json")
    page = simulation.report()
    assert str(page) == (tmp_path / "report.html").read_text()
    assert page._repr_html_().startswith('<iframe width="100%" height="700" sandbox="allow-scripts" srcdoc="&lt;!')
    page.save(tmp_path / "own.html")
    assert (tmp_path / "own.html").read_text() == str(page)
    with pytest.raises(ValueError, match="simulate with report=True"):
        plan.simulate("ring").report()
    with pytest.raises(cclc.UsageError, match="none.json"):
        plan.simulate("ring", report=True, baseline="none.json")
