#!/bin/sh
# Makes the site in build/site.
# usage: utils/site.sh [BIN]
#   BIN  folder of the tools, which draw the pictures (default: build/release/bin, which is built)
# Needs utils/install_packages.sh site. Serve it with: python3 -m http.server -d build/site
set -eu
cd "$(dirname "$0")/.."

bin=${1:-}
if [ -z "$bin" ]; then
  cmake --preset release > /dev/null
  cmake --build --preset release --target cclc
  bin=build/release/bin
fi
exec python3 utils/make_site.py --bin "$bin" --output build/site
