//===- LoaderTest.cpp - Valid and invalid target files --------------------===//

#include "../../support/Lines.h"

#include "Plans.h"

#include "cclc/Target/SwitchPorts.h"

#include "llvm/Support/Path.h"

using namespace cclc;
using namespace cclc::test;

namespace {

std::string errorOf(TargetRequest request) {
  DiagnosticEngine diags;
  if (succeeded(loadTarget(request, diags)))
    FAIL("the target loads");
  // Replaces the names of temporary files.
  std::string text = textOf(diags);
  if (StringRef(request.nameOrFile).contains('/'))
    for (size_t at; (at = text.find(request.nameOrFile)) != std::string::npos;)
      text.replace(at, request.nameOrFile.size(), "FILE");
  return text;
}

std::string errorOf(const std::string &text) {
  TemporaryFile file(text);
  return errorOf(targetRequest(file.name()));
}

std::string errorOfSet(const std::string &target, const std::string &change) {
  return errorOf(targetRequest(target, {change}));
}

std::string graphWith(const std::string &more) {
  return "{\"name\": \"g\", \"family\": \"graph\"" + more + "}";
}
} // namespace

TEST_CASE("every bundled target loads", "[target]") {
  auto targets = listTargets(CCLC_TARGET_DIR);
  REQUIRE(targets.size() >= 10);
  CHECK(std::is_sorted(targets.begin(), targets.end()));
  for (const auto &[name, description] : targets) {
    INFO(name);
    Machine m = machine(name);
    CHECK(m.name == name);
    CHECK(m.description == description);
    CHECK_FALSE(description.empty());
    CHECK(m.numEndpoints() > 0);
    CHECK(m.numEndpoints() == m.geometry().ranks());
    CHECK((m.network == "cut-through" || m.network == "ideal" || m.network == "per-flit" ||
           m.network == "alpha-beta"));
  }
}

TEST_CASE("the operations of switches", "[target]") {
  CHECK_FALSE(machine("ndv4").switches);
  CHECK_FALSE(machine("dgx-h100", {"switch=null"}).switches);
  Machine h100 = machine("dgx-h100", {"switch.reduction=off"});
  REQUIRE(h100.switches);
  CHECK(h100.switches->multicasts);
  CHECK_FALSE(h100.switches->adds);
  CHECK(h100.switches->onWire(Bytes(72)) == Bytes(100));
  CHECK(h100.switches->onWire(Bytes(1)) == Bytes(2)); // rounded up
  CHECK(errorOfSet("dgx-h100", "switch.payload_efficiency=1.5") ==
        "dgx-h100: error: 'switch.payload_efficiency' takes a number from 0.01 to 1\n");
}

TEST_CASE("the ranks of an operation have a switch in common", "[target]") {
  auto ports = [](const Machine &m, std::vector<uint32_t> members) {
    std::vector<EndpointId> endpoints;
    for (uint32_t member : members)
      endpoints.push_back(EndpointId(member));
    std::optional<std::vector<SwitchPort>> found = portsOfSwitch(m, endpoints);
    std::vector<std::string> names;
    for (size_t i = 0; found && i < found->size(); ++i)
      names.insert(names.end(), {m.linkName((*found)[i].up), m.linkName((*found)[i].down)});
    return names;
  };
  Machine nodes = machine("dgx-h100", {}, 16);
  CHECK(ports(nodes, {1, 6}) ==
        std::vector<std::string>{"node0.gpu1 -> node0.switch", "node0.switch -> node0.gpu1",
                                 "node0.gpu6 -> node0.switch", "node0.switch -> node0.gpu6"});
  CHECK(ports(nodes, {8, 9, 15}).size() == 6);
  CHECK(ports(nodes, {1, 9}).empty());    // over NICs
  CHECK(ports(nodes, {0, 1, 9}).empty()); // one of them
  CHECK(ports(machine("ring", {}, 8), {0, 1}).empty());
  CHECK(ports(machine("mesh2d", {}, 9), {0, 2, 4}).empty());
}

TEST_CASE("a target of any size has the plan's number of ranks", "[target]") {
  for (const char *name : {"ring", "ideal", "fully-connected", "mesh2d", "torus2d"})
    for (uint32_t ranks : {1u, 2u, 6u, 13u})
      CHECK(machine(name, {}, ranks).numEndpoints() == ranks);
  for (const char *name : {"ndv4", "dgx-h100"}) // whole nodes of 8
    for (uint32_t ranks : {1u, 8u, 9u, 64u, 65u})
      CHECK(machine(name, {}, ranks).numEndpoints() == (ranks + 7) / 8 * 8);
  CHECK(machine("bluefield3", {}, 5).numEndpoints() == 5); // one DPU per host
  CHECK(machine("dgx1", {}, 3).numEndpoints() == 8);
  CHECK(machine("mesh2d", {"width=3", "height=4"}, 5).numEndpoints() == 12);
  CHECK(machine("ahbm", {}, 3).numEndpoints() == 256);
  CHECK(machine("ring", {"ranks=4"}, 9).numEndpoints() == 4);
}

TEST_CASE("incorrect target files are rejected with the key", "[target]") {
  CHECK(errorOf("[1]") == "FILE: error: a target is a JSON object\n");
  CHECK(errorOf("{\"name\": \"x\",\n \"family\" 1}") ==
        "FILE:2:11: error: syntax error while parsing object separator - unexpected number "
        "literal; expected ':'\n");
  CHECK(errorOf("") == "FILE:1:1: error: syntax error while parsing value - unexpected end of "
                       "input; expected '[', '{', or a literal\n");
  CHECK(errorOf("{\"name\": \"x\", \"launch\": 1e999}") ==
        "FILE:1:29: error: number overflow parsing '1e999'\n");
  CHECK(errorOf("{\"family\": \"graph\"}") == "FILE: error: 'name' is missing\n");
  CHECK(errorOf("{\"name\": \"\", \"family\": \"graph\", \"shape\": \"ring\"}") ==
        "FILE:1:2: error: 'name' is empty\n");
  CHECK(errorOf("{\"name\": \"x\"}") ==
        "FILE: error: 'family' is missing; a target has a 'family', "
        "or a 'base' whose values it changes\n");
  CHECK(errorOf("{\"name\": \"x\", \"bse\": \"dgx1\"}") ==
        "FILE: error: 'family' is missing; a target has a 'family', or a 'base' whose values it "
        "changes: 'bse' is not a known key (did you mean 'base'?)\n");
  CHECK(
      StringRef(errorOf("{\n \"base\": \"dgx\"}"))
          .starts_with("FILE:2:2: error: unknown target 'dgx' (did you mean 'dgx1'?); there are "));
  CHECK(errorOf("{\"format\": \"cclc-plan\"}") ==
        "FILE:1:2: error: 'format' of a plan: a target was expected\n");
  CHECK(errorOf("{\"name\": 3, \"family\": \"graph\"}") ==
        "FILE:1:2: error: 'name' takes a string\n");
  CHECK(errorOf("{\"name\": \"x\", \"family\": \"cube\"}") ==
        "FILE:1:15: error: 'family' must be one of ahbm, switched, graph; found 'cube'\n");
  CHECK(errorOf(graphWith("")) == "FILE: error: 'nodes' has no endpoint\n");
  CHECK(errorOf(graphWith(", \"shape\": \"blob\"")) ==
        R"(
        FILE:1:34: error: 'shape' must be one of list, ring, line, mesh_2d, torus_2d, fully_connected, torus, mesh, composed, hypercube, star, fat_tree, dragonfly; found 'blob'
        )"_lines);
  CHECK(errorOf(graphWith(", \"nodes\": {}")) == "FILE:1:34: error: 'nodes' takes an array\n");
  CHECK(errorOf(graphWith(", \"nodes\": [{\"name\": 1}, {\"name\": 2}]")) ==
        "FILE:1:45: error: 'nodes[0].name' takes a string\n"
        "FILE:1:58: error: 'nodes[1].name' takes a string\n");
  CHECK(errorOf(graphWith(", \"nodes\": [{\"name\": \"a\"}], \"links\": [{\"from\": 0, \"to\": "
                          "\"b\"}, {\"from\": \"c\", \"to\": \"a\"}]")) ==
        "FILE:1:71: error: 'links[0].from' takes a string\n"
        "FILE:1:95: error: 'links[1].from' 'c' is not the name of a node\n");
  CHECK(errorOf(graphWith(", \"nodes\": [{\"name\": \"a\"}, {\"name\": \"a\"}]")) ==
        "FILE:1:60: error: 'nodes[1].name' 'a' is a duplicate\n");
  CHECK(errorOf(graphWith(", \"nodes\": [{\"name\": \"a\", \"overhed\": 1}]")) ==
        "FILE:1:58: error: 'nodes[0].overhed' is not a known key (did you mean 'overhead'?)\n");
  CHECK(errorOf(graphWith(", \"nodes\": [{\"name\": \"a\", \"endpoint\": true}]")) ==
        "FILE:1:58: error: 'nodes[0].endpoint' must be one of off, on; found 'true'\n");
  CHECK(errorOf(graphWith(", \"nodes\": [{\"name\": \"a\"}], \"links\": [{\"from\": \"a\", \"to\": "
                          "\"b\"}]")) ==
        "FILE:1:84: error: 'links[0].to' 'b' is not the name of a node\n");
  CHECK(errorOf(graphWith(", \"nodes\": [{\"name\": \"a\"}], \"links\": [{\"from\": \"a\", \"to\": "
                          "\"a\"}]")) ==
        "FILE:1:84: error: 'links[0].to' 'a' is the node at which the link begins\n");
}

TEST_CASE("a duplicate key is rejected", "[target]") {
  CHECK(errorOf(graphWith(",\n \"shape\": \"ring\",\n  \"shape\": \"line\"")) ==
        "FILE:3:3: error: key 'shape' is a duplicate\nFILE:2:2: note: the first one is here\n");
  // In any spelling, and at any depth.
  CHECK(errorOf(graphWith(R"(, "nodes": [{"name": "a"}, {"name": "b", "n\u0061me": "c"}])")) ==
        "FILE:1:73: error: key 'name' is a duplicate\nFILE:1:60: note: the first one is here\n");
  TemporaryFile comments(graphWith(R"(, "shape": "ring", "//": "one", "//": "two")"));
  CHECK(machine(comments.name(), {"ranks=2"}).numEndpoints() == 2);
}

TEST_CASE("an invalid value is located in the file that contains it", "[target]") {
  TemporaryFile base("{\"base\": \"ring\",\n \"queue\": {\n  \"slots\": 0,\n  \"slot_size\": 0}}");
  const std::string file = "{\"base\": \"" + base.name() + "\",\n\n \"pe\": {\"streams\": 0}}";
  TemporaryFile derived(file);
  std::string text = errorOf(targetRequest(derived.name()));
  CHECK(StringRef(text).starts_with("FILE:3:9: error: 'pe.streams' takes a whole number"));
  CHECK(StringRef(text).contains(base.name() + ":3:3: error: 'queue.slots' takes a whole number"));
  // Values from the command line have no location in a file.
  text = errorOf(targetRequest(derived.name(), {"pe.streams=-1", "queue.slots=2"}));
  CHECK(text == "FILE: error: 'pe.streams' takes a whole number from 1 to 65536\n");
}

TEST_CASE("every PE of a cube needs one of four connections", "[target][ahbm]") {
  auto errorFor = [](const char *connections) {
    TemporaryFile file(std::string("{\"base\": \"ahbm\", \"name\": \"x\",\n") +
                       "\"ucie\": {\"connection_of_pe\": " + connections + "}}");
    return errorOf(targetRequest(file.name()));
  };
  CHECK(errorFor("[0, 1, 1]") == "FILE:2:10: error: 'ucie.connection_of_pe' takes one connection "
                                 "for each of the 8 PEs\n");
  for (const char *wrong : {"[0, 1, 1, 1, 1, 1, 1, 4]", "[0, 1, 1, 1, 1, 1, 1, \"1\"]", "{}"})
    CHECK(errorFor(wrong) == "FILE:2:10: error: 'ucie.connection_of_pe' takes an array of whole "
                             "numbers from 0 to 3\n");
}

TEST_CASE("invalid values are rejected with the path", "[target]") {
  struct Case {
    const char *target, *change, *message;
  };
  const Case cases[] = {
      {"ring", "pe.dipatch=0",
       "ring: error: 'pe.dipatch' is not a known key (did you mean 'dispatch'?)\n"},
      {"ring", "limit.channels=4",
       "ring: error: 'limit' is not a known key (did you mean 'limits'?)\n"},
      {"ring", "queue.slots=0",
       "ring: error: 'queue.slots' takes a whole number from 1 to 1048576\n"},
      {"ring", "queue.slots=1048577",
       "ring: error: 'queue.slots' takes a whole number from 1 to 1048576\n"},
      {"ring", "queue.slots=-1",
       "ring: error: 'queue.slots' takes a whole number from 1 to 1048576\n"},
      {"ring", "queue.slots=2.5",
       "ring: error: 'queue.slots' takes a whole number from 1 to 1048576\n"},
      {"ring", "queue.slots=many",
       "ring: error: 'queue.slots' takes a whole number from 1 to 1048576\n"},
      {"ring", "queue.slot_size=-1",
       "ring: error: 'queue.slot_size' takes a whole number of bytes\n"},
      {"ring", "link.bandwidth=-1",
       "ring: error: 'link.bandwidth' takes a rate in bytes per second, 0 for no limit\n"},
      {"ring", "link.bandwidth=0.3",
       "ring: error: 'link.bandwidth' takes a rate in bytes per second, 0 for no limit\n"},
      {"ring", "link.bandwidth=1e19",
       "ring: error: 'link.bandwidth' takes a rate in bytes per second, 0 for no limit\n"},
      {"ring", "link.propagation=1001",
       "ring: error: 'link.propagation' takes a time in seconds, at most 1000\n"},
      {"ring", "runtime=rcl",
       "ring: error: 'runtime' must be one of ahbm, mscclpp, rccl, msccl, msccl-executor, nccl, "
       "ompi, mpich, run, sim; found 'rcl' (did you mean 'rccl'?)\n"},
      {"ring", "queue.slot_memory=l2",
       "ring: error: 'queue.slot_memory' must be one of tcm, sram, hbm; found 'l2'\n"},
      {"ring", "queue.credit_blocks_receiver=yes",
       "ring: error: 'queue.credit_blocks_receiver' must be one of off, on; found 'yes'\n"},
      {"ring", "queue.one_sided_reads=on",
       "ring: error: 'queue.one_sided_reads' must be one of off, scratch, all; found 'on'\n"},
      {"ahbm", "ipcq.one_sided_reads=all",
       "ahbm: error: 'ipcq.one_sided_reads' is not a known key; the keys are access, "
       "credit_blocks_receiver, credit_size, multiplex, queues, receive_overhead, send_overhead, "
       "slot_access, slot_memory, slot_size, slots, switch_time\n"},
      {"ring", "pe=3", "ring: error: 'pe' takes an object\n"},
      {"ring", "ranks=65537", "ring: error: 'ranks' takes a whole number from 1 to 65536\n"},
      {"mesh2d", "width=3", "mesh2d: error: 'height' is missing: a grid has both\n"},
      {"ring", "link.bandwidth.x=3",
       "tool: error: --set link.bandwidth.x: 'x' is inside a scalar value\n"},
      {"dgx1", "links.3.bandwidth=1",
       "tool: error: --set links.3.bandwidth: '3' is inside a list, which only the target file "
       "changes; links are named as in 'links.A->B.bandwidth'\n"},
      {"ahbm", "queue.slots=3", "ahbm: error: 'queue' is not a known key\n"},
      {"ahbm", "sips.width=2",
       "ahbm: error: 'sips.width' has no effect with topology ring_1d; the grids are torus_2d and "
       "mesh_2d_no_wrap\n"},
      {"ahbm", "sips.topology=cube",
       "ahbm: error: 'sips.topology' must be one of ring_1d, torus_2d, mesh_2d_no_wrap; found "
       "'cube'\n"},
      {"ahbm-6sip-mesh", "sips.count=7",
       "ahbm-6sip-mesh:5:56: error: 'sips.width' and 'height' must multiply to 7: that number of "
       "SIPs is not a square grid\n"},
      {"ahbm", "cubes.pes=9", "ahbm: error: 'cubes.pes' takes a whole number from 1 to 8\n"},
      {"ahbm", "ucie.connection_of_pe=1",
       "ahbm: error: 'ucie.connection_of_pe' takes an array of whole numbers from 0 to 3\n"},
      {"ahbm", "sips.count=513",
       "ahbm: error: 'sips.count' results in 65664 PEs, more than the limit of 65536\n"},
      {"ahbm", "noc.router_pitch=-1",
       "ahbm: error: 'noc.router_pitch' takes a length in metres, at most 1e6\n"},
      {"ndv4", "nic.gpus_per_nic=3",
       "ndv4: error: 'nic.gpus_per_nic' does not divide gpus_per_node\n"},
      {"ndv4", "nodes=8193",
       "ndv4: error: 'nodes' results in 65544 GPUs, more than the limit of 65536\n"},
  };
  for (const Case &c : cases) {
    INFO(c.target << ' ' << c.change);
    CHECK(errorOfSet(c.target, c.change) == c.message);
  }
  CHECK(errorOf(TargetRequest{"ring", "/nowhere", {}, std::nullopt}) ==
        "tool: error: unknown target 'ring'; there are no targets in '/nowhere'\n");
  CHECK(errorOf(targetRequest("none")) ==
        "tool: error: unknown target 'none'; there are ahbm, ahbm-6sip-mesh, "
        "ahbm-6sip-mesh-per-flit, ahbm-6sip-ring, ahbm-6sip-ring-per-flit, ahbm-6sip-torus, "
        "ahbm-6sip-torus-per-flit, ahbm-per-flit, alpha-beta, bluefield3, dgx-h100, dgx1, "
        "fully-connected, "
        "ideal, mesh2d, mi300x, ndv4, ring, torus2d\n");
  CHECK(errorOf(targetRequest("ring", {"width=2", "height=4"})) ==
        "ring: error: 'width' and 'height' apply to mesh_2d and torus_2d only\n");
  CHECK(errorOf(targetRequest("mesh2d", {"width=2", "height=4", "ranks=9"})) ==
        "mesh2d: error: 'ranks' is 9, but 'width' times 'height' is 8\n");
  CHECK(errorOf(targetRequest("/no/such.json")) ==
        "tool: error: cannot read target 'FILE': No such file or directory\n");
}

TEST_CASE("the type of an override follows from its text", "[target]") {
  CHECK(machine("ring", {"queue.slots=3"}).queue.slots == 3);
  CHECK(machine("ring", {"link.propagation=2.5e-9"}).links()[0].propagation == SimTime(2500));
  CHECK(machine("ring", {"queue.slot_access=off"}).queue.write.latency == SimTime());
  CHECK(machine("ring", {"name=\"quoted\""}).name == "quoted");
  CHECK(machine("ring", {"name=plain"}).name == "plain");
  CHECK(machine("ring", {"limits.channels=7"}).limits.channels ==
        7u); // an object that the file does not have
  CHECK(machine("ring", {"queue.slots=3", "queue.slots=5"}).queue.slots == 5);
  DiagnosticEngine diags;
  CHECK(failed(parseOverride("a.b", diags)));
  CHECK(failed(parseOverride("=1", diags)));
  CHECK(failed(parseOverride("a=", diags)));
  CHECK(textOf(diags) == R"(
    tool: error: --set takes PATH=VALUE, not 'a.b'
    tool: error: --set takes PATH=VALUE, not '=1'
    tool: error: --set takes PATH=VALUE, not 'a='
    )"_lines);
  FailureOr<TargetOverride> change = parseOverride("a=b=c", diags);
  CHECK(change->path == "a");
  CHECK(change->value == "b=c");
}

TEST_CASE("the memory of slots determines their access time", "[target]") {
  auto cost = [](std::vector<std::string> overrides) {
    return machine("ahbm", overrides).queue.read.duration(Bytes(65536)).picoseconds();
  };
  CHECK(cost({}) == 128'000);
  CHECK(cost({"ipcq.slot_memory=sram"}) == 2'000 + 128'000 + 512'000);
  CHECK(cost({"ipcq.slot_memory=hbm"}) == 6'000 + 256'000 + 256'000);
  CHECK(cost({"ipcq.slot_memory=hbm", "ipcq.slot_access=off"}) == 0);
}

TEST_CASE("a target lists the differences from its base", "[target]") {
  TemporaryFile base(R"({"name": "base", "family": "graph", "shape": "ring", "description": "d",
    "link": {"bandwidth": 1e9, "propagation": 1e-6}, "queue": {"slots": 3, "slot_size": 100}})");
  std::string baseName(llvm::sys::path::filename(base.name()));
  SECTION("at any depth") {
    TemporaryFile file("{\"base\": \"" + base.name() +
                       "\", \"name\": \"x\", \"link\": {\"bandwidth\": 2e9}}");
    Machine m = machine(file.name());
    CHECK(m.name == "x");
    CHECK(m.description == "d");
    CHECK(m.links()[0].bandwidth.bytesPerSecond() == 2'000'000'000);
    CHECK(m.links()[0].propagation == SimTime(1'000'000));
    CHECK(m.queue.slots == 3);
  }
  SECTION("beside it") {
    TemporaryFile file("{\"base\": \"" + baseName + "\"}");
    CHECK(machine(file.name()).name == llvm::sys::path::stem(file.name()));
  }
  SECTION("through an intermediate target") {
    TemporaryFile middle("{\"base\": \"" + baseName + "\", \"queue\": {\"slots\": 4}}");
    TemporaryFile file("{\"base\": \"" + middle.name() + "\", \"queue\": {\"slot_size\": 7}}");
    Machine m = machine(file.name());
    CHECK(m.queue.slots == 4);
    CHECK(m.queue.slotSize == Bytes(7));
  }
  SECTION("and may remove a key") {
    TemporaryFile file("{\"base\": \"" + baseName + "\", \"queue\": {\"slot_size\": null}}");
    CHECK(machine(file.name()).queue.slotSize == Bytes(0));
  }
  SECTION("overrides are applied last") {
    TemporaryFile file("{\"base\": \"" + baseName + "\", \"queue\": {\"slots\": 4}}");
    CHECK(machine(file.name(), {"queue.slots=9"}).queue.slots == 9);
  }
  SECTION("a missing base is named") {
    CHECK(StringRef(errorOf("{\"base\": \"nothing\"}"))
              .starts_with("FILE:1:2: error: unknown target 'nothing'; there are "));
    CHECK(errorOf("{\"base\": 3}") ==
          "FILE: error: 'base' takes the name or the file of a target\n");
  }
  SECTION("cyclic bases are an error") {
    SmallVector<char, 128> path;
    int fd;
    REQUIRE_FALSE(llvm::sys::fs::createTemporaryFile("cclc-circle", "json", fd, path));
    std::string name(path.begin(), path.end());
    llvm::raw_fd_ostream(fd, true) << "{\"base\": \"" << llvm::sys::path::filename(name) << "\"}";
    CHECK(errorOf(targetRequest(name)) ==
          "FILE: error: 'base' refers to a chain of more than 8 targets\n");
    llvm::sys::fs::remove(name);
  }
}

TEST_CASE("keys with the prefix // are comments", "[target]") {
  TemporaryFile file(R"({"//": "about", "name": "x", "family": "graph", "shape": "ring",
    "queue": {"// slots": "why", "slots": 2}})");
  CHECK(machine(file.name()).queue.slots == 2);
}

TEST_CASE("an engine takes whole cycles", "[target]") {
  CycleEngine engine{SimTime(1500), 64, SimTime()};
  CHECK(engine.duration(Bytes(0)) == SimTime(0));
  CHECK(engine.duration(Bytes(1)) == SimTime(1500));
  CHECK(engine.duration(Bytes(64)) == SimTime(1500));
  CHECK(engine.duration(Bytes(65)) == SimTime(3000));
  CHECK(CycleEngine{SimTime(1500), 64, SimTime(10)}.duration(Bytes(65)) == SimTime(3010));
  CHECK(CycleEngine{}.duration(Bytes(1000)) == SimTime());
}

TEST_CASE("links are modified by the names of their nodes", "[target]") {
  auto linkOf = [](const Machine &m, StringRef name) -> const Link & {
    for (uint32_t l = 0; l < m.links().size(); ++l)
      if (m.linkName(LinkId(l)) == name)
        return m.links()[l];
    FAIL("no link " << name.str());
    return m.links()[0];
  };
  auto rate = [&](const Machine &m, StringRef name) {
    return linkOf(m, name).bandwidth.bytesPerSecond();
  };
  constexpr uint64_t full = 100'000'000'000;
  SECTION("one direction, both, or all that match") {
    Machine m = machine("ring", {"ranks=4", "links.n0->n1.bandwidth=12.5e9",
                                 "links.n2 <-> n3.bandwidth=1e9", "links.n3->*.propagation=5e-9"});
    CHECK(rate(m, "n0 -> n1") == 12'500'000'000);
    CHECK(rate(m, "n1 -> n0") == full);
    CHECK(rate(m, "n2 -> n3") == 1'000'000'000);
    CHECK(rate(m, "n3 -> n2") == 1'000'000'000);
    CHECK(linkOf(m, "n3 -> n2").propagation == SimTime(5000));
    CHECK(linkOf(m, "n3 -> n0").propagation == SimTime(5000));
    CHECK(linkOf(m, "n0 -> n3").propagation == SimTime(1'000'000));
  }
  SECTION("a star matches any text, including dots") {
    Machine m = machine("ndv4", {"nodes=2", "links.node1.*->node1.switch.bandwidth=1e9",
                                 "links.*nic7->*.bandwidth=2e9", "links.*0.*4->*=off"});
    CHECK(rate(m, "node1.gpu7 -> node1.switch") == 1'000'000'000);
    CHECK(rate(m, "node0.gpu7 -> node0.switch") == 300'000'000'000);
    CHECK(rate(m, "node1.switch -> node1.gpu7") == 300'000'000'000);
    CHECK(rate(m, "node0.nic7 -> fabric") == 2'000'000'000);
    CHECK_FALSE(linkOf(m, "node0.gpu4 -> node0.switch").present);
    CHECK_FALSE(linkOf(m, "node0.nic4 -> fabric").present);
    CHECK(linkOf(m, "node1.gpu4 -> node1.switch").present);
  }
  SECTION("in the order of the file") {
    Machine m =
        machine("ring", {"ranks=4", "links.*->*.bandwidth=1e9", "links.n0->n1.bandwidth=2e9",
                         "links.n0->n1=off", "links.n0->n1=on"});
    CHECK(rate(m, "n0 -> n1") == 2'000'000'000);
    CHECK(rate(m, "n1 -> n0") == 1'000'000'000);
    CHECK(linkOf(m, "n0 -> n1").present);
  }
  SECTION("in a file") {
    TemporaryFile file(R"({"base": "dgx1", "name": "limps", "link_changes": [
      {"links": "gpu0<->gpu1", "bandwidth": 25e9, "propagation": 1e-6},
      {"links": "gpu2->gpu3", "present": "off"}]})");
    Machine m = machine(file.name(), {"links.gpu2->gpu6=off"});
    CHECK(rate(m, "gpu1 -> gpu0") == 25'000'000'000);
    CHECK_FALSE(linkOf(m, "gpu2 -> gpu3").present);
    CHECK_FALSE(linkOf(m, "gpu2 -> gpu6").present);
    CHECK(linkOf(m, "gpu3 -> gpu2").present);
  }
  SECTION("names may contain any character") {
    TemporaryFile file(graphWith(R"(, "nodes": [{"name": "a.bandwidth"}, {"name": "b=c"}],
      "links": [{"from": "a.bandwidth", "to": "b=c"}])"));
    Machine m = machine(file.name(),
                        {"links.a.bandwidth->b=c.bandwidth=3e9", "links.b=c->a.bandwidth=off"});
    CHECK(rate(m, "a.bandwidth -> b=c") == 3'000'000'000);
    CHECK_FALSE(linkOf(m, "b=c -> a.bandwidth").present);
  }
  SECTION("errors quote the original text") {
    CHECK(errorOfSet("ring", "links.n0->n2=off") ==
          "ring: error: 'links.n0->n2' is not a link; similar ones are n0->n1, n0->n7, n1->n2\n");
    CHECK(errorOfSet("ndv4", "links.node0.gpu0->node0.swich.bandwidth=3e9") ==
          "ndv4: error: 'links.node0.gpu0->node0.swich' is not a link; similar ones are "
          "node0.gpu0->node0.switch, node0.gpu1->node0.switch, node0.gpu2->node0.switch\n");
    CHECK(errorOfSet("ring", "links.n0->n1.bandwith=3") ==
          "tool: error: --set links.n0->n1.bandwith: a link accepts on or off; its other "
          "properties are '.bandwidth' and '.propagation'\n");
    CHECK(errorOfSet("ring", "links.n0->n1=maybe") ==
          "tool: error: --set links.n0->n1: a link accepts on or off; its other properties are "
          "'.bandwidth' and '.propagation'\n");
    CHECK(errorOfSet("ring", "links.n0->n1.bandwidth=-3") ==
          "ring: error: 'links.n0->n1.bandwidth' takes a rate in bytes per second, 0 for no "
          "limit\n");
    CHECK(errorOfSet("ring", "links.->=off") ==
          "ring: error: 'links.->' is not of the form NODE->NODE or NODE<->NODE\n");
    CHECK(errorOfSet("ring", "links.n0=off") ==
          "ring: error: 'links' is not a known key (did you mean 'link'?)\n");
    CHECK(errorOf(targetRequest("ring", {"ranks=1", "links.a->b=off"})) ==
          "ring: error: 'links.a->b' is not a link: the target has no links\n");
    CHECK(
        errorOf(graphWith(R"(, "shape": "ring", "link_changes": [{"links": "n0->n1",
      "speed": 1}])")) ==
        "FILE:2:7: error: 'links.n0->n1.speed' is not a known key; the keys are bandwidth, links, "
        "present, propagation\n");
    CHECK(errorOf(graphWith(R"(, "shape": "ring", "link_changes": [{"present": "off"}])")) ==
          R"(
          FILE:1:68: error: 'link_changes[0].links' is missing
          FILE:1:68: error: 'links.' is not of the form NODE->NODE or NODE<->NODE
          )"_lines);
  }
}

namespace {
/// All properties of a machine, as text.
std::string everythingOf(const Machine &m) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto limit = [&](std::optional<uint32_t> n) { os << (n ? std::to_string(*n) : "none") << ' '; };
  auto time = [&](SimTime t) { os << t.picoseconds() << "ps "; };
  auto rate = [&](Bandwidth b) { os << b.bytesPerSecond() << "B/s "; };
  os << m.name << '\n' << m.description << '\n' << m.network << '\n';
  limit(m.pe.streams);
  for (const CycleEngine &engine : {m.pe.math, m.pe.copy}) {
    time(engine.cycle);
    os << engine.bytesPerCycle << ' ';
  }
  time(m.pe.dispatch);
  time(m.pe.localDispatch);
  rate(m.pe.threadblockRate);
  rate(m.pe.dmaRate);
  os << '\n'
     << m.queue.slots << ' ' << m.queue.slotSize.count() << ' ' << m.queue.creditSize.count() << ' '
     << m.queue.creditBlocksReceiver << ' ';
  for (const SlotAccess &access : {m.queue.write, m.queue.read}) {
    time(access.latency);
    rate(access.rate);
    rate(access.secondRate);
  }
  os << '\n';
  for (std::optional<uint32_t> n :
       {m.limits.channels, m.limits.threadblocks, m.limits.stepsPerThreadblock, m.limits.count,
        m.limits.queuePairs})
    limit(n);
  time(m.launch);
  os << '\n';
  for (const Node &node : m.nodes()) {
    os << node.name << ' ';
    time(node.overhead);
  }
  for (uint32_t l = 0; l < m.links().size(); ++l) {
    os << '\n' << m.linkName(LinkId(l)) << ' ' << m.links()[l].present << ' ';
    rate(m.links()[l].bandwidth);
    time(m.links()[l].propagation);
  }
  for (const GridLevel &level : m.geometry().levels)
    os << '\n'
       << level.name << ' ' << gridKindName(level.kind) << ' ' << level.width << ' '
       << level.height;
  SmallVector<LinkId, 64> route;
  for (uint32_t probe = 0; probe < 4 * m.numEndpoints(); ++probe) {
    uint32_t src = probe % m.numEndpoints(), dst = probe * 7 / 3 % m.numEndpoints();
    route.clear();
    if (src != dst)
      m.route(EndpointId(src), EndpointId(dst), route);
    os << '\n' << m.endpointNode(EndpointId(src)).index();
    for (LinkId link : route)
      os << ' ' << link.index();
  }
  return text;
}
} // namespace

TEST_CASE("a resolved target gives the same machine", "[target]") {
  auto check = [](const std::string &name, std::vector<std::string> overrides,
                  std::optional<uint32_t> ranks) {
    INFO(name);
    std::string first = resolvedTarget(targetRequest(name, overrides, ranks));
    TemporaryFile file(first);
    // For any number of ranks.
    CHECK(resolvedTarget(targetRequest(file.name(), {}, 3)) == first);
    CHECK(resolvedTarget(targetRequest(file.name())) == first);
    CHECK(everythingOf(machine(file.name(), {}, 3)) ==
          everythingOf(machine(name, overrides, ranks)));
    return first;
  };
  for (const auto &[name, description] : listTargets(CCLC_TARGET_DIR)) {
    check(name, {}, {});
    check(name,
          {"launch=1.5e-9", "pe.math.cycle=3.333e-9", "pe.math.bytes_per_cycle=7",
           "links.*0->*.bandwidth=1e9", "links.*->*2*.propagation=1.234567e-6"},
          6);
    check(name, {"pe.streams=null", "limits.channels=null"}, 10);
  }
  check("mesh2d", {"width=3", "height=2"}, 4);
  check("ahbm-6sip-mesh", {"sips.count=4", "sips.width=null", "sips.height=null"}, {});
  check("ahbm", {"ipcq.slot_memory=sram", "seconds_per_metre=1.1e-8", "noc.router_pitch=0.0031"},
        {});
  TemporaryFile list(graphWith(R"(, "// nodes": "two", "nodes": [{"name": "a", "overhead": 1e-9},
    {"name": "b", "endpoint": "off"}, {"name": "\u00e9"}], "links": [{"from": "a", "to": "b"},
    {"from": "b", "to": "\u00e9", "duplex": "off", "bandwidth": 123456789, "propagation": 1e-12}])"));
  std::string text = check(list.name(), {}, {});
  CHECK(StringRef(text).contains(R"("nodes": [
    {
      "name": "a",
      "overhead": 1e-09,
      "endpoint": "on",
      "tier": 0
    },)"));
  CHECK(StringRef(text).contains(R"(
    {
      "from": "a",
      "to": "b",
      "duplex": "on",
      "bandwidth": 0,
      "propagation": 0
    },)"));
  CHECK_FALSE(StringRef(text).contains("//"));
}

TEST_CASE("a resolved target has every key", "[target]") {
  CHECK(StringRef(resolvedTarget(targetRequest("ring", {}, 4))).starts_with(R"({
  "version": 1,
  "name": "ring",
  "description": "Ranks in a ring with links in both directions; one endpoint per rank of the plan",
  "network": "cut-through",
  "runtime": "sim",
  "family": "graph",
  "shape": "ring",
  "ranks": 4,
  "link": {
    "bandwidth": 100000000000,
    "propagation": 1e-06
  },
)"));
  // Keys that a family reads are in the file or null.
  for (const char *target : {"ring", "ndv4", "ahbm", "dgx1"}) {
    std::string text = resolvedTarget(targetRequest(target));
    for (const char *key :
         {"streams", "dispatch", "local_dispatch", "threadblock_bandwidth", "dma_bandwidth",
          "bytes_per_cycle", "slots", "slot_size", "slot_memory", "second_bandwidth", "queue_pairs",
          "launch", "link_changes", "memory"}) {
      INFO(target << ' ' << key);
      CHECK(StringRef(text).contains("\"" + std::string(key) + "\": "));
    }
  }
}

TEST_CASE("keys with null are checked", "[target]") {
  for (const char *start : {"{\"base\": \"ring\", ",
                            "{\"name\": \"g\", \"family\": \"graph\", \"shape\": \"ring\", "}) {
    std::string column = std::to_string(strlen(start) + 1);
    CHECK(errorOf(start + std::string("\"streamz\": null}")) ==
          "FILE:1:" + column + ": error: 'streamz' is not a known key\n");
    CHECK(StringRef(errorOf(start + std::string("\"pe\": {\"streamz\": null}}")))
              .contains("error: 'pe.streamz' is not a known key (did you mean 'streams'?)\n"));
  }
  // A key of the base may be removed, also one that the new family does not have; a known one may
  // be removed twice.
  auto loads = [](const std::string &text) {
    TemporaryFile file(text);
    return machine(file.name());
  };
  Machine other = loads(R"({"base": "ring", "name": "n", "family": "switched", "shape": null,
    "link": null, "queue": {"slots": null, "send_overhead": null}, "protocols": {"LL": null}})");
  CHECK(other.numEndpoints() == 8);
  CHECK(other.queue.slots == 8);
  CHECK(loads(R"({"base": "ring", "link_changes": [
    {"links": "n0->n1", "bandwidth": null, "propagation": null, "present": null}]})")
            .links()[0]
            .present);
  // The hash is that of the target without these keys.
  CHECK(loads(R"({"base": "ring", "name": "n", "launch": null})").stamp.hash ==
        loads(R"({"base": "ring", "name": "n"})").stamp.hash);
}

TEST_CASE("values of another unit are reported once for each key", "[target]") {
  auto reported = [](const std::string &text, std::vector<std::string> overrides = {}) {
    TemporaryFile file(text);
    DiagnosticEngine diags;
    CHECK(succeeded(loadTarget(targetRequest(file.name(), overrides, 2), diags)));
    std::string found = textOf(diags);
    for (size_t at; (at = found.find(file.name())) != std::string::npos;)
      found.replace(at, file.name().size(), "FILE");
    return found;
  };
  std::string rate = "rates are in bytes per second, so that 1 GB/s is 1e9\n";
  std::string time = "times are in seconds, so that 1 us is 1e-6\n";
  CHECK(reported(R"({"base": "ring", "link": {"bandwidth": 50}})") ==
        "FILE:1:27: warning: 'link.bandwidth' is 50 bytes per second: " + rate);
  CHECK(reported(R"({"base": "ring"})", {"link.bandwidth=12.5", "launch=0.5"}) ==
        "FILE: warning: 'link.bandwidth' is 12.5 bytes per second: " + rate +
            "FILE: warning: 'launch' is 0.5 s: " + time);
  CHECK(reported(R"({"base": "ring"})", {"links.n0->n1.bandwidth=25"}) ==
        "FILE: warning: 'links.n0->n1.bandwidth' is 25 bytes per second: " + rate);
  CHECK(reported(R"({"base": "ring", "link": {"bandwidth": 1e6, "propagation": 0.09}})") == "");
  CHECK(reported(R"({"name": "p", "family": "graph", "nodes": [{"name": "a"}, {"name": "b"}],
 "links": [{"from": "a", "to": "b", "bandwidth": 50, "propagation": 1},
  {"from": "a", "to": "b", "bandwidth": 50, "propagation": 1}]})") ==
        "FILE:2:37: warning: 'links[0].bandwidth' is 50 bytes per second: " + rate +
            "FILE:2:54: warning: 'links[0].propagation' is 1 s: " + time);
}

TEST_CASE("every node of a list has a link", "[target]") {
  std::string nodes = R"(, "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}], "links": [)";
  CHECK(errorOf(graphWith(nodes + R"({"from": "a", "to": "b"}])")) ==
        "FILE:1:75: error: 'nodes[2].name' 'c' has no link: add one, or remove the node\n");
  CHECK(errorOf(graphWith(nodes + R"({"from": "b", "to": "c"}])")) ==
        "FILE:1:45: error: 'nodes[0].name' 'a' has no link: add one, or remove the node\n");
  CHECK(errorOf(graphWith(R"(, "nodes": [{"name": "a"}, {"name": "b"},
    {"name": "s", "endpoint": "off"}], "links": [{"from": "a", "to": "b"}])")) ==
        "FILE:2:6: error: 'nodes[2].name' 's' has no link: add one, or remove the node\n");
  // A link that is off is one; one node needs none; links in one direction connect.
  auto warningsOf = [](const std::string &text, std::vector<std::string> overrides = {}) {
    TemporaryFile file(text);
    DiagnosticEngine diags;
    CHECK(succeeded(loadTarget(targetRequest(file.name(), overrides), diags)));
    std::string found = textOf(diags);
    return StringRef(found).split(": ").second.str();
  };
  std::string chain = graphWith(nodes + R"({"from": "a", "to": "b", "duplex": "off"},
    {"from": "c", "to": "b", "duplex": "off"}])");
  CHECK(warningsOf(chain) == "");
  CHECK(warningsOf(chain, {"links.a->b=off"}) == "");
  CHECK(warningsOf(graphWith(R"(, "nodes": [{"name": "a"}])")) == "");
  CHECK(warningsOf(graphWith(R"(, "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"},
    {"name": "d"}], "links": [{"from": "a", "to": "b"}, {"from": "c", "to": "d"}])")) ==
        "warning: 'nodes[2].name' 'c' has no path to 'a': add a link if messages between them are "
        "sent\n");
}
