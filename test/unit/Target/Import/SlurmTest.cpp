//===- SlurmTest.cpp - Fabrics from files of SLURM ------------------------===//

#include "Imports.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ImportOptions rates(uint64_t host, std::optional<uint64_t> uplink = std::nullopt) {
  ImportOptions options;
  options.nodeRate = host * 1'000'000'000;
  if (uplink)
    options.uplinkRate = *uplink * 1'000'000'000;
  return options;
}
} // namespace

TEST_CASE("a switch has as much capacity up as down, unless it is stated", "[import]") {
  const std::string tree = R"(
    # comment
    switchname=spine switches=leaf[1-2] LinkSpeed=7
    SwitchName=leaf1 \
      Nodes=n[1-3]   # comment
    SWITCHNAME=leaf2 NODES=n[09-10]
    )"_lines;
  CHECK(linksOf(tree, rates(10)) == R"(
    n1 - leaf1 10
    n2 - leaf1 10
    n3 - leaf1 10
    n09 - leaf2 10
    n10 - leaf2 10
    leaf1 - spine 30
    leaf2 - spine 20
    )"_lines);
  CHECK(linksOf(tree, rates(10, 5)).find("leaf1 - spine 5\nleaf2 - spine 5\n") !=
        std::string::npos);
}

TEST_CASE("several parents share the capacity", "[import]") {
  CHECK(linksOf(R"(
    SwitchName=leaf1 Nodes=a,b
    SwitchName=leaf2 Nodes=c,d
    SwitchName=s1 Switches=leaf[1-2]
    SwitchName=s2 Switches=leaf[1-2]
    )"_lines,
                rates(10))
            .find("leaf1 - s1 10\nleaf1 - s2 10\nleaf2 - s1 10\nleaf2 - s2 10\n") !=
        std::string::npos);
}

TEST_CASE("blocks are connected by one switch", "[import]") {
  const std::string expected = R"(
    n1 - b1 10
    n2 - b1 10
    n3 - b2 10
    n4 - b2 10
    b1 - fabric 20
    b2 - fabric 20
    )"_lines;
  std::string messages;
  CHECK(linksOf("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n", rates(10),
                messages) == expected);
  CHECK(messages == "'BlockSizes' is ignored: a target has no such value\n");
  CHECK(linksOf(R"(
    ---
    - topology: blocks
      cluster_default: false
      block:
        block_sizes: [2, 4]
        blocks:
          - block: b1
            nodes: n[1-2]
          - {block: b2, nodes: "n[3-4]"}
    )"_lines,
                rates(10)) == expected);
}

TEST_CASE("the default topology is imported", "[import]") {
  const std::string yaml = R"(
    - topology: flat
      flat: true
    - topology: other
      tree:
        switches: []
    - topology: tree
      cluster_default: True
      tree:
        switches:
          - switch: root
            children: s[1-2]
          - switch: s1
            nodes: a,b
          - switch: s2
            nodes: c
    )"_lines;
  std::string messages;
  CHECK(linksOf(yaml, rates(10), messages) == R"(
    a - s1 10
    b - s1 10
    c - s2 10
    s1 - root 20
    s2 - root 10
    )"_lines);
  CHECK(messages == "has 3 topologies, of which 'tree' is imported\n");
  ImportOptions options = rates(10);
  options.hosts = {"x", "y"};
  CHECK(linksOf("- topology: f\n  flat: true\n", options) == R"(
    x - fabric 10
    y - fabric 10
    )"_lines);
}
