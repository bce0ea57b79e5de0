#!/bin/bash
# SPDX-License-Identifier: MIT
# dist.sh OUT - the release is made and used: its archive twice, and the same both times; the README's first program
# built with it by CMake (installed, and fetched), Meson (installed, and as a subproject) and Debian's packages; the
# manifests of formats whose tools are not available here parsed, and compared with required.txt, as are the recipes.
# `make check-dist` sets COMMAND_SRC, RELEASE and SO.
#
# Exit status 1: a step failed, which is printed.
set -u
out=$(realpath -m "$1")
here=$(dirname "$(realpath "$0")")
version=$RELEASE
tree=$out/libredlock-$version
log=$out/log
failed=0

finding() {
    echo "dist: $*"
    failed=1
}

# NAME COMMAND...: its output is shown if it fails
try() {
    "${@:2}" >"$log" 2>&1 && return
    finding "$1: ${*:2}"
    tail -n 20 "$log"
    return 1
}

make_twice() { # as release-check does, but by the same user
    (umask 077 && TZ=ABC-5:45 redlock/pkg/dist.sh "$out/again" >/dev/null) && redlock/pkg/dist.sh "$out" || return
    cmp "$out/again/libredlock-$version.tar.gz" "$tree.tar.gz" || finding 'made again, the archive is another one'
    rm -rf "$out/again"
}

# The README's first program, and one that prints its version, in a folder of its own.
program() { # folder
    rm -rf "$1"
    mkdir -p "$1"
    awk -f tests/house/first.awk README.md >"$1/first.c"
    cp "$tree/test_package/version.c" "$1"
}

# how, program: it prints the version
says_version() {
    if [ -x "$(dirname "$2")/first" ] && [ "$("$2")" = "$version" ]; then
        echo "dist: $1: the README's first program is built; one beside it says $("$2")"
    else
        finding "$1: no program, or of another version"
    fi
}

with_cmake() {
    local dir=$out/cmake
    try cmake cmake -S "$tree" -B "$dir/build" -DCMAKE_INSTALL_PREFIX="$dir/staging" -DCMAKE_INSTALL_LIBDIR=lib &&
        try cmake cmake --build "$dir/build" -j "$(nproc)" --target install &&
        try cmake ctest --test-dir "$dir/build" || return
    program "$dir/installed"
    cat >"$dir/installed/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(libredlock $version REQUIRED)
foreach(name first version)
    add_executable(\${name} \${name}.c)
    target_link_libraries(\${name} PRIVATE libredlock::libredlock)
endforeach()
END
    try cmake cmake -S "$dir/installed" -B "$dir/installed/build" -DCMAKE_PREFIX_PATH="$dir/staging" &&
        try cmake cmake --build "$dir/installed/build" && says_version 'cmake, find_package' "$dir/installed/build/version"
    program "$dir/fetched"
    sed -e "s|^find_package.*|include(FetchContent)\nFetchContent_Declare(libredlock URL $tree.tar.gz)|" \
        -e 's|^foreach|FetchContent_MakeAvailable(libredlock)\nforeach|' "$dir/installed/CMakeLists.txt" \
        >"$dir/fetched/CMakeLists.txt"
    try cmake cmake -S "$dir/fetched" -B "$dir/fetched/build" &&
        try cmake cmake --build "$dir/fetched/build" -j "$(nproc)" &&
        says_version 'cmake, FetchContent' "$dir/fetched/build/version"
    [ ! -e "$dir/fetched/build/_deps/libredlock-build/minimal" ] || finding 'cmake: a subproject builds the tests'
}

with_meson() {
    local dir=$out/meson
    try meson meson setup --buildtype=plain --prefix="$dir/staging" --libdir=lib "$dir/build" "$tree" &&
        try meson meson install -C "$dir/build" && try meson meson test -C "$dir/build" || return
    program "$dir/installed"
    cat >"$dir/installed/meson.build" <<END
project('user', 'c')
redlock = dependency('libredlock', version: '$version')
foreach name : ['first', 'version']
  executable(name, name + '.c', dependencies: redlock)
endforeach
END
    PKG_CONFIG_PATH=$dir/staging/lib/pkgconfig try meson meson setup --wrap-mode=nofallback "$dir/installed/build" "$dir/installed" &&
        try meson meson compile -C "$dir/installed/build" &&
        says_version 'meson, pkg-config' "$dir/installed/build/version"
    program "$dir/sub"
    cp "$dir/installed/meson.build" "$dir/sub"
    mkdir "$dir/sub/subprojects"
    printf '[wrap-file]\ndirectory = libredlock-%s\nsource_filename = libredlock-%s.tar.gz\nsource_hash = %s\n[provide]\nlibredlock = libredlock_dep\n' \
        "$version" "$version" "$(sha256sum "$tree.tar.gz" | cut -d ' ' -f 1)" >"$dir/sub/subprojects/libredlock.wrap"
    mkdir "$dir/sub/subprojects/packagefiles"
    cp "$tree.tar.gz" "$dir/sub/subprojects/packagefiles"
    try meson meson setup --buildtype=plain --force-fallback-for=libredlock "$dir/sub/build" "$dir/sub" &&
        try meson meson compile -C "$dir/sub/build" && says_version 'meson, subproject' "$dir/sub/build/version"
}

with_debian() {
    local dir=$out/debian root=$out/debian/staging deb lib name
    rm -rf "$dir"
    mkdir -p "$dir"
    cp "$tree.tar.gz" "$dir/libredlock_$version.orig.tar.gz"
    tar -C "$dir" -xf "$tree.tar.gz"
    try debian env -C "$dir/libredlock-$version" DEB_BUILD_OPTIONS="parallel=$(nproc) noopt" dpkg-buildpackage -us -uc || return
    for deb in "$dir"/*.deb; do
        dpkg-deb -x "$deb" "$root" || return
    done
    program "$dir/use"
    lib=$(dirname "$(find "$root/usr/lib" -name "libredlock.so.$SO")")
    # shellcheck disable=SC2046 # flags are words
    for name in first version; do
        cc -o "$dir/use/$name" "$dir/use/$name.c" $(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$lib/pkgconfig \
            pkg-config --cflags --libs libredlock)
    done
    LD_LIBRARY_PATH=$lib says_version 'debian, shared' "$dir/use/version"
    "$root/usr/bin/redlock" --version | grep -qF "$version" || finding 'debian: no command'
    # It is in no archive, so it closes no request for one.
    try lintian lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$dir"/*.changes
}

# The files that these manifests compile exist, and are all: the library as one file, and its driver where there are sockets.
with_esp_idf() {
    cat >"$out/esp.cmake" <<'END'
function(idf_component_register)
    cmake_parse_arguments(it "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
    message("${it_SRCS}")
endfunction()
set(ESP_PLATFORM 1)
include(${TREE}/CMakeLists.txt)
END
    compiles esp-idf "$(cmake -DTREE="$tree" -P "$out/esp.cmake" 2>&1 | tr ';' ' ')" rdl.c rdl_posix.c
}

with_zephyr() {
    cat >"$out/zephyr.cmake" <<'END'
function(zephyr_include_directories)
endfunction()
function(zephyr_library)
endfunction()
function(zephyr_library_sources)
    message("zephyr/${ARGN}")
endfunction()
set(CONFIG_LIBREDLOCK y)
set(CONFIG_LIBREDLOCK_SOCKETS ${SOCKETS})
include(${TREE}/zephyr/CMakeLists.txt)
END
    compiles zephyr "$(cmake -DTREE="$tree" -DSOCKETS=y -P "$out/zephyr.cmake" 2>&1)" rdl.c rdl_posix.c
    compiles 'zephyr without sockets' "$(cmake -DTREE="$tree" -P "$out/zephyr.cmake" 2>&1)" rdl.c
    # With Zephyr's own parser; /usr/bin: of the package. The sample sets no option of ours that is not there.
    cat "$tree/zephyr/Kconfig" >"$out/Kconfig.zephyr"
    srctree=$out try zephyr /usr/bin/python3 -c 'import kconfiglib, sys
read = kconfiglib.Kconfig(sys.argv[1], warn_to_stderr=False)
missing = {"LIBREDLOCK", "LIBREDLOCK_SOCKETS", "SAMPLE_SERVER"} - set(read.syms)
named = {line[7:].split("=")[0] for line in open(sys.argv[2]) if line.startswith("CONFIG_LIBREDLOCK")}
sys.exit(read.warnings or missing or not named or named - set(read.syms) or None)' "$tree/zephyr/samples/lock/Kconfig" \
        "$tree/zephyr/samples/lock/prj.conf"
    [ -d "$tree/$(yq -r '.samples[0]' "$tree/zephyr/module.yml")/lock" ] || finding 'zephyr: no sample where module.yml says'
}

with_platformio() {
    compiles platformio "$(jq -r '.build.srcFilter' "$tree/library.json" | sed -n 's/^+<\(.*\)>$/\1/p')" rdl.c
}

compiles() { # format files expected...
    local file found=''
    for file in $2; do
        found="$found $(cd "$tree" && realpath --relative-to=redlock/pkg "$file")"
    done
    [ "${*:3}" = "${found# }" ] || finding "$1: it compiles $found"
}

with_conan() { # no client here: the recipes are Python
    /usr/bin/python3 -m py_compile "$tree/conanfile.py" "$tree/test_package/conanfile.py" || finding 'conan: its recipe is no Python'
}

has_all_required() {
    local file path json n=0
    redlock/pkg/recipes.sh "$tree.tar.gz" "$out/recipes" || finding 'recipes.sh fails'
    while read -r file path _; do
        # shellcheck disable=SC2086 # a pattern: the name of one has the version
        case $file in
        '#'* | '') continue ;;
        recipes/*) grep -qE -- "$path" $out/$file || finding "$file: no line like $path" ;;
        *)
            json=$out/${file//\//-}.json
            [ -e "$json" ] || yq . "$tree/$file" >"$json"
            jq -e "$path | strings | select(length > 0)" "$json" >/dev/null || finding "$file: no $path"
            ;;
        esac
        n=$((n + 1))
    done <"$here/required.txt"
    echo "dist: $n fields that the formats require are there"
}

rm -rf "$out"
mkdir -p "$out"
make_twice || exit
for format in cmake meson debian esp_idf zephyr platformio conan; do
    "with_$format"
done
has_all_required
[ "$failed" = 0 ] && echo "dist: 8 formats: cmake meson debian built with, zephyr read by its own reader, esp-idf platformio vcpkg conan parsed"
[ "$failed" = 0 ]
