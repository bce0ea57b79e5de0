#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh MAKE STAGING - install into an empty STAGING, the library in a folder of its own (LIBDIR); build a
# program and a shared object with nothing but what stands there and pkg-config's flags; ask the shells what they
# offer behind the command; the same program with the shared library; a lock on redlock-standin; uninstall: no file may
# be left.
set -eu
make=$1 staging=$2
rm -rf "$staging"
prefix=$staging/usr
where="DESTDIR=$staging PREFIX=/usr LIBDIR=/usr/lib/here"
# shellcheck disable=SC2086 # two words and more
$make install $where >/dev/null
config="pkg-config --define-variable=prefix=$prefix"
export PKG_CONFIG_PATH="$prefix/lib/here/pkgconfig"
for header in $HEADERS; do
    [ -e "$prefix/include/libredlock/$header" ] || { echo "no header $header"; exit 1; }
done
cat >"$staging/user.c" <<'END'
#include "redlock/redlock.h"
#include <stdio.h>
int main(void) { return puts(rdl_version()) < 0 || rdl_strerror(RDL_OK) == NULL; }
END
# shellcheck disable=SC2046 # flags are words
cc -o "$staging/user" "$staging/user.c" $($config --cflags --libs libredlock)
# the archive is position-independent
# shellcheck disable=SC2046
cc -shared -fPIC -Wl,-z,text -o "$staging/user.so" -Wl,--whole-archive $($config --libs libredlock) -Wl,--no-whole-archive
version=$("$staging/user")
[ "$version" = "$($config --modversion libredlock)" ] || { echo "libredlock.pc is not of version $version"; exit 1; }
"$prefix/bin/redlock" --version | grep -qF "$version" || { echo "redlock --version does not say $version"; exit 1; }
for page in man1/redlock.1 man3/redlock.3; do
    [ -s "$prefix/share/man/$page" ] || { echo "no man page $page"; exit 1; }
done
# Those of `make docs`, if it was run.
for page in "$(dirname "$staging")"/docs/man/man3/*.3; do
    [ ! -e "$page" ] || cmp "$page" "$prefix/share/man/man3/${page##*/}"
done
# What the manual names as installed is there, under this prefix, and what the guide links to as well.
files=$(sed -n 's|^\.Pa \(/.*/share/[^ ]*\)$|\1|p' "$prefix/share/man/man1/redlock.1")
[ "$(echo "$files" | wc -l)" -ge 4 ] || { echo "redlock.1 names too few files: $files"; exit 1; }
for file in $files; do
    [ -e "$staging$file" ] || { echo "redlock.1 names $file, which is not installed"; exit 1; }
done
docs=$prefix/share/doc/redlock
links=$(sed 's/](/\n](/g' "$docs/GUIDE.md" | sed -n 's/^](\([^#)][^)]*\)).*/\1/p' | grep -v :// | sort -u)
for file in $links; do
    [ -e "$docs/$file" ] || { echo "the guide links to $file, which is not installed"; exit 1; }
done
"$(dirname "$0")/completions.sh" "$prefix"
# shellcheck disable=SC2086
$make install-shared $where >/dev/null
# shellcheck disable=SC2046
cc -o "$staging/shared" "$staging/user.c" $($config --cflags --libs libredlock)
[ "$(LD_LIBRARY_PATH=$prefix/lib/here "$staging/shared")" = "$version" ] || { echo "the shared library is not of $version"; exit 1; }
(! "$staging/shared") >/dev/null 2>&1 || { echo "with the shared library there, -lredlock links the other one"; exit 1; }
# shellcheck disable=SC2086
$make install-standin $where >/dev/null
"$prefix/bin/redlock-standin" --help | grep -q '^usage: redlock-standin ' || { echo "redlock-standin has no --help"; exit 1; }
"$prefix/bin/redlock-standin" --version | grep -qF "$version" || { echo "redlock-standin is not of version $version"; exit 1; }
[ -s "$prefix/share/man/man1/redlock-standin.1" ] || { echo "no man page redlock-standin.1"; exit 1; }
# Its page's example, over a port that is free.
# shellcheck source=tests/house/standin.sh
. "$(dirname "$0")/standin.sh"
begin_standin "$prefix/bin/redlock-standin" "$staging"
export REDLOCK_URLS="redis://127.0.0.1:$port"
ran=$("$prefix/bin/redlock" run --restart-guard off nightly -- echo works) || ran=failed
kill "$server"
[ "$ran" = works ] || { echo "no lock on redlock-standin: $ran"; exit 1; }
rm "$staging/port"
# shellcheck disable=SC2086
$make uninstall $where >/dev/null
left=$(find "$prefix" ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "install: libredlock $version, its command, man page, guide, completions and stand-in come and go"
