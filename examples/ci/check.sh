#!/bin/sh
# Checks every plan of algorithms.txt, or the named ones: compiles the program with a proof after
# every pass, executes the plan with real data, compares it with its golden file and gates its
# simulated time.
#
# usage: check.sh [--update] [NAME]...
#
# --update accepts changes: it replaces golden files that differ. The tools are searched for in
# $CCLC_BIN, else on PATH; GATES replaces the gates. build/report.xml is a report of JUnit; on
# GitHub, errors and differences become annotations, and results a summary on the page of the run.
# Exit code: 0 if all checks succeed, 1 if a plan is wrong, differs or trips a gate, 2 if the table
# or a name is invalid or a tool is missing.
set -u
# Plans name source files relative to the working directory of cclc, so that golden files do not
# depend on the location of the repository.
cd "$(dirname "$0")" || exit 2
PATH=${CCLC_BIN:+$CCLC_BIN:}$PATH
GATES=${GATES:-time:+2% slots:0 scratch:0}
SUMMARY=${GITHUB_STEP_SUMMARY:-}
# The form of messages of all tools.
format=${GITHUB_ACTIONS:+--format=github}

for tool in cclc ccl-sim ccl-diff; do
  command -v $tool > /dev/null || {
    echo "check.sh: $tool is not found: set CCLC_BIN to the folder of the tools" >&2
    exit 2
  }
done

update=
if [ "${1:-}" = --update ]; then
  update=yes
  shift
fi
mkdir -p build golden
failed=
known=
cases=0
failures=0
: > build/cases.xml

# message FILE[:LINE] TEXT: an error of the table or of a golden file
message() {
  if [ -n "$format" ]; then
    line=${1#"${1%%:*}"}
    echo "::error file=${1%%:*}${line:+,line=${line#:}},title=check.sh::$2" >&2
  else
    echo "$1: $2" >&2
  fi
}

# check NAME TARGET SIZES PROGRAM-AND-OPTIONS...
# Sets compared if ccl-diff has compared the plan and written the summary.
check() {
  name=$1 target=$2 sizes=$3 golden=golden/$1.json plan=build/$1.json
  shift 3
  if [ -n "$update" ]; then
    # Word splitting of $format is intended here and below: one option or none.
    # shellcheck disable=SC2086
    cclc "$@" --verify-each --update-golden "$golden" $format
    return
  fi
  # shellcheck disable=SC2086
  cclc "$@" --verify-each -o "$plan" $format &&
    ccl-sim "$plan" --target "$target" --sweep "$sizes" --check-data $format > "build/$name.txt" || return
  if [ ! -f "$golden" ]; then
    message "algorithms.txt:$number" "$golden is missing: create it with check.sh --update $name"
    return 1
  fi
  gates=
  for gate in $GATES; do
    gates="$gates --gate $gate"
  done
  # Word splitting is intended: one option per word.
  # shellcheck disable=SC2086
  ccl-diff "$golden" "$plan" --target "$target" --sweep "$sizes" $gates ${SUMMARY:+--summary "$SUMMARY"} \
    $format --json "build/$name.diff.json"
  code=$?
  case $code in
  0) compared=yes ;;
  1) compared=yes
    echo "if this change is intended, accept it with check.sh --update $name" ;;
  *) message "$golden" "not compared: restore this file, or create it again with check.sh --update $name" ;;
  esac
  return $code
}

# result NAME CODE: adds the test case to the report, and to the summary what ccl-diff has not.
result() {
  cases=$((cases + 1))
  if [ "$2" -eq 0 ]; then
    echo "<testcase classname=\"plans\" name=\"$1\"/>" >> build/cases.xml
    return
  fi
  failed="$failed $1"
  failures=$((failures + 1))
  {
    echo "<testcase classname=\"plans\" name=\"$1\"><failure message=\"exit code $2\">"
    # XML has no control characters.
    tr -d '\000-\010\013-\037' < "build/$1.log" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'
    echo '</failure></testcase>'
  } >> build/cases.xml
  if [ -n "$SUMMARY" ] && [ -z "$compared" ]; then
    # As "file:line: error: text".
    { printf '### %s\n\nNot compared:\n\n' "$1"
      sed -E -e 's/^::([a-z]+) title=[^:]*::/\1: /' \
        -e 's/^::([a-z]+) file=([^,]*),(line=([0-9]+),)?(col=[0-9]+,)?title=[^:]*::/\2:\4: \1: /' \
        -e 's/^([^ ]*):: /\1: /' -e 's/^/    /' "build/$1.log"
      echo
    } >> "$SUMMARY"
  fi
}

number=0
while IFS='|' read -r name command target sizes; do
  number=$((number + 1))
  # Remove surrounding blanks.
  # shellcheck disable=SC2086,SC2116
  name=$(echo $name) target=$(echo $target) sizes=$(echo $sizes)
  case $name in
  '' | '#'*) continue ;;
  *[!A-Za-z0-9_.-]*)
    message "algorithms.txt:$number" "the name '$name' may have letters, digits, '_', '.' and '-' only"
    exit 2 ;;
  esac
  if [ -z "$sizes" ]; then
    message "algorithms.txt:$number" "$name: a line has four columns: name | program and options | target | sizes"
    exit 2
  fi
  case "$known " in *" $name "*)
    message "algorithms.txt:$number" "$name is the name of two lines, which would share a golden file"
    exit 2 ;;
  esac
  known="$known $name"
  if [ $# -gt 0 ]; then
    case " $* " in *" $name "*) ;; *) continue ;; esac
  fi
  echo "== $name"
  compared=
  # shellcheck disable=SC2086
  check "$name" "$target" "$sizes" $command < /dev/null > "build/$name.log" 2>&1
  code=$?
  cat "build/$name.log"
  result "$name" $code
done < algorithms.txt

for name; do
  case "$known " in *" $name "*) ;; *)
    message algorithms.txt "there is no $name; there are$known"
    exit 2 ;;
  esac
done
# The golden file of a line that was removed or renamed is compared with nothing.
for golden in golden/*; do
  name=${golden#golden/}
  case "$known " in *" ${name%.json} "*) continue ;; esac
  [ -e "$golden" ] || continue
  message "$golden" "no line of algorithms.txt has this name: remove the file, or restore the line"
  failed="$failed $golden"
done
{
  echo '<?xml version="1.0" encoding="UTF-8"?>'
  echo "<testsuites><testsuite name=\"plans\" tests=\"$cases\" failures=\"$failures\" errors=\"0\">"
  cat build/cases.xml
  echo '</testsuite></testsuites>'
} > build/report.xml
rm build/cases.xml
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
