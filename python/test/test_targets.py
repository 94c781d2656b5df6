"""Machines are imported, described and checked as by the tool."""

import json
import pathlib

import cclc
import pytest
import twins

INPUTS = pathlib.Path(__file__).parents[2] / "test/lit/Driver/Inputs"
SERVER = INPUTS / "nccl-nvswitch.xml"


def tool(*words, code=0):
    found, text = twins.tool("cclc", "targets", *words)
    assert found == code, text
    return text


@pytest.mark.filterwarnings("ignore:.*1 NIC is ignored")
def test_import(tmp_path):
    tool("import", SERVER, "--nodes", 2, "-o", tmp_path / "tool.json")
    made = cclc.import_target(SERVER, nodes=2)
    assert made == (tmp_path / "tool.json").read_text()
    (tmp_path / "made.json").write_text(made)
    assert cclc.describe(tmp_path / "made.json").endpoints == 8
    (tmp_path / "topo.txt").write_text("\tGPU0\tGPU1\tNIC0\nGPU0\t X \tNV18\tPIX\nGPU1\tNV18\t X \tSYS\nNIC0\tPIX\tSYS\t X\n")
    matrix = cclc.import_target(tmp_path / "topo.txt", gpu="H100", nic_bandwidth=25, nodes=2)
    tool("import", tmp_path / "topo.txt", "--gpu", "H100", "--nic-bandwidth", 25, "--nodes", 2, "-o", tmp_path / "b.json")
    assert matrix == (tmp_path / "b.json").read_text()


def test_import_of_two_files(tmp_path):
    (tmp_path / "net.yml").write_text("topology: [Ring]\nnpus_count: [2]\nbandwidth: [50]\nlatency: [500]\n")
    (tmp_path / "system.json").write_text('{"scheduling-policy": "LIFO", "endpoint-delay": 10}')
    with pytest.warns(cclc.CclcWarning, match="'scheduling-policy' is ignored"):
        made = cclc.import_target(tmp_path / "net.yml", tmp_path / "system.json")
    assert json.loads(made)["queue"] == {"receive_overhead": 1e-08}


@pytest.mark.parametrize("options, error", [
    ({"nic_bandwidth": 0}, "the bandwidth of a NIC must be 0.000001 to 1000000 GB/s, not 0.00"),
    ({"order": "size"}, "unknown order of hosts 'size'; it must be one of given, rack, best"),
    ({"gpus_per_host": 0}, "the number of GPUs of a host must be at least 1"),
    ({"fabric": "none.txt"}, "No such file")])
def test_wrong_imports(options, error):
    with pytest.raises(cclc.UsageError, match=error):
        cclc.import_target(SERVER, **options)


def test_place_of_an_error(tmp_path):
    (tmp_path / "net.yml").write_text("topology: [Ring]\nnpus_count: [2]\nbandwidth: [x]\nlatency: [500]\n")
    with pytest.raises(cclc.UsageError) as caught:
        cclc.import_target(tmp_path / "net.yml")
    assert [(each.file, each.line) for each in caught.value.messages] == [(str(tmp_path / "net.yml"), 3)]


def test_description():
    machine = cclc.describe("ring", set={"ranks": 6})
    assert repr(machine) == f"<machine ring: {machine.endpoints} endpoints>" == "<machine ring: 6 endpoints>"
    assert machine.text == tool("describe", "ring", "--set", "ranks=6")
    assert machine.json == tool("describe", "ring", "--set", "ranks=6", "--json")
    assert machine.dot == tool("describe", "ring", "--set", "ranks=6", "--dump", "-")


def test_check(tmp_path):
    healthy = cclc.check(SERVER)
    assert (healthy.healthy, len(healthy), healthy.examined) == (True, 0, "4 GPUs, 5 NICs, 72 NVLinks")
    before, _, behind = SERVER.read_text().rpartition("<nvlink")
    (tmp_path / "links.xml").write_text(before + behind.partition("/>")[2])
    check = cclc.check(tmp_path / "links.xml")
    assert not check.healthy
    assert repr(check) == "<check of 4 GPUs, 5 NICs, 63 NVLinks: 1 finding>" and "<table>" in check._repr_html_()
    assert check[0].text == "gpu3 has 9 NVLinks (225 GB/s), the other 3 have 18 (450 GB/s)"
    assert check.columns()["parts"] == [["gpu3"]]
    costs = [(cost.collective, cost.picoseconds / cost.without_picoseconds) for cost in check[0].costs]
    assert costs[1] == ("allgather", pytest.approx(2))
    assert check.text == tool("check", tmp_path / "links.xml", code=1)
    assert check.json == tool("check", tmp_path / "links.xml", "--format=json", code=1)
