#!/bin/sh
# SPDX-License-Identifier: MIT
# picture.sh BUILD - redlock/doc/demo.svg is the demo's picture, except for the times: it has the elements, classes and texts
# of BUILD/demo.svg, in the same order. Both are small, and neither needs another file, a font or a script.
set -eu
new=$1/demo.svg committed=redlock/doc/demo.svg
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# One element a line. Without numbers, and without what is drawn; of lines that are alike then, one: a longer run has
# more seconds. The XML declaration of the namespace is no reference.
shape() { # file
    sed -E "s/ d='[^']*'//; s/[0-9]+(\.[0-9]+)?/0/g" "$1" | uniq
}

for file in "$new" "$committed"; do
    [ "$(wc -c <"$file")" -lt 40000 ] || { echo "$file: 40,000 bytes or more" >&2; exit 1; }
    if sed "s/xmlns='[^']*'//" "$file" | grep -nE '://|url\(|href|<script|<image|@import|font-face'; then
        echo "$file: it refers to something outside" >&2
        exit 1
    fi
done
[ "$(grep -c "<path class='held' d='M[^']*'/>" "$committed")" -ge 8 ] || { echo "$committed: nobody holds the lock" >&2; exit 1; }
shape "$new" >"$dir/new"
shape "$committed" | diff - "$dir/new" || {
    echo "$committed: its elements are not those that the demo draws: make session" >&2
    exit 1
}
echo "$committed is what the demo draws"
