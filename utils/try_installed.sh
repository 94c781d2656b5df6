#!/bin/sh
# Installs Debian packages of cclc on a bare Debian 12, and does what a user does with them. Runs
# inside the root that utils/try_debian.sh makes.
# usage: sh try_installed.sh FOLDER-OF-PACKAGES
set -eu
debs=$1
cd /root

echo "-- the tools, with the compiler that cclc recommends, a pager of manuals and the shells"
apt-get update -qq
apt-get install -y -qq --no-install-recommends g++ man-db bash-completion zsh "$debs"/cclc_*.deb "$debs"/cclc-doc_*.deb > apt.log
cp /usr/share/doc/cclc/examples/broadcast_rings.cpp .
cclc broadcast_rings.cpp --target ahbm -o broadcast.json
ccl-sim verify broadcast.json
cclc allreduce_ring --ranks 8 -o ring.json
ccl-sim ring.json --target ring --bytes 64K --check-data --report report.html > /dev/null
ccl-bound ring allreduce --ranks 8 > /dev/null
ccl-run ring.json --bytes 64K --check-data > /dev/null
ccl-tune ring allreduce --ranks 4 --sizes 1K:4K:4 --programs allreduce_ring -o tuned > /dev/null
ccl-diff ring.json ring.json > /dev/null
grep -q CCLC_PROGRAM /usr/share/doc/cclc/README.md

for tool in cclc ccl-bound ccl-diff ccl-opt ccl-run ccl-sim ccl-tune; do
  man "$tool" | head -n 20 | grep -q "$tool - " || { echo "no manual of $tool" >&2; exit 1; }
  bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader "$1"; complete -p "$1"' bash "$tool" > /dev/null
  zsh -c 'autoload -U compinit; compinit -u; (( $+_comps[$1] ))' zsh "$tool" || { echo "no completion of $tool in zsh" >&2; exit 1; }
  test -s "/usr/share/fish/vendor_completions.d/$tool.fish"
done

echo "-- the libraries, and a project that uses them"
apt-get install -y -qq --no-install-recommends cmake make pkg-config "$debs"/libcclc-dev_*.deb > apt.log
cp -r /usr/share/doc/cclc/examples/embed .
cmake -S embed -B made > cmake.log
cmake --build made > build.log
expected=$(made/plan-time ring.json ring 1048576)
words=$(pkg-config --cflags --libs cclc)
# shellcheck disable=SC2086
c++ embed/PlanTime.cpp $words "-DTARGETS=\"$(pkg-config --variable=targetsdir cclc)\"" -o plan-time
[ "$(./plan-time ring.json ring 1048576)" = "$expected" ]
echo "allreduce 4 2048" | made/best-plan tuned/portfolio.json

echo "-- the modules for MPI"
apt-get install -y -qq --no-install-recommends openmpi-bin "$debs"/cclc-openmpi_*.deb > apt.log
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
  mpirun --oversubscribe -n 8 ccl-run ring.json --bytes 64K --check-data > /dev/null

echo "-- the module of Python"
apt-get install -y -qq --no-install-recommends "$debs"/python3-cclc_*.deb > apt.log
printf 'import cclc\n@cclc.program("broadcast")\ndef star(p):\n    for r in range(p.ranks):\n        p.chunk(0, cclc.Input, 0).copy(r, cclc.Output, 0)\n' > star.py
cclc star.py --ranks 3 -o star.json
python3 -c 'import cclc; print(cclc.compile("allreduce_ring", ranks=8).simulate("ring")[0])'

echo "-- removal"
apt-get remove -y -qq cclc > apt.log
left=$(find /usr -path /usr/share/doc -prune -o -name '*ccl-sim*' -print -o -path '*/cclc/*' -print)
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }
