#!/bin/sh
# Makes a release: checks it, gives the changelog its section, commits and tags.
# usage: utils/release.sh VERSION [--checks COMMAND]
#   VERSION   such as 0.2.0
#   --checks  what must succeed (default: all tests, and the Debian packages)
# Nothing is published: push the commit and the tag vVERSION to do so.
set -eu
cd "$(dirname "$0")/.."

version=${1:-}
checks='sh test/run.sh --all && sh utils/package.sh'
case $# in
  1) ;;
  3) [ "$2" = --checks ] || version=; checks=$3 ;;
  *) version= ;;
esac
if ! echo "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+'; then
  sed -n '2,6s/^# \?//p' "$0" >&2
  exit 2
fi

fail() {
  echo "release.sh: error: $*" >&2
  exit 1
}
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed"
! git rev-parse -q --verify "refs/tags/v$version" > /dev/null || fail "the tag v$version exists"
grep -qx '## Unreleased' CHANGELOG.md || fail "CHANGELOG.md has no section '## Unreleased'"

old=$(sed -n 's/^project(cclc VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
sed -i "s/^project(cclc VERSION [0-9.]*/project(cclc VERSION $version/" CMakeLists.txt
number=1
for part in MAJOR MINOR PATCH; do
  sed -i "s/^\(#define CCLC_VERSION_$part\) .*/\1 $(echo "$version" | cut -d. -f$number)/" include/cclc/cclc.h
  number=$((number + 1))
done
# Packages are found by minor version.
sed -i "s/find_package(cclc ${old%.*}\([ )]\)/find_package(cclc ${version%.*}\1/" \
  examples/embed/CMakeLists.txt examples/embed/README.md docs/Api.md docs/Installing.md
sed -i "s/^## Unreleased\$/## Unreleased\n\n## $version - $(date -u +%Y-%m-%d)/" CHANGELOG.md

if ! sh -c "$checks"; then
  git checkout -q -- .
  fail "the checks failed; nothing is changed"
fi
notes=$(awk -v heading="## $version - " \
  'index($0, heading) == 1 { on = 1; next } /^## / { on = 0 } on' CHANGELOG.md)
git commit -qam "[Release] Version $version"
git tag -a --cleanup=whitespace -m "cclc $version

$notes" "v$version"
echo "committed and tagged v$version"
