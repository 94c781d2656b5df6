#!/bin/sh
# Makes Debian packages of the tools, libraries, documents and MPI modules: build/*.deb.
# usage: sh utils/package.sh && apt install ./build/*.deb
set -eu
cd "$(dirname "$0")/.."
sh utils/install_packages.sh package

cmake --preset package > /dev/null
cmake --build --preset package
rm -f build/*.deb
cpack --config build/package/CPackConfig.cmake -B build/package/packages > build/package/cpack.log || {
  cat build/package/cpack.log >&2
  exit 1
}
mv build/package/packages/*.deb build/
ls build/*.deb
