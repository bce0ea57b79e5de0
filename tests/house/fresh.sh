#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh.sh [SUITE] [TARGETS...] - a fresh machine stays a fresh machine: what the README says works there. Makes an
# empty chroot of Debian's SUITE (stable) with what the README takes for granted, a C compiler, make and git, and
# nothing else; clones what is committed into it, once for each TARGETS ('demo' and 'deps check'), and makes them
# there, in this order. Packages come from where the system's own do, through its proxy if it has one.
# The chroot is made under TMPDIR and leaves nothing behind; it takes about 4 GB.
#
# Exit status: 0 all were made; 1 one was not; 64 bad usage; 69 a tool is missing, or there is no chroot;
# 77 not root.
set -u
case "${1-}" in -*) echo "usage: fresh.sh [SUITE] [TARGETS...]" >&2; exit 64 ;; esac
suite=${1:-stable}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- demo 'deps check'
here=$(dirname "$0")
top=$(git rev-parse --show-toplevel) || exit 69
"$here/deps.sh" --probe fresh || exit
[ "$(id -u)" -eq 0 ] || { echo "fresh.sh: a chroot needs root: sudo $0 $suite" >&2; exit 77; }
site=$("$here/site.sh") || exit

work=$(mktemp -d) || exit 69
# Mounts are in a namespace of their own and gone before this; should one not be, nothing beyond it is removed.
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 69' HUP INT TERM
chmod 755 "$work"
root=$work/root

"$here/site.sh" --apt >"$work/apt.conf"
began=$(date +%s)
# libc6-dev: gcc only recommends it, and is no compiler without.
mmdebstrap --variant=minbase --aptopt="$work/apt.conf" --include=gcc,libc6-dev,make,git "$suite" "$root" "$site" \
    >"$work/log" 2>&1 || {
    echo "fresh.sh: no chroot of $suite; mmdebstrap says:" >&2
    { grep '^E: ' "$work/log" || tail -n 5 "$work/log"; } | head -n 3 >&2
    exit 69
}
# A machine has a name for itself, and so has what a container runtime makes; only mmdebstrap leaves it out.
[ -e "$root/etc/hosts" ] || printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"
echo "fresh: $suite, $(chroot "$root" cc --version | head -n 1): $(($(date +%s) - began)) s"

# proc, pseudo-terminals and shared memory, in namespaces of their own: the end of the first process ends all.
# shellcheck disable=SC2016 # that shell expands it
inside='
mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" && mount -t tmpfs tmpfs "$1/dev/shm" &&
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts" &&
    ln -sf pts/ptmx "$1/dev/ptmx" || exit
shift
exec chroot "$@"'
within() { # command...: with nothing of this environment but what apt needs to get out
    unshare --mount --pid --fork --kill-child sh -c "$inside" sh "$root" "$root" env -i HOME=/root \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${no_proxy:+no_proxy="$no_proxy"} "$@" </dev/null
}

failed=0
for targets; do
    echo "==== make $targets"
    began=$(date +%s)
    tree=$(echo "$targets" | tr -c 'a-zA-Z0-9\n' -)
    result=FAILED
    # shellcheck disable=SC2086 # several targets are words
    git clone -q --no-local "$top" "$root/srv/$tree" &&
        within make -C "/srv/$tree" -j"$(nproc)" $targets && result=ok
    [ "$result" = ok ] || failed=1
    echo "==== make $targets: $(($(date +%s) - began)) s  $result"
done
exit $failed
