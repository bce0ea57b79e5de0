#!/bin/bash
# SPDX-License-Identifier: MIT
# Breaks one rule of the production code at a time and checks whether the simulator notices.
#
#     tests/sim/mutants.sh BUILD SEEDS [NAME...]      SEEDS: the budget of random schedules, e.g. 2000
#     tests/sim/mutants.sh --draw N BUILD SEEDS       N of them, chosen by the hash of the commit; the others must apply
#     tests/sim/mutants.sh --one BUILD SEEDS SECONDS SECONDS NAME    one of them, in the existing tree
#
# Each tests/sim/mutants/NAME.sed says in its second line which file it changes and which rule it breaks.
# A mutant is caught by a directed scenario, or by a seed (a violation, an assertion, a hang). Seeds are run
# only if no scenario caught it; BOTH=1: in any case.
# A hang is more CPU time than ten times that of the unmutated code, plus 5 s, so a busy machine causes none.
# Mutants run in parallel, one per processor. JOBS: another number.
# Exit status 1 if one survives or does not apply any more, or if the unmutated code is "caught", too.
set -u
# shellcheck source=tests/house/mutate.sh
. tests/house/mutate.sh
one='' drawn=''
case $1 in
--one)
    one=1
    shift
    ;;
--draw)
    drawn=$2
    shift 2
    ;;
esac
build=$1
seeds=$2
shift 2
cc=${CC:-cc}
jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
dir=tests/sim/mutants
tree=$build/mutants/tree

# The program of a mutant: its own object instead of the original's.
link_mutant() {
    original=$2
    program=$3
    set -- "$1"
    for object in "$tree"/resp/*.o "$tree"/net/*.o "$tree"/lock/*.o "$tree"/redlock/*.o "$tree"/tests/sim/*.o; do
        [ "$object" = "$original" ] || set -- "$@" "$object"
    done
    $cc -std=c99 -O1 -g -w -I"$tree" -o "$program" "$@"
}

# The result of a run: SIGABRT, SIGFPE and SIGSEGV come from the code, SIGXCPU from the limit.
run() { # seconds log sed-expression program argument...
    most=$1 log=$2 found=$3
    shift 3
    { (ulimit -S -t "$most" && ulimit -c 0 && exec "$@") >"$log" 2>&1; } 2>/dev/null # the shell reports signals
    status=$?
    case $status in
    0) echo - ;;
    1) sed -n "$found" "$log" | head -n 1 ;;
    134 | 136 | 139) echo "assertion (status $status)" ;;
    152) echo hangs ;;
    *) echo "DOES NOT RUN (status $status)" ;;
    esac
}
not_caught='SURVIVES|DOES NOT'

try() { # seconds of the scenarios, of the seeds, name
    name=$3
    out=$build/mutants/$name
    file=$(mutated_file "$dir" "$name")
    mkdir -p "$out"
    if ! mutate "$dir" "$name" "$tree" "$out/mutant.c"; then
        printf '%-32s DOES NOT APPLY to %s\n' "$name" "$file"
    elif ! link_mutant "$out/mutant.c" "$tree/${file%.c}.o" "$out/sim" 2>"$out/cc.log"; then
        printf '%-32s DOES NOT COMPILE: %s\n' "$name" "$(grep -m1 error "$out/cc.log")"
    else
        by_scenario=$(run "$1" "$out/scenarios.log" 's/^FAIL \(.*\): [a-z ]*: .*/\1/p' "$out/sim" scenarios first=1)
        by_seed=
        if [ "$by_scenario" = - ] || [ -n "${BOTH:-}" ]; then
            found='s/^VIOLATION seed \([0-9]*\) \([a-z ]*\):.*/seed \1: \2/p'
            by_seed=$(run "$2" "$out/seeds.log" "$found" "$out/sim" "1:$seeds" quiet=1)
            [ "$by_seed" != - ] ||
                by_seed=$(run "$2" "$out/seeds.log" "$found" "$out/sim" "1:$seeds" quiet=1 misuse=1)
        fi
        survives=
        [ "$by_scenario$by_seed" != -- ] || survives=' SURVIVES'
        printf '%-32s %-60s %s%s\n' "$name" "$by_scenario" "$by_seed" "$survives"
        rm -rf "$out"
    fi
}

if [ -n "$one" ]; then
    try "$@"
    exit
fi

# A copy of the sources, so that all mutants use the same ones.
rm -rf "$build/mutants"
mkdir -p "$tree/tests"
cp -R resp net lock redlock "$tree"
cp -R tests/sim "$tree/tests"

if [ -n "$drawn" ]; then
    all_apply "$dir" "$tree" "$build/mutants/mutant.c" || exit 1
    # shellcheck disable=SC2046 # names are words
    set -- $(drawn_mutants "$dir" "$drawn")
elif [ $# -eq 0 ]; then
    # shellcheck disable=SC2046
    set -- $(mutants_in "$dir")
fi

# shellcheck disable=SC2086 # the compiler may be several words
(cd "$tree" && ls resp/*.c net/*.c lock/*.c redlock/*.c tests/sim/*.c) | grep -v /check_ | sed 's/\.c$//' |
    xargs -I '{}' -P "$jobs" $cc -std=c99 -O1 -g -w -I"$tree" -c -o "$tree/{}.o" "$tree/{}.c" || exit 2

# A failure without any change proves nothing about a mutant.
main=$tree/tests/sim/sim_main.o
link_mutant "$main" "$main" "$build/mutants/sim" || exit 2
limit() { # argument...: of the simulator; prints the limit for a hang
    if ! ("$build/mutants/sim" "$@" >"$build/mutants/none.log" && times >"$build/mutants/times"); then
        grep -E '^(VIOLATION|FAIL)' "$build/mutants/none.log" >&2
        echo 'the unmutated code fails' >&2
        return 1
    fi
    awk -F '[ms ]+' 'END { print int(5 + 10 * (60 * ($1 + $3) + $2 + $4)) }' "$build/mutants/times"
}
by_scenario=$(limit scenarios) && by_seed=$(limit "1:$seeds" quiet=1) || exit 1

printf '%-32s %-60s %s\n' 'mutant' 'scenario' 'seeds'
printf '%s\n' "$@" | xargs -I '{}' -P "$jobs" "$0" --one "$build" "$seeds" "$by_scenario" "$by_seed" '{}' | tee "$build/mutants/results"
caught=$(grep -cvE "$not_caught" "$build/mutants/results")
echo "$caught of $# mutants caught (budget: $seeds seeds and the directed scenarios; a hang: $by_scenario and $by_seed s of CPU time)"
[ "$caught" = $# ]
