#!/bin/sh
# Builds everything and runs the tests, on a fresh Debian 12.
# usage: test/run.sh [--quick | --all]
#   (none)   the release build and the functional tests: 25 minutes from nothing on two processors
#   --quick  the release build and the tests of the tier `quick`: two minutes after a build
#   --all    also the long tests, the second compiler, sanitizers, clang-tidy and the same bytes from both builds:
#            an hour from nothing
# CCLC_CORPUS may name a folder with published algorithm files (test/corpus).
set -eu
cd "$(dirname "$0")/.."

case $#:${1:-} in
  0: | 1:--quick | 1:--all) ;;
  *) echo "usage: $0 [--quick | --all]" >&2; exit 2 ;;
esac

sh utils/install_packages.sh test
exec python3 test/run_steps.py "$@"
