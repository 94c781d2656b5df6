# all.sh PROGRAM OPTIONS...: compiles PROGRAM with each string of options and runs it.
set -eu
program=$1
shift
for options in "$@"; do
  for buffers in in_place out_of_place both; do
    # Some programs support one placement only.
    only=$(cclc describe "$program" | sed -n 's/.*buffers = \([a-z_]*\) *\1$/\1/p')
    if [ -n "$only" ] && [ $buffers != "$only" ]; then
      continue
    fi
    slots=$(echo "$options" | sed -n 's/.*--slots \([^ ]*\).*/--slots \1/p')
    # shellcheck disable=SC2086
    cclc "$program" $options -p buffers=$buffers --verify-each -o plan.json
    # shellcheck disable=SC2086
    ccl-sim plan.json --target torus2d $slots --bytes 1000 --dtype i32 --check-data > /dev/null
    # shellcheck disable=SC2086
    ccl-sim plan.json --target fully-connected $slots --bytes 4K --dtype bf16 --seed 5 > /dev/null
  done
done
