#!/bin/sh
# SPDX-License-Identifier: MIT
# path.sh DIR [GROUP...] - a PATH like that of a fresh machine: fills DIR with a link to every program that an empty
# Debian has after `make deps DEPS='GROUP...'`, and prints DIR. A stage that starts anything else with this PATH fails
# here as it would there. What counts: packages that every Debian has, what the README takes for granted (gcc, make,
# git), the groups' packages (deps.sh --packages), and what all of these depend on.
# Without dpkg it prints the PATH of its caller: there is nothing to compare with.
#
# Exit status: 0, or 64: bad usage.
set -u
[ $# -ge 1 ] || { echo "usage: path.sh DIR [GROUP...]" >&2; exit 64; }
command -v dpkg-query >/dev/null || { echo "$PATH"; exit; }
dir=$1
shift
here=$(dirname "$0")
named=$("$here/deps.sh" --packages "$@" | tr '|' '\n') || exit 64
rm -rf "$dir"
mkdir -p "$dir" || exit
dir=$(cd "$dir" && pwd)

# Each package once; a field that is missing is empty.
dpkg-query -W -f '${db:Status-Status}\t${Package}\t${Essential}\t${Priority}\t${Provides}\t${Pre-Depends}, ${Depends}\n' |
    awk -F '\t' -v named="apt gcc libc6-dev make git $(echo "$named" | tr '\n' ' ')" '
        $1 != "installed" { next }
        {
            there[$2] = 1
            needs[$2] = needs[$2] "," $6
            if ($3 == "yes" || $4 == "required")
                todo[++n] = $2
            gsub(/\([^)]*\)| /, "", $5)
            count = split($5, given, ",")
            for (i = 1; i <= count; i++)
                gives[given[i]] = gives[given[i]] " " $2
        }
        # Of alternatives the first that is there, itself or under another name.
        function resolve(alternatives,    i, count, word, other) {
            count = split(alternatives, word, "|")
            for (i = 1; i <= count; i++) {
                sub(/:.*/, "", word[i])
                if (word[i] in there) {
                    todo[++n] = word[i]
                    return
                }
                if (word[i] in gives) {
                    split(gives[word[i]], other, " ")
                    todo[++n] = other[1]
                    return
                }
            }
        }
        END {
            count = split(named, word, " ")
            for (i = 1; i <= count; i++)
                resolve(word[i])
            for (at = 1; at <= n; at++) {
                if (todo[at] in seen)
                    continue
                seen[todo[at]] = 1
                print todo[at]
                depends = needs[todo[at]]
                gsub(/\([^)]*\)|\[[^]]*\]| /, "", depends)
                count = split(depends, word, ",")
                for (i = 1; i <= count; i++)
                    resolve(word[i])
            }
        }' >"$dir.packages"

xargs dpkg-query -L <"$dir.packages" 2>/dev/null | grep -E '^(/usr)?/s?bin/[^/]+$' | xargs ln -sf -t "$dir"
# Names that update-alternatives gives to one of several programs, such as awk and cc.
find /usr/bin /usr/sbin -lname '/etc/alternatives/*' | while read -r link; do
    [ -e "$dir/${link##*/}" ] || { file=$(readlink -f "$link") && [ -e "$dir/${file##*/}" ] && ln -s "$link" "$dir/"; }
done
echo "$dir"
