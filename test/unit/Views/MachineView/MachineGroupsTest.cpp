//===- MachineGroupsTest.cpp - The parts of machines ----------------------===//

#include "Plans.h"
#include "cclc/Views/MachineView/MachineLayout.h"

using namespace cclc;
using namespace cclc::test;

namespace {
Machine graph(const std::string &keys) {
  TemporaryFile file(R"({"name": "graph", "family": "graph", )" + keys + "}");
  return machine(file.name());
}

/// "name[first+count] in parent", in the order of the groups.
std::vector<std::string> textsOf(const MachineGroups &groups) {
  std::vector<std::string> texts;
  for (const MachineGroups::Group &group : groups.groups)
    texts.push_back(group.name + "[" + std::to_string(group.first) + "+" +
                    std::to_string(group.count) + "]" +
                    (group.parent ? " in " + groups.groups[*group.parent].name : ""));
  return texts;
}

/// By the name of a node: the name of its group, "" for none.
std::string groupOf(const Machine &machine, const MachineGroups &groups, const std::string &name) {
  for (size_t n = 0; n < machine.nodes().size(); ++n)
    if (machine.nodes()[n].name == name)
      return groups.ofNode[n] ? groups.groups[*groups.ofNode[n]].name : "";
  FAIL("no node " << name);
  return "";
}

constexpr const char *tree = R"("shape": "fat_tree", "ranks": 16, "tiers": [
  {"down": 4, "up": 2}, {"down": 2, "up": 2}, {"down": 2}])";
} // namespace

TEST_CASE("the subtrees of a fat tree are groups") {
  Machine target = graph(tree);
  MachineGroups groups = findGroups(target);
  CHECK(textsOf(groups) ==
        std::vector<std::string>{"tier1 0[0+8]", "tier1 1[8+8]", "tier0.0[0+4] in tier1 0",
                                 "tier0.1[4+4] in tier1 0", "tier0.2[8+4] in tier1 1",
                                 "tier0.3[12+4] in tier1 1"});
  CHECK(groupOf(target, groups, "n5") == "tier0.1");
  CHECK(groupOf(target, groups, "tier0.3") == "tier0.3");
  CHECK(groupOf(target, groups, "tier1.1") == "tier1 0");
  CHECK(groupOf(target, groups, "tier2.0") == "");
  CHECK(arrangementOf(target, groups) == Arrangement::Tiers);
}

TEST_CASE("tiers and groups of a list follow from its links") {
  auto nodes = [](const std::string &level) {
    return R"("shape": "list", "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"},
      {"name": "left", "endpoint": "off"}, {"name": "right", "endpoint": "off"},
      {"name": "spine0", "endpoint": "off"}, {"name": "spine1", "endpoint": "off"}],)" +
           level + R"("links": [{"from": "a", "to": "left"}, {"from": "b", "to": "left"},
      {"from": "c", "to": "right"}, {"from": "d", "to": "right"},
      {"from": "left", "to": "spine0"}, {"from": "left", "to": "spine1"},
      {"from": "right", "to": "spine0"}, {"from": "right", "to": "spine1"}])";
  };
  Machine target = graph(nodes(""));
  MachineGroups groups = findGroups(target);
  CHECK(textsOf(groups) == std::vector<std::string>{"left[0+2]", "right[2+2]"});
  CHECK(groups.tiers == std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 2, 2});
  CHECK(groupOf(target, groups, "spine1") == "");
}

TEST_CASE("hosts are below the switches of tier 1 of a file") {
  Machine target =
      graph(R"("nodes": [{"name": "a0"}, {"name": "a1"}, {"name": "b0"}, {"name": "b1"},
      {"name": "c0"}, {"name": "c1"}, {"name": "d0"}, {"name": "d1"},
      {"name": "a", "endpoint": "off"}, {"name": "b", "endpoint": "off"},
      {"name": "c", "endpoint": "off"}, {"name": "d", "endpoint": "off"},
      {"name": "left", "endpoint": "off", "tier": 1}, {"name": "right", "endpoint": "off", "tier": 1},
      {"name": "spine", "endpoint": "off", "tier": 2}],
    "links": [{"from": "a0", "to": "a"}, {"from": "a1", "to": "a"}, {"from": "b0", "to": "b"},
      {"from": "b1", "to": "b"}, {"from": "c0", "to": "c"}, {"from": "c1", "to": "c"},
      {"from": "d0", "to": "d"}, {"from": "d1", "to": "d"}, {"from": "a", "to": "left"},
      {"from": "b", "to": "left"}, {"from": "c", "to": "right"}, {"from": "d", "to": "right"},
      {"from": "left", "to": "spine"}, {"from": "right", "to": "spine"}])");
  MachineGroups groups = findGroups(target);
  CHECK(groups.tiers == std::vector<uint32_t>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3});
  CHECK(textsOf(groups) == std::vector<std::string>{"left[0+4]", "right[4+4]", "a[0+2] in left",
                                                    "b[2+2] in left", "c[4+2] in right",
                                                    "d[6+2] in right"});
  CHECK(groupOf(target, groups, "left") == "left");
}

TEST_CASE("nodes of GPUs have the part of the names that their members share") {
  Machine target = machine("dgx-h100", {"nodes=3"});
  MachineGroups groups = findGroups(target);
  CHECK(textsOf(groups) == std::vector<std::string>{"node0[0+8]", "node1[8+8]", "node2[16+8]"});
  CHECK(groupOf(target, groups, "node1.nic4") == "node1");
  CHECK(groupOf(target, groups, "node2.switch") == "node2");
  CHECK(groupOf(target, groups, "fabric") == "");
}

TEST_CASE("cubes are groups in their SIPs") {
  Machine target = machine("ahbm");
  MachineGroups groups = findGroups(target);
  std::vector<std::string> texts = textsOf(groups);
  REQUIRE(texts.size() == 2 + 2 * 16);
  CHECK(texts[1] == "sip1[128+128]");
  CHECK(texts[2 + 16] == "sip1.cube0[128+8] in sip1");
  CHECK(groupOf(target, groups, "sip0.cube3.pe5.pe_dma") == "sip0.cube3");
}

TEST_CASE("many members are divided into blocks") {
  // 64 nodes: 8 blocks of 8.
  std::vector<std::string> texts = textsOf(findGroups(machine("dgx-h100", {"nodes=64"})));
  REQUIRE(texts.size() == 8 + 64);
  CHECK(texts[1] == "node8 to node15[64+64]");
  CHECK(texts[8 + 9] == "node9[72+8] in node8 to node15");
  // The last block may be smaller. A single endpoint is no group.
  texts = textsOf(findGroups(machine("ring", {}, 37)));
  CHECK(texts == std::vector<std::string>{"n0 to n7[0+8]", "n8 to n15[8+8]", "n16 to n23[16+8]",
                                          "n24 to n31[24+8]", "n32 to n36[32+5]"});
  CHECK(findGroups(machine("ring", {}, 33)).groups.size() == 4);
  CHECK(findGroups(machine("ring", {}, 32)).groups.empty());
  for (uint32_t n : {1000u, 4096u, 65536u}) {
    MachineGroups groups = findGroups(machine("ring", {}, n));
    std::vector<uint32_t> members(groups.groups.size() + 1);
    for (const MachineGroups::Group &group : groups.groups)
      ++members[group.parent ? *group.parent + 1 : 0];
    for (OptionalIndex group : groups.ofNode)
      ++members[group ? *group + 1 : 0];
    CHECK(*std::max_element(members.begin(), members.end()) <= MachineGroups::mostSiblings);
  }
}

TEST_CASE("arrangements") {
  auto of = [](const Machine &machine) { return arrangementOf(machine, findGroups(machine)); };
  CHECK(of(machine("ahbm")) == Arrangement::Placed);
  CHECK(of(machine("torus2d", {}, 1024)) == Arrangement::Placed);
  CHECK(of(machine("ring", {}, 128)) == Arrangement::Placed);
  CHECK(of(machine("ring", {}, 129)) == Arrangement::Circle);
  CHECK(of(machine("ndv4", {}, 16)) == Arrangement::Tiers);
  constexpr const char *dragonfly = R"("dragonfly": {"groups": 3, "routers": 2, "endpoints": 2})";
  Machine flat = graph(std::string(R"("shape": "dragonfly", )") + dragonfly);
  CHECK(of(flat) == Arrangement::Circle);
  CHECK(textsOf(findGroups(flat))[4] == "group0.router1[2+2] in group 0");
  // Between nodes of GPUs, the routers are a tier.
  TemporaryFile file(std::string(R"({"name": "far", "base": "dgx-h100", "nodes": 1, "fabric": {
      "shape": "dragonfly", "dragonfly": {"groups": 2, "routers": 2, "endpoints": 2}}})"));
  CHECK(of(machine(file.name())) == Arrangement::Tiers);
}
