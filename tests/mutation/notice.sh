# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# notice.sh - do the tests notice a change of the library? For scripts that source it. They set:
#
#     out      a folder for the whole run, an absolute path
#     objects  where make puts the objects
#     top      the top of the tree, an absolute path
#
# A change is a folder (a place) with the objects of the changed files, named as the files are: PLACE/lock/lock.o.
# From make come CORE_SRC, POSIX_SRC, WAITING_SRC (the tests of these and of POSIX_SRC need servers), SUITES,
# URING_SUITES (which also pass over io_uring), and the objects of each program without the library: TEST_OBJ, SIM_OBJ,
# PORT_OBJ (check-port, without a driver).
libs=$(pkg-config --libs check)
with_servers='net_posix net_posix_bad net_posix_calls net_posix_errors net_posix_fork net_posix_resolve net_posix_stdin net_posix_wait
net_uring lock_io lock_posix redlock_io redlock_calls redlock_several easy easy_settings easy_thread'

# The same name and the same line numbers as the original, so that equal code gives equal objects.
compile() { # place file
    (cd "$1" && gcc -std=c99 -O2 -w -I. -I"$top" -c -o "${2%.c}.o" "$2") 2>/dev/null
}

# A program of the given objects and the library, with the changed objects of the place.
link() { # place program object...
    local place=$1 program=$2 c library=()
    shift 2
    for c in $CORE_SRC $POSIX_SRC; do
        c=${c%.c}.o
        [ -e "$place/$c" ] && library+=("$place/$c") || library+=("$objects/lib/$c")
    done
    # shellcheck disable=SC2086 # words
    gcc -o "$place/$program" "$@" "${library[@]}" "$objects/lib/cli.a" $libs 2>/dev/null
}

changes_one_of() { # place file...
    local place=$1 c
    shift
    for c; do
        [ ! -e "$place/${c%.c}.o" ] || return 0
    done
    return 1
}

# A program fails if it says so, ends by a signal, or takes more than so many seconds of a processor. One that waits
# for ever gets 90 of the clock.
fails() { # seconds program...
    local most=$1
    shift
    { ! (ulimit -S -t "$most" && ulimit -c 0 && exec timeout -k 1 90 "$@") >/dev/null 2>&1 </dev/null; } 2>/dev/null
}

# On a busy machine a few of them may fail by themselves: twice counts. Many that fail count at once, and so do suites
# that do not come to their end: without a change they take 15 seconds of the clock, and all that have servers 60.
fails_with_servers() { # clock program suite...
    local clock=$1 program=$2 log=$2.log failed
    shift 2
    for _ in once twice; do
        { (ulimit -S -t 30 && ulimit -c 0 && CK_DEFAULT_TIMEOUT=10 CK_TIMEOUT_MULTIPLIER=1 \
            exec timeout -k 1 "$clock" "$program" -j 4 "$@") >"$log" 2>&1 </dev/null; } 2>/dev/null && return 1
        failed=$(sed -nE 's/^([0-9]+) of [0-9]+ failed:$/\1/p' "$log")
        [ "${failed:-99}" -lt 5 ] || return 0
    done
}

# The driver over io_uring: its own suite, which does not pass where io_uring is refused, the other suites over it, and
# the rules of all drivers. Nothing else uses it.
uring_notices() { # place
    local c drivers=()
    for c in net/net_uring net/net_posix net/net_posix_process net/net_posix_clock; do
        [ -e "$1/$c.o" ] && drivers+=("$1/$c.o") || drivers+=("$objects/lib/$c.o")
    done
    # shellcheck disable=SC2086 # words
    gcc -o "$1/port" "$objects/lib/tests/port/port_uring.o" "${drivers[@]}" $PORT_OBJ 2>/dev/null &&
        ! fails 20 "$1/port" || return 0
    # shellcheck disable=SC2086
    RDL_DRIVER=uring fails_with_servers 60 "$1/check" net_uring ||
        RDL_DRIVER=uring CK_EXCLUDE_TAGS=sockets fails_with_servers 90 "$1/check" $URING_SUITES
}

# Of the suites read, those that are named after the changed files. They notice most changes, in a tenth of the time.
named_after() { # place
    local c names=()
    for c in $CORE_SRC $POSIX_SRC; do
        [ ! -e "$1/${c%.c}.o" ] || names+=(-e "^$(basename "$c" .c)(_|\$)")
    done
    grep -E "${names[@]}"
}

# Prints what notices the change; nothing: none of the tests.
noticed_by() { # place
    local own
    # shellcheck disable=SC2086 # words
    link "$1" check "$out/main.o" $TEST_OBJ || { echo linker && return; }
    own=$(named_after "$1" <"$out/quick")
    # shellcheck disable=SC2086
    [ -z "$own" ] || ! CK_FORK=no fails 10 "$1/check" $own || { echo suites && return; }
    if [ -e "$1/net/net_uring.o" ]; then
        ! uring_notices "$1" || echo 'suites over io_uring'
        return
    fi
    # shellcheck disable=SC2086
    if changes_one_of "$1" $POSIX_SRC $WAITING_SRC; then
        # shellcheck disable=SC2086
        own=$(printf '%s\n' $with_servers | named_after "$1")
        # shellcheck disable=SC2086
        [ -z "$own" ] || ! fails_with_servers 60 "$1/check" $own || { echo 'suites with servers' && return; }
        # shellcheck disable=SC2086
        ! fails_with_servers 90 "$1/check" $with_servers || { echo 'suites with servers' && return; }
    fi
    # shellcheck disable=SC2086
    if changes_one_of "$1" $POSIX_SRC; then # no other test uses them
        ! fails_with_servers 180 "$1/check" servers/ || echo 'suites with servers'
        return
    fi
    # shellcheck disable=SC2046
    ! CK_FORK=no fails 10 "$1/check" $(cat "$out/quick") || { echo suites && return; }
    # shellcheck disable=SC2046
    ! fails 20 "$1/check" $(cat "$out/apart") || { echo suites && return; }
    link "$1" wire "$out/wire.o"
    "$1/wire" 2>/dev/null | cmp -s - tests/golden/wire.txt || { echo wire.txt && return; }
    # shellcheck disable=SC2086
    link "$1" sim $SIM_OBJ
    ! fails 10 "$1/sim" scenarios || { echo scenarios && return; }
    ! fails 20 "$1/sim" 1:400 || { echo seeds && return; }
    # shellcheck disable=SC2046
    ! CK_FORK=no fails 60 "$1/check" $(cat "$out/slow") || { echo suites && return; }
    # The few that are left: what is said of one server may be tested on a real one alone.
    ! fails_with_servers 180 "$1/check" servers/ || { echo 'suites with servers' && return; }
}

# Builds what all changes have in common, and sees that the tests of this file pass without a change.
prepare() { # file...
    local suite began list by none=$out/none file
    mkdir -p "$out/tests" "$none" || exit
    for suite in $SUITES; do
        grep -E "^SUITE\\([a-z]+, $suite\\)" tests/suites.inc
    done >"$out/tests/suites.inc"
    gcc -std=c99 -O1 -w -I"$out" -I. -c -o "$out/main.o" tests/main.c &&
        gcc -std=c99 -O1 -w -I. -c -o "$out/wire.o" tests/golden/wire.c || exit
    # Some suites pass only with a process for each test: apart. Of the others those that take long come last.
    # shellcheck disable=SC2086
    link "$none" check "$out/main.o" $TEST_OBJ || exit
    : >"$out/quick"
    : >"$out/slow"
    : >"$out/apart"
    while read -r suite; do
        began=${EPOCHREALTIME/[.,]/}
        if CK_FORK=no fails 10 "$none/check" "$suite"; then
            list=apart
        else
            [ $((${EPOCHREALTIME/[.,]/} - began)) -lt 200000 ] && list=quick || list=slow
        fi
        echo "$suite" >>"$out/$list"
    done < <(sed -nE 's/^SUITE\((resp|net|lock|redlock), (.*)\)/\2/p' "$out/tests/suites.inc")
    for file; do
        mkdir -p "$none/$(dirname "$file")"
        cp "$objects/lib/${file%.c}.o" "$none/${file%.c}.o"
        by=$(noticed_by "$none")
        [ -z "$by" ] || { echo "nothing was changed in $file, and the $by noticed it" >&2 && exit 1; }
        rm "$none/${file%.c}.o"
    done
}
