#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh.sh RELEASE [STAGE...] - what works on a fresh machine. Makes an empty chroot of the Debian RELEASE with what the
# README takes for granted, a C compiler, make and git, and nothing else. Without STAGE it runs the README's two
# commands there; with it these stages of .ci/run (all: every one), each after `make deps STAGE=...`. Each runs in its own
# copy of the chroot and in its own clone of what is committed, so that none finds what another one has installed.
# Packages come from where the system's own do, through its proxy if it has one.
# The chroot is made under TMPDIR and leaves nothing behind; it takes about 5 GB.
#
# A stage is skipped if RELEASE lacks a tool and skipped_stages says so; otherwise a missing package is a failure.
#
# Exit status: 0 all passed or were skipped; 1 one failed; 64 bad usage; 69 a tool is missing, or there is no chroot;
# 77 not root.
set -u

# RELEASE STAGE PACKAGE: RELEASE has no PACKAGE, which STAGE needs.
skipped_stages() {
    cat <<'END'
trixie lint        clang-tidy-14
trixie prove       frama-c-base
trixie prove-seeds frama-c-base
END
}

case "${1--}" in -*) echo "usage: fresh.sh RELEASE [STAGE...]" >&2; exit 64 ;; esac
suite=$1
shift
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
# Authorities that this machine trusts by its owner's choice, as for a proxy, are trusted there, too.
local_cas=usr/local/share/ca-certificates
mkdir -p "$root/$local_cas" && find "/$local_cas" -name '*.crt' -exec cp {} "$root/$local_cas/" \; 2>/dev/null
echo "fresh: $suite, $(chroot "$root" cc --version | head -n 1): $(($(date +%s) - began)) s"

# proc, pseudo-terminals and shared memory, in namespaces of their own: the end of the first process ends all.
# shellcheck disable=SC2016 # that shell expands it
inside='
mount --bind "$1" "$2/var/cache/apt/archives" && shift &&
    mount -t proc proc "$1/proc" && mount -t sysfs -o ro sysfs "$1/sys" && mount -t tmpfs tmpfs "$1/dev/shm" &&
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$1/dev/pts" &&
    ln -sf pts/ptmx "$1/dev/ptmx" || exit
exec chroot "$@"'
within() { # FOLDER COMMAND...: with nothing of this environment but what apt needs to get out
    folder=$1
    shift
    unshare --mount --pid --fork --kill-child sh -c "$inside" sh "$work/archives" "$folder" env -i HOME=/root \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${no_proxy:+no_proxy="$no_proxy"} "$@" </dev/null
}

failed='' table=''
# Packages that one copy has fetched another need not fetch again.
mkdir -p "$work/archives/partial"
echo 'Binary::apt::APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/keep"

run() { # NAME COMMAND: in a copy of the chroot, in a clone; sets $result
    echo "==== $suite: $1"
    began=$(date +%s)
    copy=$work/copy
    cp -a "$root" "$copy" && git clone -q --no-local "$top" "$copy/srv/libredlock" || exit 69
    within "$copy" sh -c "cd /srv/libredlock && $2"
    status=$?
    result=ok
    if [ "$status" -eq 75 ] && lacking=$(skipped_stages | awk -v r="$suite" -v s="$1" '$1 == r && $2 == s { print $3 }') &&
        [ -n "$lacking" ]; then
        result="skipped: $suite has no package $lacking"
    elif [ "$status" -ne 0 ]; then
        result=FAILED failed="$failed $1"
    fi
    rm -rf --one-file-system "$copy"
    table="$table$(printf '%-10s %-16s %5d s  %s' "$suite" "$1" $(($(date +%s) - began)) "$result")
"
}

jobs=$(nproc)
if [ $# -eq 0 ]; then
    run demo "make -j$jobs demo"
    run 'deps check' "make -j$jobs deps check"
else
    # shellcheck disable=SC2046 # words on purpose
    [ "$*" != all ] || set -- $(make -s -C "$top" ci-waits ci-stages | tr ' ' '\n' | sed 's/.*://')
    for stage; do
        # The script itself, for its exit status: make has only one.
        run "$stage" "tests/house/deps.sh \$(make -s needs STAGE=$stage) && make -j$jobs $stage WERROR=-Werror"
    done
fi
printf '\n%s' "$table"
[ -z "$failed" ]
