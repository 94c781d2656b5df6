#!/bin/sh
# Rewrites the texts that test/lit/Help compares, after a change on purpose.
# usage: utils/update_help.sh BINDIR
set -eu
out=$(dirname "$0")/../test/lit/Help/Inputs
PATH=$1:$PATH
cclc --help > "$out/cclc.txt"
cclc list --help > "$out/cclc-list.txt"
cclc convert --help > "$out/cclc-convert.txt"
cclc synth --help > "$out/cclc-synth.txt"
cclc targets --help > "$out/cclc-targets.txt"
cclc targets describe --help > "$out/cclc-targets-describe.txt"
cclc targets check --help > "$out/cclc-targets-check.txt"
cclc targets import --help > "$out/cclc-targets-import.txt"
ccl-sim --help > "$out/ccl-sim.txt"
for verb in verify lint why dma concurrent; do
  ccl-sim $verb --help > "$out/ccl-sim-$verb.txt"
done
ccl-bound --help > "$out/ccl-bound.txt"
ccl-run --help > "$out/ccl-run.txt"
ccl-tune --help > "$out/ccl-tune.txt"
ccl-diff --help > "$out/ccl-diff.txt"
ccl-opt --help > "$out/ccl-opt.txt"
ccl-opt --list-passes > "$out/passes.txt"
cclc list > "$out/list.txt"
cclc list --json > "$out/list.json"
cclc targets > "$out/targets.txt"
cclc targets --json > "$out/targets.json"
cclc describe allreduce_hierarchical > "$out/describe.txt"
cclc describe allreduce_lrab --json > "$out/describe.json"
