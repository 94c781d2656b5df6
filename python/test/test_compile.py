"""The options of compile() are those of the tool."""

import cclc
import pytest
import twins

# Arguments of compile(), and those of cclc.
OPTIONS = [
    ({"instances": 2, "instance_layout": "interleaved"}, "--instances 2 --instance-layout interleaved"),
    ({"protocol": "LL", "slots": 3, "O": 1}, "--protocol LL --slots 3 -O1"),
    ({"placement": "snake", "target": "ahbm", "slot_size": "32K"},
     "--placement snake --target ahbm --slot-size 32K"),
    ({"optimize_for": "threadblocks", "max_channels": 2, "channels": 4},
     "--optimize-for threadblocks --max-channels 2 -p channels=4"),
    ({"max_threadblocks": 1, "channels": 2}, "--max-threadblocks 1 -p channels=2"),
    ({"aggregate": True}, "--aggregate"),
    ({"fuse": False}, "--no-fuse"),
    ({"fuse": "rcs,rrs"}, "--fuse rcs,rrs"),
    ({"fuse": ["rrcs"]}, "--fuse rrcs"),
    ({"fused_ops": "lower"}, "--fused-ops lower"),
    ({"verify": False, "trace_limit": 1000, "min_bytes": "1K", "max_bytes": "1M"},
     "--no-verify --trace-limit 1000 --min-bytes 1K --max-bytes 1M"),
]


def written(folder, *words):
    """The plan that cclc writes for 8 ranks."""
    code, text = twins.tool("cclc", "allreduce_ring", "--ranks", 8, *words, "-o", "plan", cwd=folder)
    assert code == 0, text
    return (folder / "plan").read_text()


@pytest.mark.filterwarnings("ignore:program 'allreduce_ring' uses 8 of the 256 PEs")
@pytest.mark.parametrize("given, words", OPTIONS)
def test_options(tmp_path, given, words):
    expected = written(tmp_path, *words.split(), "--emit", "text")
    assert cclc.compile("allreduce_ring", ranks=8, **given).write("text") == expected


@pytest.mark.parametrize("given, words", [
    ({"emit": "xml", "xml_dialect": "rccl"}, "--emit xml --xml-dialect rccl"),
    ({"emit": "mscclpp", "threadblock_group": 2}, "--emit mscclpp --threadblock-group 2")])
def test_destinations(tmp_path, given, words):
    plan = cclc.compile("allreduce_ring", ranks=8, **given)
    assert plan.write(given["emit"], xml_dialect=given.get("xml_dialect", "msccl")) == written(tmp_path, *words.split())


@pytest.mark.parametrize("given, error", [
    ({"optimize_for": "speed"}, "unknown goal 'speed'; it must be one of balance, path, steps, threadblocks"),
    ({"optimize_for": "path", "O": 1}, "a goal needs level 2 or 3 of optimisation: level 1 makes one schedule only"),
    ({"fuse": ["r"]}, "unknown fused instruction 'r'.*"),
    ({"fuse": "rcs", "O": 0}, "fusion needs level 1 or higher of optimisation: level 0 does not fuse"),
    ({"instance_layout": "batched"}, "a layout of instances needs their number: there is one copy"),
    ({"max_channels": 0}, "the limit of channels must be at least 1, not 0"),
    ({"emit": "xlm"}, r"unknown form 'xlm' of plans \(did you mean 'xml'\?\)"),
    ({"emit": "ahbm-module"}, "a plan is converted to an algorithm module, not compiled to one"),
    ({"emit": "xml", "xml_dialect": "nccl"}, "unknown dialect 'nccl' of MSCCL XML"),
    ({"threadblock_group": 2}, "a group of threadblocks applies to the form mscclpp"),
    ({"emit": "mscclpp", "threadblock_group": 33}, "a group of threadblocks must be 1 to 32, not 33"),
    ({"set": "ipcq.slots=2"}, "set changes values of a target: name one"),
    ({"fused_ops": "split"}, "unknown treatment of fused receives 'split'.*")])
def test_wrong_options(given, error):
    with pytest.raises(cclc.UsageError) as caught:
        cclc.compile("allreduce_ring", ranks=8, **given)
    caught.match(f"^{error}$")


def test_wrong_types():
    with pytest.raises(TypeError, match="ranks cannot be '8'"):
        cclc.compile("allreduce_ring", ranks="8")


@pytest.mark.filterwarnings("ignore:target dgx1.* several equally short routes")
@pytest.mark.parametrize("collective, given, words", [
    ("allgather", {"trees": 6, "O": 1}, "--trees 6 -O1"),
    ("broadcast", {"root": 3, "trees": 1, "chunks": 4}, "--root 3 --trees 1 --chunks 4"),
    ("reduce", {"latency": True, "max_bytes": "4K"}, "--latency --max-bytes 4K"),
    ("alltoall", {"neighbours": True, "trees": 1}, "--neighbours --trees 1")])
def test_synthesis(tmp_path, collective, given, words):
    code, text = twins.tool("cclc", "synth", collective, "--target", "dgx1", *words.split(), "-o", "plan.ccl",
                            cwd=tmp_path)
    assert code == 0, text
    found = cclc.synth(collective, target="dgx1", **given)
    assert found.summary in text
    assert found.plan.write("text") == (tmp_path / "plan.ccl").read_text()
    assert twins.tool("cclc", "synth", collective, "--target", "dgx1", *words.split(), "--emit", "cpp", "-o", "plan.cpp",
                      cwd=tmp_path)[0] == 0
    assert found.source == (tmp_path / "plan.cpp").read_text()


@pytest.mark.parametrize("collective, given, error", [
    ("allgather", {}, "requires --target"),
    ("alltonext", {"target": "dgx1"}, "'alltonext' is not a collective that cclc synth finds algorithms for"),
    ("allgather", {"target": "dgx1", "trees": 65}, "the number of trees must be 1 to 64, not 65"),
    ("allgather", {"target": "dgx1", "root": 1}, "--root: allgather has no root")])
def test_wrong_synthesis(collective, given, error):
    with pytest.raises(cclc.UsageError, match=error):
        cclc.synth(collective, **given)


def test_progress_of_a_synthesis():
    def end(stage):
        if stage == "find trees":
            raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        cclc.synth("allgather", target="dgx1", progress=end)
