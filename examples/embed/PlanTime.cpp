//===- PlanTime.cpp - A program that uses the libraries of cclc -----------===//
//
// usage: plan-time PLAN TARGET BYTES
//
// Proves a plan and prints its simulated time with 32-bit floating-point data. The project is built
// against an installed cclc: by CMake (CMakeLists.txt), or with the options of pkg-config
// (README.md).
//
//===----------------------------------------------------------------------===//

#include "cclc/cclc.h"

#include <cstdlib>
#include <iostream>

using namespace cclc::api;

template <class T> static int failed(const Result<T> &result) {
  std::cerr << result.text();
  return static_cast<int>(result.failure());
}

int main(int argc, char **argv) {
  uint64_t bytes = argc == 4 ? std::strtoull(argv[3], nullptr, 10) : 0;
  if (bytes == 0) {
    std::cerr << "usage: plan-time PLAN TARGET BYTES\n";
    return 2;
  }
  Result<Plan> plan = Plan::load(argv[1]);
  if (!plan)
    return failed(plan);
  Toolchain toolchain(TARGETS);
  Result<Simulation> simulation = toolchain.simulate(*plan, {argv[2]}, {.bytes = {bytes}});
  if (!simulation)
    return failed(simulation);
  std::cout << simulation->sizes.front().picoseconds << " ps\n";
  return 0;
}
