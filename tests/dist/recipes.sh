#!/bin/bash
# SPDX-License-Identifier: MIT
# recipes.sh OUT [TREE...] - the recipes of redlock/pkg/recipes/, filled in for a release of what is committed, build it: each in a folder of its
# own without a network, as its tree calls it, and what it made is used. rpmbuild and makepkg are Debian's; the other
# trees' tools are not in Debian, so trees/ here, or a function below, does what they do with our recipe.
#
# Exit status 1: a step failed, which is printed.
set -u
out=$(realpath -m "$1")
here=$(dirname "$(realpath "$0")")
top=$(git rev-parse --show-toplevel)
arm='arm-linux-gnueabihf'
failed=0

finding() {
    echo "recipes: $*"
    failed=1
}
try() { # NAME COMMAND...: without a network; its output is shown if it fails
    unshare --map-root-user --net "${@:2}" >"$out/log" 2>&1 && return
    finding "$1: ${*:2}"
    tail -n 20 "$out/log"
    return 1
}
says_version() { # NAME COMMAND...
    if [ "$("${@:2}" 2>"$out/log" | sed 's/^redlock //')" = "$version" ]; then
        echo "recipes: $1"
    else
        finding "$1: ${*:2} does not print $version: $(cat "$out/log")"
    fi
}
on_arm() {
    qemu-arm -L "/usr/$arm" "$@"
}
program() { # COMPILER ROOT OUTPUT [FLAG...]: a program that links what is in ROOT
    "$1" -I "$2/usr/include/libredlock" -o "$3" "$out/release/libredlock-$version/test_package/version.c" -L "$2/usr/lib" "${@:4}"
}

with_openwrt() {
    local dir=$out/openwrt
    cp -r "$here/trees/openwrt" "$dir"
    cp "$recipes/openwrt/Makefile" "$dir"
    try openwrt make -C "$dir" compile TOPDIR="$dir" DL_DIR="$out/release" TARGET_CC=musl-gcc || return
    PATH=$dir/root/usr/bin:$PATH try openwrt "$recipes/openwrt/test.sh" redlock "$(echo "$version" | tr - _)"
    says_version "openwrt: the command alone, $(stat -c %s "$dir/root/usr/bin/redlock") bytes stripped (x86-64, musl, -Os)" \
        "$dir/root/usr/bin/redlock" --version
}

with_buildroot() {
    local dir=$out/buildroot command
    try buildroot /usr/bin/python3 -c 'import kconfiglib, sys
read = kconfiglib.Kconfig(sys.argv[1], warn_to_stderr=False)
missing = {"BR2_PACKAGE_LIBREDLOCK", "BR2_PACKAGE_LIBREDLOCK_COMMAND"} - set(read.syms)
sys.exit(read.warnings or missing or None)' "$recipes/buildroot/Config.in"
    for command in n y; do
        try buildroot make -f "$here/trees/buildroot.mk" RECIPE="$recipes/buildroot" P=libredlock NAME=LIBREDLOCK DL_DIR="$out/release" \
            OUT="$dir/$command" TARGET_CC="$arm-gcc" BR2_PACKAGE_LIBREDLOCK_COMMAND="$command" || return
    done
    [ ! -e "$dir/n/target" ] || finding 'buildroot: the library alone is on the target'
    program "$arm-gcc" "$dir/n/staging" "$dir/program" -lredlock && says_version 'buildroot: the static library, for ARM' on_arm "$dir/program"
    says_version 'buildroot: the command, for ARM' on_arm "$dir/y/target/usr/bin/redlock" --version
}

# As bitbake reads it: assignments, and functions in shell.
with_yocto() {
    local dir=$out/yocto recipe=$recipes/yocto/libredlock_$version.bb
    mkdir -p "$dir/bin"
    sed -E -e 's/^([A-Z_]+) = /\1=/' -e '/^(inherit|PACKAGES|[A-Z]+:)/d' "$recipe" >"$dir/recipe.sh"
    cat >"$dir/run.sh" <<'END'
set -eu
PV=$1 S=$2 D=$3 CC=$4
CFLAGS='-O2 -pipe' CPPFLAGS='' LDFLAGS=-Wl,-O1 prefix=/usr libdir=/usr/lib bindir=/usr/bin mandir=/usr/share/man
oe_runmake() { eval "make $EXTRA_OEMAKE \"\$@\""; }
. "$5"
cd "$S"
[ "$(git rev-parse HEAD)" = "$SRCREV" ]
echo "${LIC_FILES_CHKSUM##*md5=}  LICENSE" | md5sum -c
do_compile
do_install
END
    git clone -q "$top" "$dir/git" || return
    try yocto sh "$dir/run.sh" "$version" "$dir/git" "$dir/image" "$arm-gcc" "$dir/recipe.sh" || return
    program "$arm-gcc" "$dir/image" "$dir/program" -lredlock && says_version 'yocto: the library, for ARM' on_arm "$dir/program"
    printf '#!/bin/sh\nexec qemu-arm -L /usr/%s "%s" "$@"\n' "$arm" "$dir/image/usr/bin/redlock" >"$dir/bin/redlock"
    chmod +x "$dir/bin/redlock"
    PATH=$dir/bin:$PATH "$recipes/yocto/libredlock/run-ptest" >"$dir/ptest" 2>"$out/log" || finding 'yocto: run-ptest fails'
    [ "$(grep -c '^PASS: ' "$dir/ptest") $(wc -l <"$dir/ptest")" = '5 5' ] || finding "yocto: $(cat "$dir/ptest" "$out/log")"
    echo "recipes: yocto: $(grep -c '^PASS: ' "$dir/ptest") tests of run-ptest pass, on ARM"
}

# As abuild calls it; its own functions for subpackages are not ours.
with_alpine() {
    local dir=$out/alpine
    mkdir -p "$dir/src"
    cat >"$dir/run.sh" <<'END'
set -eu
srcdir=$2/src pkgdir=$2/pkg CFLAGS='-Os -fstack-clash-protection' CPPFLAGS='' LDFLAGS=-Wl,--as-needed
export CC=musl-gcc
. "$1/APKBUILD"
for field in pkgname pkgver pkgrel pkgdesc url arch license subpackages source sha512sums; do
    eval "[ -n \"\$$field\" ]" || { echo "no $field"; exit 1; }
done
cd "$srcdir"
echo "$sha512sums" | grep . | sha512sum -c
tar -xf *.tar.gz
for step in build check package; do (set -e; cd "$builddir"; $step); done
amove() { for path; do mkdir -p "$subpkgdir/${path%/*}" && mv "$pkgdir/$path" "$subpkgdir/$path"; done; }
subpkgdir=$2/redlock
command
END
    cp "$archive" "$dir/src/"
    try alpine sh "$dir/run.sh" "$recipes/alpine" "$dir" || return
    program musl-gcc "$dir/pkg" "$dir/program" -l:libredlock.a && says_version 'alpine: the static library, with musl' "$dir/program"
    says_version 'alpine: the command, with musl' "$dir/redlock/usr/bin/redlock" --version
}

# A folder with nothing but the packages and the C library.
with_rpm() {
    local dir=$out/rpm root=$out/rpm/root lib
    mkdir -p "$dir/SOURCES" "$root"
    cp "$archive" "$dir/SOURCES/"
    try rpm rpmbuild -bb --nodeps --define "_topdir $dir" "$recipes/rpm/libredlock.spec" || return
    try rpm rpm --root "$root" --nodeps -i "$dir"/RPMS/*/*.rpm || return
    for lib in $(ldd "$root/usr/bin/redlock" | grep -o '/[^ ]*'); do
        mkdir -p "$root/$(dirname "$lib")" && cp -L "$lib" "$root/$lib"
    done
    says_version "rpm: $(rpm --root "$root" -qa | wc -l) packages installed" \
        unshare --map-root-user chroot "$root" /usr/bin/redlock --version
}

with_arch() {
    local dir=$out/arch user=()
    mkdir -p "$dir"
    cp "$archive" "$recipes/arch/PKGBUILD" "$dir/"
    # makepkg refuses to be root, and asks pacman, which is not there, what is installed.
    [ "$(id -u)" -ne 0 ] || { chown -R 65534:65534 "$dir" && user=(setpriv --reuid 65534 --regid 65534 --clear-groups); }
    (cd "$dir" && "${user[@]}" env HOME="$dir" PACMAN=true unshare --map-current-user --net makepkg --nodeps >"$out/log" 2>&1) ||
        { finding 'arch: makepkg'; tail -n 20 "$out/log"; return; }
    mkdir "$dir/root" && bsdtar -C "$dir/root" -xf "$dir"/libredlock-*.pkg.tar.*
    program cc "$dir/root" "$dir/program" -l:libredlock.a && says_version 'arch: the static library' "$dir/program"
    says_version 'arch: the command' "$dir/root/usr/bin/redlock" --version
}

rm -rf "$out"
mkdir -p "$out"
git clone -q "$top" "$out/sources" || exit
make -s -C "$out/sources" dist B="$out/sources/build" >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
mv "$out/sources/build/dist" "$out/release"
archive=$(echo "$out"/release/*.tar.gz)
version=${archive##*/libredlock-}
version=${version%.tar.gz}
recipes=$out/recipes
redlock/pkg/recipes.sh "$archive" "$recipes" || exit
shift
[ $# -gt 0 ] || set -- openwrt buildroot yocto alpine rpm arch
for tree; do
    "with_$tree"
done
[ "$failed" = 0 ]
