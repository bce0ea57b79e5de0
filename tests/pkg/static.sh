#!/bin/sh
# SPDX-License-Identifier: MIT
# static.sh COMMAND STANDIN MOST WORDS - the static command needs no other file: alone in a chroot it acquires a lock on a server
# with a numeric address, and with /etc/hosts on one with a name. It has at most MOST bytes, and an error message lists WORDS, its
# verbs. The end prints the size of each part, by the linker's map.
set -eu
# shellcheck source=tests/house/standin.sh
. tests/house/standin.sh
command=$1 standin=$2 words=$4
MOST=$3 # with gcc 12 and musl 1.2.3; 5 % more with others
dir=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; fi; rm -rf "$dir"' EXIT
fail() {
    echo "static.sh: $*" >&2
    exit 1
}

! readelf -l "$command" | grep -E 'INTERP|DYNAMIC' || fail "it is not static"
size=$(stat -c %s "$command")
[ "$(gcc -dumpversion)" = 12 ] || MOST=$((MOST + MOST / 20))
[ "$size" -le "$MOST" ] || fail "it has $size bytes, $MOST at most"

said=$("$command" none 2>&1) || true
case $said in *": give $words"*) ;; *) fail "its verbs are not '$words': $said" ;; esac

begin_standin "$standin" "$dir"

# A user other than root becomes root in a new namespace.
root=$dir/root
mkdir -m 755 "$root"
cp "$command" "$root/redlock"
inside() {
    if [ "$(id -u)" -eq 0 ]; then chroot "$root" "$@"; else unshare -r chroot "$root" "$@"; fi
}
lock() { # host: prints what the locked command prints
    inside /redlock run -n --restart-guard=off -u "redis://$1:$port" nightly -- /redlock --version
}
version=$(lock 127.0.0.1)
[ "$version" = "$("$command" --version)" ] || fail "in a chroot it says '$version'"
mkdir "$root/etc"
printf '%s\n' 'nameserver 127.0.0.1' 'options timeout:1 attempts:1' >"$root/etc/resolv.conf"
status=0
lock lock.example 2>"$dir/said" || status=$?
[ "$status" -eq 69 ] || fail "a name that no name server was asked for is $status: $(cat "$dir/said")"
echo '127.0.0.1 lock.example' >"$root/etc/hosts"
[ "$(lock lock.example)" = "$version" ] || fail "it does not read /etc/hosts"
echo "static: $size bytes, and nothing beside it"
# A section is on one line, or its name is on the line before. A string that several files have counts for the first.
awk '/^Linker script and memory map/ { is_begun = 1 }
    is_begun && /^ \.[^ ]+$/ { name = $1 }
    is_begun && /^ .* 0x[0-9a-f]+ +0x[0-9a-f]+ .*\.l?o\)?$/ {
        if ($1 ~ /^\./) name = $1
        part = $NF
        sub(/\/[^\/]*$/, "", part)
        sub(/^build.*\/redlock\/cli/, "command", part)
        sub(/^build.*/, "library", part)
        sub(/^\/.*/, "libc", part)
        if (name ~ /^\.(text|rodata|data|init|fini)/ && $(NF - 2) !~ /^0x0+$/) print $(NF - 1), part
    }' "$command.map" | xargs printf '%d %s\n' |
    awk '{ bytes[$2] += $1 } END { for (part in bytes) printf "%8d  %s\n", bytes[part], part }' | sort -rn
