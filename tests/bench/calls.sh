#!/bin/sh
# SPDX-License-Identifier: MIT
# calls.sh PROGRAM STANDIN: what calls.c counts: how many functions in how many files one acquire calls. The list is
# those of each file, in the order of their first calls.
set -eu
# shellcheck source=tests/house/standin.sh
. "$(dirname "$0")/../house/standin.sh"
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$dir"' EXIT
begin_standin "$2" "$dir"
"$1" "redis://127.0.0.1:$port" >"$dir/out"
head -n 1 "$dir/out" >"$dir/counts"
tail -n +2 "$dir/out" | addr2line -f -e "$1" | awk -v counts="$(cat "$dir/counts")" '
    NR % 2 { name = $1; next }
    {
        sub(/:.*/, "")
        n = split($0, part, "/")
        file = part[n - 1] "/" part[n]
        if (seen[file, name]++) # of a header: once for each file that includes it
            next
        if (!(file in names))
            order[++n_files] = file
        names[file] = names[file] " " name
        of[file]++
        functions++
    }
    END {
        for (i = 1; i <= n_files; i++) {
            headers += order[i] ~ /\.h$/
            printf "%3d %s:%s\n", of[order[i]], order[i], names[order[i]]
        }
        printf "functions %d, files %d and %d headers, %s\n", functions, n_files - headers, headers, counts
        exit functions == 0
    }'
