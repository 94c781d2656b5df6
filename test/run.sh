#!/bin/sh
# Builds everything and runs every test, on a fresh Debian 12: about half an hour on two
# cores. CCLC_CORPUS may name a folder with published algorithm files (test/corpus).
set -eu
cd "$(dirname "$0")/.."

sh utils/install_packages.sh test

step() {
  echo
  echo "== $*"
}

step "release build, warnings are errors"
cmake --preset ci > /dev/null
cmake --build --preset ci
step "every public header compiles alone"
cmake --build --preset ci --target all_verify_interface_header_sets
step "all tests"
ctest --preset ci -j 2

step "address and undefined-behaviour sanitizers"
cmake --preset asan > /dev/null
cmake --build --preset asan
CCLC_PROPERTY_PROGRAMS=500 ctest --preset asan -j 2

step "clang, warnings are errors"
cmake --preset clang > /dev/null
cmake --build --preset clang --target cclc ccl-diff ccl-sim ccl-opt

step "the same bytes from every build"
python3 test/determinism/check_determinism.py build/ci/bin build/asan/bin build/clang/bin

echo
echo "all tests passed"
