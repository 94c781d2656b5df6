#!/bin/sh
# Checks every plan of algorithms.txt, or the named ones: compiles the program with a proof after
# every pass, executes the plan with real data, compares it with its golden file and gates its
# simulated time.
#
# usage: check.sh [--update] [NAME]...
#
# --update accepts changes: it replaces golden files that differ. The tools are searched for in
# $CCLC_BIN, else on PATH; GATES replaces the gates. On GitHub, differences become annotations.
# Exit code: 0 if all checks succeed, 1 if a plan is wrong, differs or trips a gate, 2 if the table
# or a name is invalid.
set -u
# Plans name source files relative to the working directory of cclc, so that golden files do not
# depend on the location of the repository.
cd "$(dirname "$0")" || exit 2
PATH=${CCLC_BIN:+$CCLC_BIN:}$PATH
GATES=${GATES:-time:+2% slots:0 scratch:0}

update=
if [ "${1:-}" = --update ]; then
  update=yes
  shift
fi
mkdir -p build golden
failed=
known=

# check NAME TARGET SIZES PROGRAM-AND-OPTIONS...
check() {
  name=$1 target=$2 sizes=$3 golden=golden/$1.json plan=build/$1.json
  shift 3
  if [ -n "$update" ]; then
    cclc "$@" --verify-each --update-golden "$golden"
    return
  fi
  cclc "$@" --verify-each -o "$plan" &&
    ccl-sim "$plan" --target "$target" --sweep "$sizes" --check-data > "build/$name.txt" || return
  if [ ! -f "$golden" ]; then
    echo "$golden is missing: create it with check.sh --update $name"
    return 1
  fi
  gates=
  for gate in $GATES; do
    gates="$gates --gate $gate"
  done
  # The page of a run on GitHub shows the results of all plans.
  summary=${GITHUB_STEP_SUMMARY:+--summary $GITHUB_STEP_SUMMARY}
  # Annotations at the changed lines.
  [ -z "${GITHUB_ACTIONS:-}" ] || summary="$summary --format=github"
  # Word splitting is intended: one option per word.
  # shellcheck disable=SC2086
  ccl-diff "$golden" "$plan" --target "$target" --sweep "$sizes" $gates $summary --json "build/$name.diff.json" && return
  echo "if this change is intended, accept it with check.sh --update $name"
  return 1
}

while IFS='|' read -r name command target sizes; do
  # Remove surrounding blanks.
  # shellcheck disable=SC2086,SC2116
  name=$(echo $name) target=$(echo $target) sizes=$(echo $sizes)
  case $name in '' | '#'*) continue ;; esac
  if [ -z "$sizes" ]; then
    echo "algorithms.txt: $name: a line has four columns: name | program and options | target | sizes" >&2
    exit 2
  fi
  known="$known $name"
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  echo "== $name"
  # shellcheck disable=SC2086
  check "$name" "$target" "$sizes" $command < /dev/null || failed="$failed $name"
done < algorithms.txt

for name; do
  case "$known " in *" $name "*) ;; *)
    echo "algorithms.txt has no $name; it has$known" >&2
    exit 2 ;;
  esac
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
