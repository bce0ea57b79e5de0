#!/bin/sh
# SPDX-License-Identifier: MIT
# static.sh COMMAND STANDIN - the static command needs no other file: alone in a chroot it acquires a lock on a server with a
# numeric address, and with /etc/hosts on one with a name. It is no larger than MOST bytes.
set -eu
# shellcheck source=tests/house/standin.sh
. tests/house/standin.sh
command=$1 standin=$2
# Checks of names, variables and /proc, more signals, and messages that name each reason: 7,000 bytes. --once: 7,100. Owners, break
# --owner: 8,200. Slots, their status and their gauge: 4,100. Sentinel groups and products: 12,300.
# Letters in names, and different databases in every verb: 4,100, a page.
MOST=341800 # with gcc 12 and musl 1.2.3; 5 % more with others
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
[ "$size" -le $MOST ] || fail "it has $size bytes, $MOST at most"

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
