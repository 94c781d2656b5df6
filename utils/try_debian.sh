#!/bin/sh
# Tries what the documents promise on a bare Debian 12, in roots that debootstrap makes, as root:
#
#   packages    utils/package.sh makes the Debian packages from a clone
#   install     they install in another bare root: a user's program is compiled and proved, there are
#               manual pages and completions, and examples/embed is built against the libraries
#   quickstart  examples/quickstart.sh from a clone
#   quick       test/run.sh --quick from a clone; afterwards no process runs, and there is no file
#               outside of the clone but in ccache's cache
#
# usage: utils/try_debian.sh FOLDER [PART]...    (default: all parts)
#   FOLDER  for the roots: 10 GB; a root that is there from an earlier run is reused, so that a part
#           can be tried again
# DEBIAN_MIRROR names the address of a mirror; by default that of the machine.
# Tries the commit HEAD. Takes an hour on two processors, and is no part of test/run.sh --all.
set -eu
if [ $# -lt 1 ] || [ "$(id -u)" != 0 ]; then
  sed -n '2,/^set/s/^# \?//p' "$0" >&2
  exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
source=$(pwd)
[ $# -gt 0 ] || set -- packages install quickstart quick

# The mirror of this machine.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
  sed -n 's/ bookworm$//p' | head -n 1)}
if [ -z "$mirror" ]; then
  echo "$0: apt has no source of bookworm: name a mirror in DEBIAN_MIRROR" >&2
  exit 2
fi

# A bare root, which is made once and copied.
new_root() {
  root=$folder/$1
  [ ! -d "$root" ] || return 0
  if [ ! -f "$folder/bare.tar" ]; then
    debootstrap --variant=minbase bookworm "$folder/bare" "$mirror" > "$folder/debootstrap.log"
    tar -C "$folder/bare" --exclude=./proc --exclude=./sys --exclude=./dev -cf "$folder/bare.tar" .
    rm -rf --one-file-system "$folder/bare"
  fi
  mkdir "$root"
  tar -C "$root" -xf "$folder/bare.tar"
  mkdir -p "$root/proc" "$root/sys" "$root/dev"
  cp /etc/resolv.conf "$root/etc/"
}

# in_root NAME SCRIPT: what is mounted there vanishes with the script, and so do its processes.
in_root() {
  unshare --mount --pid --fork sh -eu -c '
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs tmpfs "$1/dev/shm"
    exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -eu -c "$2"' \
    sh "$folder/$1" "$2"
}

# clone_to NAME: a clone of HEAD without its history.
clone_to() {
  rm -rf "$folder/$1/src"
  git clone -q --no-local --depth 1 "$source" "$folder/$1/src"
}

# The files of the root "quick" where programs leave things, without the cache of ccache, which is meant
# to outlast the clone.
files_outside() {
  (cd "$folder/quick" && find tmp var/tmp dev/shm root home -path root/.cache/ccache -prune -o -type f -print | sort)
}

for part; do
  echo "== $part"
  began=$(date +%s)
  case $part in
    packages)
      new_root build
      clone_to build
      in_root build 'cd /src && sh utils/package.sh'
      ;;
    install)
      rm -rf --one-file-system "$folder/user"
      new_root user
      mkdir "$folder/user/debs"
      cp "$folder"/build/src/build/*.deb "$folder/user/debs/"
      cp utils/try_installed.sh "$folder/user/"
      in_root user 'sh /try_installed.sh /debs'
      ;;
    quickstart)
      new_root quickstart
      clone_to quickstart
      in_root quickstart 'cd /src && sh examples/quickstart.sh'
      test -s "$folder/quickstart/src/build/quickstart/report.html"
      ;;
    quick)
      new_root quick
      clone_to quick
      in_root quick 'cd /src && sh utils/install_packages.sh test'
      before=$(files_outside)
      in_root quick 'cd /src && sh test/run.sh --quick
        running=$(ps -e -o pid=,comm= | grep -vE "^ *1 | (sh|ps|grep)$" || true)
        shared=$(ls /dev/shm)
        [ -z "$running$shared" ] || { echo "left behind: $running $shared" >&2; exit 1; }'
      after=$(files_outside)
      if [ "$before" != "$after" ]; then
        echo "files outside of the clone:" >&2
        printf '%s\n' "$after" >&2
        exit 1
      fi
      ;;
    *)
      echo "$0: unknown part '$part'" >&2
      exit 2
      ;;
  esac
  echo "== $part succeeded ($(($(date +%s) - began)) s)"
done
