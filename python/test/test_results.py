"""Results have the values of the tools, and executions those of NumPy."""

import collections.abc
import dataclasses
import json
import pprint

import cclc
import numpy
import pytest
import twins


@pytest.fixture(scope="module", name="ring")
def make_ring():
    return cclc.compile("allreduce_ring", ranks=8, param={"buffers": "both"})


def test_listings():
    assert "allreduce_ring" in cclc.programs()
    assert "ahbm" in cclc.targets()


def test_why(ring, tmp_path):
    (tmp_path / "ring.json").write_text(ring.write())
    code, text = twins.tool("ccl-sim", "why", "ring.json", "3:o:2", "--json", "why.json", cwd=tmp_path)
    why = ring.why("3:o:2")
    assert (code, why.verdict, why.messages) == (0, "ok", [])
    assert why.text == text
    assert why.json == (tmp_path / "why.json").read_text()
    answers = json.loads(why.json)["answers"]
    assert why.columns() == {name: [answer[name] for answer in answers]
                             for name in ("placement", "value", "initial_chunks", "reductions", "messages")}
    assert {row.placement for row in why} == {"out_of_place", "in_place"}
    with pytest.raises(cclc.UsageError, match="there is no rank 8"):
        ring.why("8:o:0")
    with pytest.raises(cclc.UsageError, match="such as 3:o:2"):
        ring.why("output")


def test_simulation(ring, tmp_path):
    (tmp_path / "ring.json").write_text(ring.write())
    code, _ = twins.tool("ccl-sim", "ring.json", "--target", "ring", "--set", "link.bandwidth=50e9", "--sweep",
                         "1K:1M:4", "--dtype", "f16", "--json", "sim.json", cwd=tmp_path)
    assert code == 0
    rows = json.loads((tmp_path / "sim.json").read_text())["results"]
    stages = []
    simulation = ring.simulate("ring", set={"link.bandwidth": 50e9}, bytes="1K:1M:4", dtype="f16",
                               progress=stages.append)
    columns = simulation.columns()
    assert columns["bytes"] == [row["bytes"] for row in rows] == [1 << n for n in range(10, 21, 2)]
    assert columns["ns"] == pytest.approx([row["time_ns"] for row in rows])
    assert [row.picoseconds for row in simulation] == columns["picoseconds"]
    assert (len(simulation), simulation[-1].bytes) == (6, 1 << 20)
    assert json.loads(simulation.json)["results"] == rows
    assert "verify" in stages


def test_own_machine(tmp_path):
    """Without a target, a plan has the machine that it records with its settings, as in the tools."""
    ring, settings = tmp_path / "ring.json", {"link.bandwidth": 1e9}
    plan = cclc.compile("allreduce_ring", ranks=4, target="ring", set=settings)
    plan.save(ring)
    code, _ = twins.tool("ccl-sim", "ring.json", "--json", "sim.json", cwd=tmp_path)
    assert code == 0
    own = plan.simulate()[0]
    assert own.ns == json.loads((tmp_path / "sim.json").read_text())["results"][0]["time_ns"]
    assert own == plan.simulate("ring", set=settings)[0] == cclc.load(ring).simulate()[0]
    assert plan.simulate(set={"link.bandwidth": 2e9})[0].ns < own.ns
    assert plan.bound()[0].plan_time == own.picoseconds
    assert plan.export("goal") == plan.export("goal", "ring", set=settings)
    (tmp_path / "net.json").write_text(json.dumps({"base": "ring", "name": "net", "link": {"bandwidth": 1e9}}))
    plan = cclc.compile("allreduce_ring", ranks=4, target=tmp_path / "net.json")
    (tmp_path / "net.json").unlink()
    assert plan.simulate()[0] == own


@pytest.mark.parametrize("words, run, tools", [
    (["broadcast_pipeline", "--ranks", "8", "--target", "ring"],
     {"bytes": "4M", "slots": 1, "set": {"queue.slot_size": 65536}}, {"ccl-sim"}),
    (["allreduce_ring", "--ranks", "16", "--target", "mesh2d"], {"bytes": "1M", "repeat": 2}, {"cclc"}),
    (["allreduce_ring", "--ranks", "8"], {"target": "ring", "bytes": "1K:64M:65536"}, {"cclc"}),
    (["alltoall_direct", "--ranks", "4", "--target", "fully-connected"], {"bytes": "64M"}, set())])
def test_advice(words, run, tools, tmp_path):
    """Changes and notes are those of the tool, and so are the text and the JSON."""
    assert twins.tool("cclc", *words, "-o", "plan.json", cwd=tmp_path)[0] == 0
    options = []
    for name, value in run.items():
        if name == "bytes" and ":" in value:
            name = "sweep"
        options += [f"--{name}", "queue.slot_size=65536" if name == "set" else value]
    code, text = twins.tool("ccl-sim", "plan.json", *options, "--advise", "--json", "sim.json", cwd=tmp_path)
    document = json.loads((tmp_path / "sim.json").read_text())
    simulation = cclc.load(tmp_path / "plan.json").simulate(**run, advise=True)
    assert (code, simulation.text, json.loads(simulation.json)) == (0, text, document)
    advice = simulation.advice
    for name in ("action", "cause", "tool", "change"):
        assert advice.columns()[name] == [row[name] for row in document["advice"]]
    assert [row.after / 1000 for row in advice] == [row["time_ns"] for row in document["advice"]]
    assert [row.gain for row in advice] == pytest.approx([row["gain"] for row in document["advice"]])
    assert all(row.before == simulation[-1].picoseconds for row in advice)
    assert advice.notes == document["advice_notes"]
    assert {row.tool for row in advice} >= tools and bool(advice) == bool(tools)


def test_advice_is_kept(ring):
    """The time of a change is that of the run with it."""
    pipeline = cclc.compile("broadcast_pipeline", target="ring", ranks=8)
    run = {"bytes": "4M", "set": {"queue.slot_size": 65536}}
    best = pipeline.simulate(**run, slots=1, advise=True).advice[0]
    assert best.change.startswith("--slots ")
    faster = pipeline.simulate(**run, slots=int(best.change.split()[1]))
    assert faster[0].picoseconds == best.after < best.before
    assert not ring.simulate("ring").advice and not ring.simulate("ring", bytes=[], advise=True).advice
    operations = cclc.read(ring.convert("mscclpp"), "ring.json")
    with pytest.raises(cclc.UsageError, match="advice does not apply to a plan of MSCCL"):
        operations.simulate("dgx-h100", advise=True)


def test_rows_are_a_sequence(ring):
    rows = ring.simulate("ring", bytes="1K:1M:4")
    listed = list(rows)
    assert isinstance(rows, collections.abc.Sequence) and len(rows) == len(listed) == 6
    for part in (slice(1, 3), slice(None), slice(-2, None), slice(4, 0, -2), slice(None, None, -1), slice(3, 3), slice(9)):
        assert rows[part] == listed[part]
    assert (rows[-1], rows[-6]) == (listed[5], listed[0])
    for index in (6, -7):
        with pytest.raises(IndexError, match="there are 6 rows"):
            rows[index]  # pylint: disable=expression-not-assigned
    with pytest.raises(ValueError, match="step cannot be zero"):
        rows[::0]  # pylint: disable=expression-not-assigned
    assert listed[2] in rows and ring.simulate("ring", bytes="2K")[0] not in rows and None not in rows
    assert (rows.index(listed[2]), rows.count(listed[2]), list(reversed(rows))) == (2, 1, listed[::-1])
    gates = cclc.diff(ring, ring, target="ring", gate="time:+2%")
    assert (len(gates), list(gates), gates[:1], None in gates) == (0, [], [], False)


def test_rows_are_dataclasses(ring):
    rows = ring.simulate("ring", bytes=["1K", "1M"])
    fields = {name: getattr(rows[0], name) for name in rows[0].fields}
    assert dataclasses.asdict(rows[0]) == fields and fields["bytes"] == 1024
    assert [each.name for each in dataclasses.fields(rows[0])] == list(rows[0].fields)
    assert pprint.pformat(rows[0]) == repr(rows[0])


def test_rows_in_pandas(ring):
    pandas = pytest.importorskip("pandas", reason="the package pandas is not installed")
    rows = ring.simulate("ring", bytes="1K:1M:4")
    frame = pandas.DataFrame(rows)
    assert frame.equals(pandas.DataFrame(rows.columns())) and list(frame.columns) == list(rows[0].fields)
    assert pandas.DataFrame(rows[1:3]).bytes.tolist() == [4096, 16384]


def test_files(ring, tmp_path):
    for form in ("json", "text", "bin"):
        made = ring.write(form)
        path = tmp_path / f"ring.{'ccl' if form == 'text' else form}"
        ring.save(path)
        assert path.read_bytes() == (made if form == "bin" else made.encode())
        assert cclc.diff(ring, cclc.load(path)).equivalent
    with pytest.raises(cclc.UsageError, match="cannot write"):
        ring.save(tmp_path / "none" / "ring.json")
    assert cclc.read(ring.write(), "ring.json").file == "ring.json"
    with pytest.warns(cclc.CclcWarning, match="this file is for in place"):
        xml = ring.convert("xml")
    assert xml.startswith("<algo name=\"allreduce_ring\"")
    assert "@allreduce_ring" in ring.convert("text")
    with pytest.raises(cclc.UsageError, match="No such file"):
        cclc.load(tmp_path / "none.json")


def test_proof(ring):
    proof = ring.verify()
    assert proof and proof.ok and proof.slots_needed == 2 and proof.same_bits
    assert ring.verify(slots=1).verdict == "deadlock"
    assert not ring.verify(slots=1)
    assert ring.verify(target="ring", bytes="1K:1M").verdict == "ok"
    with pytest.raises(cclc.UsageError, match="name one"):
        ring.verify(bytes="1M")
    wrong = ring.write("text").replace("rrcs o[1] -> o[1]", "rcs -> o[1]", 1)
    assert wrong != ring.write("text")
    plan = cclc.read(wrong, "wrong.ccl")
    with pytest.raises(cclc.ProofError) as caught:
        plan.simulate("ring")
    assert caught.value.proof.verdict == "wrong-result"
    assert caught.value.messages[0].text == caught.value.proof.messages[0].text


def test_refusals(ring):
    with pytest.raises(cclc.Refused, match="the limit is 4"):
        cclc.compile("broadcast_direct", target="ahbm-6sip-ring")
    with pytest.raises(cclc.UsageError, match="did you mean 'allreduce_ring'"):
        cclc.compile("allreduce_rign")
    with pytest.raises(cclc.UsageError, match="'1Q' is not a size"):
        ring.simulate("ring", bytes="1Q")
    with pytest.raises(cclc.UsageError, match="such as 1K:1M:4, not '1M:1K'"):
        ring.simulate("ring", bytes="1M:1K")
    with pytest.raises(cclc.UsageError, match="at least 1, or 'inf'"):
        ring.verify(slots=0)
    with pytest.raises(cclc.UsageError, match="compiled for no machine"):
        ring.simulate()
    with pytest.raises(TypeError, match="@cclc.program"):
        cclc.compile(test_refusals)


def test_progress_that_fails(ring):
    def progress(stage):
        raise RuntimeError(stage)
    with pytest.raises(RuntimeError, match="verify"):
        ring.simulate("ring", progress=progress)


def test_bound(ring):
    bounds = cclc.bound("ring", "allreduce", ranks=8, bytes=["1K", 1 << 20])
    assert bounds.columns()["bytes"] == [1024, 1 << 20]
    share = ring.bound("ring", bytes="1M")
    assert share[0].picoseconds == bounds[1].picoseconds < share[0].plan_time
    assert share[0].plan_time == ring.simulate("ring")[0].picoseconds


def test_diff(ring):
    tree = cclc.compile("allreduce_tree", ranks=8)
    change = cclc.diff(ring, tree, target=["ring"], bytes="1M", gate=["time:+2%", "channels:0"])
    assert change.comparable and not change.equivalent and not change.passes
    assert [row.before for row in change.times] == [ring.simulate("ring")[0].picoseconds]
    assert [gate.gate for gate in change.gates] == ["time:+2%", "channels:0"]
    assert len(change.columns()["aspect"]) == len(change)


def test_tune(tmp_path):
    portfolio = cclc.tune("ring", "allreduce", ranks=4, sizes="1K:1M:32", programs=["allreduce_ring", "allreduce_tree"])
    columns = portfolio.columns()
    assert columns["bytes"] == [1 << 10, 1 << 15, 1 << 20]
    best = portfolio.best("allreduce", 4, "1M")
    assert best.plan.simulate("ring", bytes="1M")[0].picoseconds == columns["picoseconds"][-1]
    assert portfolio.best("allgather", 4, "1M") is None
    loaded = cclc.load_portfolio(portfolio.save(tmp_path / "tuned"))
    assert loaded.columns()["picoseconds"] == columns["picoseconds"]


def star(p, copies):
    for r in range(p.ranks):
        p.chunk(0, cclc.Input, 0).copy(r, cclc.Output, 0)
    if p.ranks == 5:
        raise ValueError("mine")
    if copies == 4 or p.ranks == 6:
        p.chunk(0, cclc.Input, 9)


def test_tune_of_own_programs():
    """The best parameters of a program in Python, beside a bundled one; jobs change nothing."""
    mine = cclc.program("broadcast", buffers="both", copies=cclc.Int(1, 1, 8))(star)
    options = {"ranks": 4, "sizes": "1K:64K:64", "programs": [mine, "broadcast_direct"]}
    portfolio = cclc.tune("fully-connected", "broadcast", **options)
    direct = cclc.tune("fully-connected", "broadcast", **{**options, "programs": "broadcast_direct"})
    alone = cclc.tune("fully-connected", "broadcast", **{**options, "programs": mine}, jobs=2)
    assert portfolio.columns()["picoseconds"] == direct.columns()["picoseconds"] == alone.columns()["picoseconds"]
    assert all(command.split()[0] == "star" for command in alone.columns()["command"])
    with pytest.raises(ValueError, match="mine"):
        cclc.tune("fully-connected", "broadcast", **{**options, "ranks": 5})
    with pytest.raises(cclc.ProgramError, match="out of range"):
        cclc.tune("fully-connected", "broadcast", **{**options, "ranks": 6})
    with pytest.raises(cclc.UsageError, match="none of the programs implements broadcast"):
        cclc.tune("fully-connected", "broadcast", **{**options, "programs": ["allreduce_ring"]})


def test_export(ring):
    files = ring.export("goal", "ring", bytes="64K")
    assert list(files) == ["allreduce_ring.goal"]
    assert files["allreduce_ring.goal"].splitlines().count(b"num_ranks 8") == 1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int32", "int64"])
def test_run(ring, dtype):
    data = numpy.random.default_rng(3).integers(0, 9, (8, 64)).astype(dtype)
    sums = data.sum(axis=0, dtype=dtype)
    results = numpy.zeros_like(data)
    before = data.copy()
    assert ring.run(data, results) > 0
    assert (results == sums).all() and (data == before).all()
    ring.run(list(data))
    assert (data == sums).all()


def test_run_bfloat16(ring):
    data = numpy.full((8, 16), 0x3f80, numpy.uint16)  # 1.0
    ring.run(data, dtype="bf16")
    assert (data == 0x4100).all()  # 8.0
    with pytest.raises(cclc.UsageError, match="name one of 16 bits"):
        ring.run(data)


def test_run_elsewhere():
    plan = cclc.compile("broadcast_binomial", ranks=4)
    first = numpy.arange(8, dtype="i4")
    results = numpy.zeros((4, 8), "i4")
    plan = cclc.compile("broadcast_binomial", ranks=4, buffers="out_of_place")
    plan.run([first, None, None, None], results)
    assert (results == first).all()


def test_memory_that_does_not_fit(ring):
    data = numpy.zeros((8, 16), "f4")
    with pytest.raises(ValueError, match="contiguous"):
        ring.run(numpy.zeros((16, 8), "f4").T)
    data.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        ring.run(data)
    with pytest.raises(cclc.Error, match="has 8 ranks, but there is memory for 4"):
        ring.run(numpy.zeros((4, 16), "f4"))
    with pytest.raises(cclc.UsageError, match="2 dimensions"):
        ring.run(numpy.zeros(16, "f4"))
    with pytest.raises(cclc.UsageError, match="the elements are f64, not f32"):
        ring.run(numpy.zeros((8, 16), "f4"), numpy.zeros((8, 16), "f8"))
    with pytest.raises(cclc.UsageError, match="of no type of plans"):
        ring.run(numpy.zeros((8, 16), "c8"))
    same = numpy.zeros(16, "f4")
    with pytest.raises(cclc.Error, match="the memory of ranks 0 and 1 overlaps"):
        ring.run([same] * 8)
    with pytest.raises(cclc.Error, match="the output of rank 0 has 32 bytes, it must have 64"):
        ring.run(numpy.zeros((8, 16), "f4"), numpy.zeros((8, 8), "f4"))


def test_run_test(ring):
    assert ring.run_test("64K", dtype="f16") > 0


@pytest.mark.parametrize("call, stages", [
    (lambda plan, end: plan.verify(target="ring", bytes=["1K", "1M"], progress=end),
     ["verify", "verified 1024 bytes", "verified 1048576 bytes"]),
    (lambda plan, end: plan.export("chakra", "ring", bytes="1K", progress=end),
     ["verify", *(f"write allreduce_ring.{rank}.et" for rank in range(8))])])
def test_stages(ring, call, stages):
    """Calls can end at each of their stages."""
    seen = []
    call(ring, seen.append)
    assert seen == stages
    for last in stages[:2]:
        def end(stage, last=last):
            if stage == last:
                raise KeyboardInterrupt
        with pytest.raises(KeyboardInterrupt):
            call(ring, end)
