#!/bin/sh
# Installs what is missing of the Debian 12 packages that the project needs.
# usage: utils/install_packages.sh build|package|test|dev|site
#   build    to build the tools
#   package  to make Debian packages of them, with the modules of both MPI libraries
#   test     to build and run all tests as well
#   dev      formatting and benchmarks as well
#   site     to make the site (utils/site.sh)
set -eu

build="g++ cmake ninja-build llvm-19-dev zlib1g-dev libzstd-dev nlohmann-json3-dev libpugixml-dev
libboost-dev libcli11-dev libprotozero-dev catch2 python3"
mpi="pkg-config openmpi-bin libopenmpi-dev mpich libmpich-dev"
python="pybind11-dev python3-dev"
packaging="go-md2man dpkg-dev file $python $mpi"
test="go-md2man zsh fish ccache clang-19 clang-tidy-19 libclang-rt-19-dev graphviz libsimgrid-dev
chromium chromium-driver python3-jsonschema git pre-commit
protobuf-compiler valgrind gfortran hpcc scalapack-mpi-test $python python3-numpy python3-pytest $mpi"
site="mkdocs mkdocs-material graphviz"
dev="clang-format-19 libbenchmark-dev mypy"

case ${1:-build} in
  build) packages=$build ;;
  package) packages="$build $packaging" ;;
  test) packages="$build $test" ;;
  site) packages=$site ;;
  dev) packages="$build $test $dev" ;;
  *) echo "usage: $0 build|package|test|dev|site" >&2; exit 2 ;;
esac

missing=
for package in $packages; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null || true)
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

echo "installing:$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
$sudo apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing > /dev/null
