#!/bin/sh
# SPDX-License-Identifier: MIT
# shared.sh LIBRARY ARCHIVE - the shared library exports what the public headers declare, as redlock/pkg/libredlock.map lists
# it, and needs libc alone. It keeps the interface of the last release (tag v*) until its soname changes: functions may
# be added, if the list has them. Before the first release there is no such interface. In any case a planted change
# of each kind must be found.
set -eu
library=$1 archive=$2
map=redlock/pkg/libredlock.map
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "shared.sh: $*" >&2
    exit 1
}

# ---------------------------------------------------------------- what it exports and needs
nm -D -P --defined-only "$library" | cut -d ' ' -f 1 | sort >"$dir/exported"
sed -n 's/^    \(rdl_.*\);$/\1/p' $map | sort >"$dir/listed"
printf '#include "redlock/pkg/%s.h"\n' rdl rdl_easy rdl_uring | gcc -E -P -I. - | grep -oE 'rdl_[a-z0-9_]+ ?[([;]' | grep -oE 'rdl_[a-z0-9_]+' | sort -u >"$dir/words"
nm -g -P --defined-only "$archive" | cut -d ' ' -f 1 | sort -u | comm -12 - "$dir/words" >"$dir/declared"
diff "$dir/listed" "$dir/declared" || fail "$map (<) is not what the public headers declare (>)"
diff "$dir/listed" "$dir/exported" || fail "the shared library does not export (>) what $map lists (<)"
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ "$needed" = libc.so.6 ] || fail "it needs $needed"
! readelf -d "$library" | grep -q TEXTREL || fail "its text is written to when it is loaded"

# ---------------------------------------------------------------- the interface of the last release
# Without optimization: inlined functions are not part of the interface.
build() { # tree, library
    version=$(sed -n 's/^#define RDL_VERSION  *"\(.*\)"/\1/p' "$1/resp/resp.h")
    soname=libredlock.so.$(echo "$version" | sed -E 's/^(0\.[0-9]+|[0-9]+)\..*/\1/')
    gcc -std=c99 -O0 -g -fPIC -shared -I "$1" -Wl,-soname,"$soname" -Wl,--version-script="$1/$map" -o "$2" \
        "$1/redlock/pkg/rdl.c" "$1/redlock/pkg/rdl_posix.c" "$1/redlock/pkg/rdl_easy.c" \
        "$1/redlock/pkg/rdl_uring.c"
}
soname_of() { readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p'; }
keeps() { # old, new: does the new one keep the interface?
    [ "$(soname_of "$1")" = "$(soname_of "$2")" ] || return 0
    abidiff --no-added-syms "$1" "$2"
}
build . "$dir/here.so"
[ "$(soname_of "$dir/here.so")" = "$(soname_of "$library")" ] || fail "soname: $(soname_of "$library")"

tag=$(git tag --list --merged HEAD --sort=-v:refname 'v[0-9]*' | head -n 1)
if [ -n "$tag" ]; then
    mkdir "$dir/tag"
    git archive "$tag" resp net lock redlock | tar -x -C "$dir/tag"
    build "$dir/tag" "$dir/tag.so"
    keeps "$dir/tag.so" "$dir/here.so" || fail "it is not what $tag was, and has its soname"
    promise="keeps what $tag promised"
else
    promise="no release yet to compare with"
fi

plant() { # name, file, sed's expression: breaks the interface
    mkdir "$dir/$1"
    cp -r resp net lock redlock "$dir/$1"
    sed "$3" "$2" >"$dir/$1/$2"
    build "$dir/$1" "$dir/$1.so"
}
plant member lock/lock.h 's/^struct rdl_lock_options {/&uint32_t planted;/'
! keeps "$dir/here.so" "$dir/member.so" >/dev/null || fail "a planted member is not found"
plant removed $map '/rdl_lock_stats;/d'
! keeps "$dir/here.so" "$dir/removed.so" >/dev/null || fail "a function that is gone is not found"
plant renamed resp/resp.h 's/^\(#define RDL_VERSION  *\)".*"/\1"9.0.0"/'
sed 's/^struct rdl_lock_options {/&uint32_t planted;/' lock/lock.h >"$dir/renamed/lock/lock.h"
build "$dir/renamed" "$dir/renamed.so"
keeps "$dir/here.so" "$dir/renamed.so" || fail "another soname is no new promise"
echo "shared: $(soname_of "$library"), $(wc -l <"$dir/exported") names; $promise; planted changes are found"
