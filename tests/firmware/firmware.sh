#!/bin/bash
# SPDX-License-Identifier: MIT
# firmware.sh [--update] BUILD FIGURES - the reference port takes real locks, on three emulated boards.
# 1. Each board wants a lock that another client holds. Its line is cut again and again and begins each time with a
#    grant that no server sent: the board must ignore it. Then it is reset, and wants the lock again while the server is
#    frozen: first so briefly that replies come after the board's timeout, then so long that it connects again. Then
#    the lock is free, and it acquires it once.
# 2. Flash, .bss and the deepest stack of the call graph (stack.awk) are compared with FIGURES (compare.awk), or written
#    there. What a run used of the stack depends on its timing: it must not exceed what was computed.
# 3. Three boards and four hosts count to 1,000 in one file, one lock on one server, which is killed, frozen and
#    started again on the way. No update may be lost. The server writes each command to its log before it
#    replies, so a restart loses no lock.
# 4. The port is built by the line in its README, and that board takes the lock once. The line also works without
#    NDEBUG. Without -ffreestanding, mem.c stops it.
set -u
update=
if [ "$1" = --update ]; then
    update=1
    shift
fi
tests=$(dirname "$(realpath "$0")")
build=$(realpath "$1")
committed=$(realpath "$2")
export LC_ALL=C.UTF-8
boards='m3 m4 rv32'
goal=1000
limit=180 # seconds, for all of it; on two cores it takes 35
run=$build/firmware/run
rm -rf "$run"
mkdir -p "$run" || exit
cd "$run" || exit
shared=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d) || exit
trap 'kill -KILL $(jobs -p) 2>/dev/null; rm -rf "$shared"' EXIT

die() {
    echo "firmware: $*" >&2
    tail -n 3 ./*.err ./*.line redis.log >&2
    exit 1
}
until_true() { # command...: it succeeds, in time
    until "$@"; do
        [ "$SECONDS" -lt "$limit" ] || die "$limit s are over, and waited without success for: $*"
        sleep 0.05
    done
}
stop() { # PID...
    kill -KILL "$@"
    wait "$@" 2>/dev/null
}
gone() { ! kill -0 "$1" 2>/dev/null; }
ended_well() { # who pid
    until_true gone "$2"
    wait "$2" || die "$1 ended with status $?"
}

# ---------------------------------------------------------------- the server

ask() { redis-cli -p "$port" "$@" 2>/dev/null; }
is_ours() { [ "$(ask config get dir | tail -n 1)" = "$run" ]; } # and not another program's, on that port
serve() {
    redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly yes --appendfsync no \
        --dir "$run" --logfile redis.log &
    server=$!
}
is_decided() { is_ours || gone "$server"; }
begin_server() {
    local try
    for try in 1 2 3 4 5; do
        port=$((20000 + (BASHPID * 7 + try * 1009) % 12000))
        serve
        until_true is_decided
        is_ours && return
    done
    die 'no port for a server'
}
restart_server() { # [SECONDS]: it stays down for this time
    stop "$server"
    sleep "${1:-0}"
    serve
    until_true is_ours
}

# ---------------------------------------------------------------- the boards

number() { # FILE: 4 bytes, as the boards write them
    local n
    n=$(od -An -tu4 "$1" 2>/dev/null)
    echo $((n))
}
write_number() { # FILE NUMBER
    # shellcheck disable=SC2059 # the escapes are in the format
    printf "$(printf '\\x%02x' $(($2 & 255)) $(($2 >> 8 & 255)) $(($2 >> 16 & 255)) $(($2 >> 24)))" >"$1"
}

plug() { # BOARD [BYTES]: a line to a bridge of its own; $bridge: its process
    rm -f "$1/line"
    "$build/firmware/bridge" "$1/line" "$port" "${@:2}" 2>>"$1.line" &
    bridge=$!
    until_true test -S "$1/line"
}
boot() { # BOARD: in its folder, at its line; $board: its process
    local image=$build/firmware/$1/firmware.elf machine serial
    case $1 in
    m3) machine='qemu-system-arm -M mps2-an385' serial=1003 ;;
    readme) machine='qemu-system-arm -M mps2-an385' serial=1005 ;;
    m4) machine='qemu-system-arm -M mps2-an386' serial=1004 ;;
    rv32) machine='qemu-system-riscv32 -M virt -bios none' serial=1032 ;;
    esac
    # shellcheck disable=SC2086 # words on purpose
    (cd "$1" && exec $machine -display none -monitor none -serial chardev:line \
        -chardev socket,id=line,path=line,reconnect=1 \
        -device "loader,addr=0x$(nm "$image" | awk '$3 == "serial" { print $1 }'),data=$serial,data-len=8" \
        -semihosting-config enable=on,target=native -kernel "$image" </dev/null >>"../$1.err" 2>&1) &
    board=$!
}
sent() { # BOARD: all that it sent, in one line
    sed -n 's/^board *//p' "$1.line" | tr -d '\n'
}
tokens() { # BOARD: those of its acquires
    # shellcheck disable=SC2016 # a dollar is a dollar
    sent "$1" | grep -oE '\$40\\r\\n[0-9a-f]{40}\\r\\n\$2\\r\\nNX' | grep -oE '[0-9a-f]{40}'
}
was_tempted() { # BOARD: three times, or it accepted one
    [ "$(grep -c '^cut' "$1.line")" -ge 3 ] || [ "$(number "$1/number")" -gt 0 ]
}

begin_server

# ---------------------------------------------------------------- 1. one by one, and none accepts a false grant

ask set board somebody px 100000 >/dev/null
for b in $boards; do
    mkdir "$b"
    write_number "$b/number" 0
    write_number "$b/goal" 1
    plug "$b" 100
    boot "$b"
    held="${held-} $board $bridge"
done
for b in $boards; do
    until_true was_tempted "$b"
    [ "$(number "$b/number")" -eq 0 ] || die "$b: somebody else holds the lock, and it took it"
done
# shellcheck disable=SC2086 # words on purpose
stop $held # a reset, as far as the boards can see
second=''
for b in $boards; do
    mv "$b.line" "$b.deceived"
    plug "$b"
    boot "$b"
    second="$second $b:$board:$bridge"
done
freeze() { # SECONDS
    kill -STOP "$server"
    sleep "$1"
    kill -CONT "$server"
}
# A board that abandoned an acquire and sent its release before the reply to its SET came, on the same connection.
late_reply() { grep -qE '^board .*NX.*EVAL' "$1.line"; }
# It sent its ECHO again though the bridge kept the line: it had closed the connection.
reconnected() { [ "$(sent "$1" | grep -o 'ECHO N' | wc -l)" -ge 3 ]; }
for b in $boards; do
    until late_reply "$b" && reconnected "$b"; do
        [ "$SECONDS" -lt "$limit" ] || die "$b: no late reply, or no reconnect"
        freeze 0.3
        sleep 0.2
        freeze 1
        sleep 0.2
    done
done
ask del board >/dev/null
for each in $second; do
    IFS=: read -r b board bridge <<<"$each"
    ended_well "$b" "$board"
    stop "$bridge"
    [ "$(number "$b/boots")" -eq 2 ] || die "$b: booted twice, and its store says $(number "$b/boots")"
    [ "$(number "$b/number")" -eq 1 ] || die "$b: one update, and the number is $(number "$b/number")"
    cp "$b.line" "$b.session"
    cat "$b.deceived" >>"$b.line"
    tokens "$b" >>all_tokens
done
[ "$(ask exists board)" -eq 0 ] || die 'the lock is still there'
[ "$(sort all_tokens | uniq -d | wc -l)" -eq 0 ] || die 'a token was used twice'
echo "none was deceived, in $(cat ./*.line | grep -c '^stale') tries; $(wc -l <all_tokens) tokens, all different"

# ---------------------------------------------------------------- 2. what it takes

deepest() { # BOARD: through the call graph, from reset
    local entry=on_reset
    [ "$1" != rv32 ] || entry=start
    nm "$build/firmware/$1/firmware.elf" >"$1/symbols"
    find "$build/firmware/$1" -name '*.ci' -print0 | sort -z | xargs -0 awk -v target="$1" -v entry=$entry -v symbols="$1/symbols" \
        -f "$tests/../house/stack.awk" "$tests/../house/budgets.txt" "$tests/calls.txt" | sed "s/ $entry / firmware /"
}
for b in $boards; do
    echo "compiler $b $(cat "$build/firmware/$b/compiler")"
    size "$build/firmware/$b/firmware.elf" | awk -v b="$b" '
        NR == 2 { print "flash", b, "firmware", $1 + $2; print "bss", b, "firmware", $2 + $3 }'
    deepest "$b"
done >figures
awk '$1 ~ /^(flash|bss|stack)$/ { print $2 ": " $1 " " $4 } /^#/' figures
for b in $boards; do
    computed=$(awk -v b="$b" '$1 == "stack" && $2 == b { print $4 }' figures)
    used=$(number "$b/stack")
    echo "$b: stack $used used, $computed computed"
    [ "$used" -le "$computed" ] || die "$b: the run used $used bytes of stack, and only $computed were computed"
done
if [ -n "$update" ]; then
    {
        echo '# SPDX-License-Identifier: MIT'
        echo '# Written by make firmware-update. KIND BOARD NAME BYTES; the reference port with its library.'
        grep -v '^#' figures
    } >"$committed"
fi
awk -v who=firmware -v update=firmware-update -f "$tests/../house/compare.awk" \
    "$tests/../house/budgets.txt" figures "$committed" || exit

# ---------------------------------------------------------------- 3. all at once

# In memory where there is such a folder: a busy disk stops a writer for longer than the rest of its lease.
write_number "$shared/number" 0
write_number "$shared/goal" $goal
ln -sf "$shared/number" "$shared/goal" .
for b in $boards; do
    ln -sf "$shared/number" "$shared/goal" "$b"
    plug "$b" 4000
    boot "$b"
    all="${all-} $b:$board"
done
for h in host1 host2 host3 host4; do
    "$build/firmware/contender" "redis://127.0.0.1:$port" >$h.out 2>$h.err &
    all="$all $h:$!"
done
reached() { [ "$(number number)" -ge $((goal * $1 / 100)) ]; } # PER CENT
until_true reached 10
restart_server
until_true reached 30
kill -STOP "$server"
sleep 4 # longer than any lease
kill -CONT "$server"
until_true reached 50
restart_server 2
until_true reached 70
ask client kill type normal >/dev/null
for who in $all; do
    ended_well "${who%:*}" "${who#*:}"
done

sum=0
for who in $all; do
    who=${who%:*}
    case $who in
    host*) updates=$(awk '$1 == "updates" { print $2 }' "$who.out") ;;
    *) updates=$(number "$who/updates") ;;
    esac
    sum=$((sum + updates))
    shares="${shares-}  $who $updates"
    [ "$updates" -gt 0 ] || die "$who wrote nothing"
done
echo "updates:$shares; in all $sum, the number is $(number number)"
echo "lines cut $(cat ./*.line | grep -c '^cut') times"
if [ "$sum" -ne $goal ] || [ "$(number number)" -ne $goal ]; then
    die "updates were lost: $sum were made, the number is $(number number)"
fi

# ---------------------------------------------------------------- 4. by the line in the README

top=$(realpath "$tests/../..")
line=$(awk '/^    arm-none-eabi-gcc / { on = 1 } on { print; if (!/\\$/) exit }' "$top/lock/examples/firmware/README.md")
by_readme() { # FLAG: without it; the output is in readme.log
    (cd "$top" && echo "${line/ $1 / }" | sed "s|-o firmware.elf|-o '$build/firmware/readme/firmware.elf'|" | sh -e) >readme.log 2>&1
}
mkdir -p "$build/firmware/readme" readme
if by_readme -ffreestanding || ! grep -qF 'compile with -ffreestanding' readme.log; then
    cat readme.log
    die 'the README: without -ffreestanding, mem.c did not stop it'
fi
for flag in -DNDEBUG ''; do
    by_readme "$flag" || { cat readme.log; die "the README: its line does not build${flag:+ without $flag}"; }
done
write_number readme/number 0
write_number readme/goal 1
plug readme
boot readme
ended_well readme "$board"
[ "$(number readme/number)" -eq 1 ] || die "the README: its board took the lock $(number readme/number) times instead of once"
echo "the line in the README: built, and its board takes the lock; refused without -ffreestanding"
echo "firmware: $goal acquisitions, 0 lost updates, $SECONDS s"
