#!/bin/sh
# SPDX-License-Identifier: MIT
# stale.sh BUILD MAKE - of what is built, make knows what is stale: were a public header touched, it would make every
# object again whose source includes it, in each flavour, and were none, nothing. Who includes what is asked of the
# preprocessor, not of the files that make goes by.
set -eu
build=$1 make=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flavours='lib asan clang size/x86-64 size/m0plus size/m4'

# FLAVOUR SOURCE of each object that is there and whose source still is
for flavour in $flavours; do
    (cd "$build/$flavour" && find . -name '*.o') | sed 's,^\./,,; s,o$,c,' | sort | while read -r source; do
        [ ! -e "$source" ] || echo "$flavour $source"
    done >"$dir/flavour"
    [ -s "$dir/flavour" ] || { echo "stale.sh: nothing is built in $build/$flavour"; exit 1; }
    cat "$dir/flavour"
done >"$dir/built"
objects=$(sed "s,^\([^ ]*\) \(.*\)c\$,$build/\1/\2o," "$dir/built" | tr '\n' ' ')
$make OBJECTS="$objects" objects # what others built may be old

# SOURCE HEADER, a line for each that is included, directly or not
cut -d ' ' -f 2 "$dir/built" | sort -u | xargs gcc -std=c99 -I. -MM |
    awk '{ for (i = 1; i <= NF; i++) if ($i ~ /:$/) source = ""; else if (source == "") source = $i; else print source, $i }' \
    >"$dir/includes"

would() { # option...: FLAVOUR SOURCE of each object that would be made
    $make -n V= OBJECTS="$objects" "$@" objects >"$dir/said"
    sed -n 's,^echo "  cc/\([^ ]*\) \(.*\)"$,\1 \2,p' "$dir/said" | sort
}

failed=0 seen=0
would >"$dir/would"
if [ -s "$dir/would" ]; then
    echo "nothing was touched, and these would be made again:"
    cat "$dir/would"
    failed=1
fi
for header in $(echo "$HEADERS" | sed 's/[^ ]*\.hpp//'); do # no object includes the others
    awk -v header="$header" 'NR == FNR { if ($2 == header) includes[$1]; next } $2 in includes' \
        "$dir/includes" "$dir/built" | sort >"$dir/should"
    case $header in # the figures of size are those of the core, which includes nothing for POSIX hosts
    net/net_posix* | net/net_uring* | redlock/easy*) users='lib asan clang' ;;
    *) users=$flavours ;;
    esac
    for flavour in $users; do
        grep -q "^$flavour " "$dir/should" || { echo "$header: nothing in $build/$flavour includes it"; failed=1; }
    done
    would -W "$header" >"$dir/would"
    comm -23 "$dir/should" "$dir/would" >"$dir/forgotten"
    sed "s,^,$header changed and not made again: ," "$dir/forgotten"
    [ ! -s "$dir/forgotten" ] || failed=1
    seen=$((seen + $(wc -l <"$dir/should")))
done
[ "$failed" -ne 0 ] || echo "a public header that changes makes what includes it stale: $seen objects"
exit $failed
