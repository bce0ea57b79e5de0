#!/bin/sh
# SPDX-License-Identifier: MIT
# builds.sh MAKE VERSION - the README's first program in other build systems: CMake finds the library as a part of the build and
# as installed, and refuses it for another version; Meson by pkg-config.
set -eu
make=$1 version=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { "$@" >"$dir/said" 2>&1 || { cat "$dir/said"; echo "builds.sh: $*"; exit 1; }; }

# No process listens on port 1: its message and exit status show that it is linked and runs.
awk -f tests/house/first.awk README.md | sed 's/localhost:6379/localhost:1/' >"$dir/first.c"
works() { # program
    status=0
    "$1" >"$dir/said" 2>&1 || status=$?
    if [ "$status" -ne 1 ] || ! grep -q "^lock \"nightly\": the server gave no useful reply (localhost:1: cannot connect: " "$dir/said"; then
        echo "builds.sh: $2: status $status, and the program printed: $(cat "$dir/said")"
        exit 1
    fi
    echo "builds: $2"
}
# The version before, which had another interface.
older=$(echo "$version" | awk -F . '{ print $1 == 0 ? "0." $2 - 1 : $1 - 1 ".0" }')
run $make install DESTDIR="$dir/staging" PREFIX=/usr LIBDIR=/usr/lib/some/where
git ls-files -z --cached --others --exclude-standard | xargs -0 tar -c --transform 's,^,libredlock/,' >"$dir/libredlock.tar"

# ---------------------------------------------------------------- CMake
cmake_project() { # name, lines that find the library
    mkdir "$dir/$1"
    cp "$dir/first.c" "$dir/$1"
    cat >"$dir/$1/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(user C)
$2
add_executable(first first.c)
target_link_libraries(first libredlock::libredlock)
END
}
cmake_project fetched "include(FetchContent)
FetchContent_Declare(libredlock URL $dir/libredlock.tar SOURCE_SUBDIR redlock/pkg)
FetchContent_MakeAvailable(libredlock)"
run cmake -S "$dir/fetched" -B "$dir/fetched/build"
run cmake --build "$dir/fetched/build"
works "$dir/fetched/build/first" 'CMake, FetchContent'

cmake_project found "find_package(libredlock $version REQUIRED)"
# A folder of libraries that CMake does not search by itself.
run cmake -S "$dir/found" -B "$dir/found/build" -D libredlock_DIR="$dir/staging/usr/lib/some/where/cmake/libredlock"
run cmake --build "$dir/found/build"
works "$dir/found/build/first" 'CMake, find_package'

for other in "$version.1" "$older"; do
    cmake_project "not-$other" "find_package(libredlock $other REQUIRED HINTS $dir/staging/usr/lib/some/where/cmake/libredlock)"
    ! cmake -S "$dir/not-$other" -B "$dir/not-$other/build" >"$dir/said" 2>&1 || { echo "builds.sh: $version passes for $other"; exit 1; }
    grep -q "version: $version" "$dir/said"
done

# ---------------------------------------------------------------- Meson
meson_project() { # name
    mkdir -p "$dir/$1"
    cp "$dir/first.c" "$dir/$1"
    cat >"$dir/$1/meson.build" <<END
project('user', 'c')
executable('first', 'first.c', dependencies: dependency('libredlock', version: '$version'))
END
}
meson_project installed
export PKG_CONFIG_PATH="$dir/staging/usr/lib/some/where/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$dir/staging"
run meson setup "$dir/installed/build" "$dir/installed"
run meson compile -C "$dir/installed/build"
works "$dir/installed/build/first" 'Meson, pkg-config'
