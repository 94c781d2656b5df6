//===- RocmTest.cpp - Servers from rocm-smi, fabrics from topograph -------===//

#include "Imports.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ImportOptions typed(const char *type) {
  ImportOptions options;
  options.gpu = type;
  return options;
}
} // namespace

TEST_CASE("pairs of one hop over xGMI have a link", "[import]") {
  std::string messages;
  CHECK(linksOf(R"(
    ===== Weight between two GPUs =====
           GPU0         GPU1         GPU2
    GPU0   0            15           30
    GPU1   15           0            15
    GPU2   30           15           0

    ===== Hops between two GPUs =====
           GPU0         GPU1         GPU2
    GPU0   0            1            1
    ===== Link Type between two GPUs =====
           GPU0         GPU1         GPU2
    GPU0   0            XGMI         XGMI
    GPU1   XGMI         0            XGMI
    GPU2   XGMI         XGMI         0

    ===== Numa Nodes =====
    GPU[0] : (Topology) Numa Node: 0
    GPU[0] : (Topology) Numa Affinity: 0
    GPU[1] : (Topology) Numa Node: 0
    GPU[2] : (Topology) Numa Node: 1
    )"_lines,
                typed("mi250"), messages) == R"(
    gpu0 - gpu1 36
    gpu1 - gpu2 36
    gpu0 - cpu0 31
    gpu1 - cpu0 31
    gpu2 - cpu1 31
    cpu0 - cpu1 16
    )"_lines);
  CHECK(messages == "");
}

TEST_CASE("a link that one table row has is dropped", "[import]") {
  std::string messages;
  CHECK(linksOf(R"(
    = Link Type between two GPUs =
         GPU0 GPU1
    GPU0 0    XGMI
    GPU1 PCIE 0
    )"_lines,
                typed("MI300X"), messages) == R"(
    gpu0 - cpu0 63
    gpu1 - cpu0 63
    )"_lines);
  CHECK(messages.find("gpu0 lists 48 GB/s of xGMI links to gpu1, which lists 0 GB/s back") !=
        std::string::npos);
}

TEST_CASE("instances of topograph are a tree", "[import]") {
  ImportOptions options;
  options.nodeRate = 10'000'000'000;
  CHECK(linksOf(R"({"instances": [{"id": "a", "network_layers": ["s1", "top"]},
      {"id": "b", "network_layers": ["s1", "top"]}, {"id": "c", "network_layers": ["s2", "top"]}]})",
                options) == R"(
    a - s1 10
    b - s1 10
    c - s2 10
    s1 - top 20
    s2 - top 10
    )"_lines);
}
