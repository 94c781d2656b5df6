#!/bin/sh
# Builds everything and runs every test, on a fresh Debian 12.
# usage: test/run.sh [--quick]
#   --quick  the release build and the tests of the tier `quick`: two minutes after a build
# CCLC_CORPUS may name a folder with published algorithm files (test/corpus).
set -eu
cd "$(dirname "$0")/.."

case ${1:-} in
  "") quick= ;;
  --quick) quick=1 ;;
  *) echo "usage: $0 [--quick]" >&2; exit 2 ;;
esac

sh utils/install_packages.sh test

began=$(date +%s)
step() {
  echo
  echo "== $* (after $(($(date +%s) - began)) s)"
}

step "release build, warnings are errors"
cmake --preset ci > /dev/null
cmake --build --preset ci
if [ -n "$quick" ]; then
  step "quick tests"
  ctest --preset ci -j 2 -L quick
  step "all quick tests passed"
  exit
fi
step "all tests"
ctest --preset ci -j 2

step "instructions of compilations, and their ratio to those stored"
python3 test/benchmark/instructions.py build/ci/bin

step "clang with address and undefined-behaviour sanitizers, warnings are errors"
cmake --preset asan > /dev/null
cmake --build --preset asan
step "every public header compiles alone"
cmake --build --preset asan --target all_verify_interface_header_sets
step "tests with sanitizers"
CCLC_PROPERTY_PROGRAMS=500 ctest --preset asan -j 2

step "clang-tidy, latest changes first"
cmake --preset tidy > /dev/null
python3 utils/run_tidy.py build/tidy --seconds 90

step "the same bytes from both builds"
python3 test/determinism/check_determinism.py build/ci/bin build/asan/bin

step "all tests passed"
