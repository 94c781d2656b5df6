//===- MatrixTest.cpp - Servers from nvidia-smi topo -m -------------------===//

#include "Imports.h"

using namespace cclc;
using namespace cclc::test;

namespace {
ImportOptions gpus(const char *type) {
  ImportOptions options;
  options.gpu = type;
  return options;
}
} // namespace

TEST_CASE("distances are those of a tree of bridges", "[import]") {
  ImportOptions options = gpus("V100");
  options.nodes = 2;
  options.nicRate = 25'000'000'000;
  CHECK(linksOf("\tGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tCPU Affinity\n"
                "GPU0\t X \tPIX\tPXB\tSYS\tPIX\t0-7\n"
                "GPU1\tPIX\t X \tPXB\tSYS\tPIX\t0-7\n"
                "GPU2\tPXB\tPXB\t X \tSYS\tPXB\t0-7\n"
                "GPU3\tSYS\tSYS\tSYS\t X \tSYS\t8-15\n"
                "mlx5_0\tPIX\tPIX\tPXB\tSYS\t X \n",
                options)
            .substr(0, 400)
            .find(R"(
    node0.bridges0 - node0.cpu0 15
    node0.bridge0 - node0.bridges0 15
    node0.gpu0 - node0.bridge0 15
    node0.gpu1 - node0.bridge0 15
    node0.gpu2 - node0.bridges0 15
    node0.gpu3 - node0.cpu1 15
    node0.mlx5_0 - node0.bridge0 15
    node0.cpu0 - node0.cpu1 10
    node0.mlx5_0 - fabric 25
    )"_lines) == 0);
}

TEST_CASE("escape sequences and spaces in place of tabs are skipped", "[import]") {
  CHECK(linksOf("        \x1b[4mGPU0    GPU1    CPU Affinity    NUMA Affinity\x1b[0m\n"
                "GPU0     X      NV4     0-15    0\n"
                "GPU1    NV4      X      16-31   1\n",
                gpus("A100")) == R"(
    gpu0 - gpu1 100
    gpu0 - cpu0 31
    gpu1 - cpu1 31
    cpu0 - cpu1 10
    )"_lines);
}

TEST_CASE("more links than a GPU has lead to NVSwitches", "[import]") {
  const std::string matrix = "\tGPU0\tGPU1\tGPU2\n"
                             "GPU0\tX\tNV6\tNV6\n"
                             "GPU1\tNV6\tX\tNV6\n"
                             "GPU2\tNV6\tNV6\tX\n";
  // 2 x 6 links are those of an A100, but not of a V100, which has 6.
  CHECK(linksOf(matrix, gpus("a100")).find("gpu0 - gpu1 150\n") == 0);
  DiagnosticEngine diags;
  FailureOr<std::string> target = importMachine({"file", matrix}, gpus("V100"), diags);
  REQUIRE(succeeded(target));
  const nlohmann::json read = nlohmann::json::parse(*target);
  CHECK(read["family"] == "switched");
  CHECK(read["node_link"]["bandwidth"] == 150'000'000'000);
}

TEST_CASE("the smaller number of links of both directions counts", "[import]") {
  std::string messages;
  CHECK(linksOf("\tGPU0\tGPU1\nGPU0\tX\tNV2\nGPU1\tNV3\tX\n", gpus("V100"), messages)
            .find("gpu0 - gpu1 50\n") == 0);
  CHECK(messages.find("gpu0 lists 50 GB/s of NVLinks to gpu1, which lists 75 GB/s back: the lower "
                      "rate is used\n") != std::string::npos);
}
