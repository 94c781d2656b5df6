"""What notebooks show: well-formed pictures with all steps, and tables with all rows."""

import xml.etree.ElementTree as ET

import cclc
import pytest

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
