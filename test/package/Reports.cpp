//===- Reports.cpp - The reports of the interface, as files ---------------===//
//
// usage: reports TARGETS OLD NEW
//
// check_install.py compares each file, which is named after a tool, with what the tool writes.
//
//===----------------------------------------------------------------------===//

#include "cclc/cclc.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace cclc::api;

template <class T> static T must(Result<T> result) {
  if (!result) {
    std::cerr << result.text();
    std::exit(1);
  }
  return *std::move(result);
}

static void write(const std::string &tool, const Report &report) {
  std::ofstream(tool + ".json") << report.json();
  std::ofstream(tool + ".txt") << report.text();
}

int main(int, char **argv) {
  Toolchain toolchain(argv[1]);
  Plan before = must(Plan::load(argv[2])), after = must(Plan::load(argv[3]));
  Target machine{"ring", {"link.bandwidth=50e9"}};
  std::vector<uint64_t> sizes = {1 << 12, 1 << 16, 1 << 20};
  write("verify", after.verify().report);
  write("verify-on", must(toolchain.verify(after, machine, {.bytes = sizes})).report);
  write("simulate", must(toolchain.simulate(after, machine,
                                            {.bytes = sizes,
                                             .type = "bf16",
                                             .op = "max",
                                             .network = "fifo",
                                             .slots = 4,
                                             .repeat = 2,
                                             .checkData = true}))
                        .report);
  write("bound",
        must(toolchain.bound(machine,
                             {.collective = "broadcast", .ranks = 8, .root = 3, .bytes = sizes}))
            .report);
  write("bound-plan", must(toolchain.bound(after, machine, {.bytes = sizes})).report);
  write("diff", must(toolchain.diff(before, after,
                                    {.targets = {{"ring"}, {"fully-connected"}},
                                     .bytes = sizes,
                                     .types = {"f16", "f32"},
                                     .gates = {"time:+2%", "steps:0"}}))
                    .report);
}
