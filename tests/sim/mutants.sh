#!/bin/sh
# SPDX-License-Identifier: MIT
# Breaks one rule of the production code at a time and asks whether the simulator notices.
#
#     tests/sim/mutants.sh BUILD SEEDS [NAME...]      SEEDS: the budget of random schedules, e.g. 2000
#
# Each tests/sim/mutants/NAME.sed says in its second line which file it changes and which rule it breaks.
# A mutant is caught by a directed scenario, by a seed (a violation, an assertion, a hang), or by both.
# Exit status 1 if one survives or does not apply any more, or if what is not mutated is "caught" too.
set -u
build=$1
seeds=$2
shift 2
cc=${CC:-cc}
dir=tests/sim/mutants
tree=$build/mutants/tree
if [ $# -eq 0 ]; then
    for file in "$dir"/*.sed; do
        name=${file##*/}
        set -- "$@" "${name%.sed}"
    done
fi

# A copy of its own, so that all mutants are made of the same sources.
rm -rf "$build/mutants"
mkdir -p "$tree/tests"
cp -R resp net lock redlock "$tree"
cp -R tests/sim "$tree/tests"
for file in $(cd "$tree" && ls resp/*.c net/*.c lock/*.c redlock/*.c tests/sim/*.c); do
    case $file in */check_*) continue ;; esac
    $cc -std=c99 -O1 -g -w -I"$tree" -c -o "$tree/${file%.c}.o" "$tree/$file" || exit 2
done

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

# What is caught without any change says nothing about a mutant.
main=$tree/tests/sim/sim_main.o
if ! link_mutant "$main" "$main" "$build/mutants/sim" || ! "$build/mutants/sim" "1:$seeds" quiet=1 >"$build/mutants/none.log" ||
    ! "$build/mutants/sim" scenarios >>"$build/mutants/none.log"; then
    grep -E '^(VIOLATION|FAIL)' "$build/mutants/none.log"
    echo 'the unmutated code fails'
    exit 1
fi

survivors=0
n=0
printf '%-32s %-32s %s\n' 'mutant' 'seeds' 'scenario'
for name in "$@"; do
    out=$build/mutants/$name
    file=$(sed -n '2s/^# \([^:]*\):.*/\1/p' "$dir/$name.sed")
    mkdir -p "$out"
    n=$((n + 1))
    if [ ! -f "$tree/$file" ] || ! sed -E -f "$dir/$name.sed" "$tree/$file" >"$out/mutant.c" ||
        cmp -s "$tree/$file" "$out/mutant.c"; then
        printf '%-32s DOES NOT APPLY to %s\n' "$name" "$file"
        survivors=$((survivors + 1))
        continue
    fi
    if ! link_mutant "$out/mutant.c" "$tree/${file%.c}.o" "$out/sim" 2>"$out/cc.log"; then
        printf '%-32s DOES NOT COMPILE: %s\n' "$name" "$(grep -m1 error "$out/cc.log")"
        survivors=$((survivors + 1))
        continue
    fi
    timeout 60 "$out/sim" "1:$seeds" quiet=1 >"$out/seeds.log" 2>&1
    status=$?
    case $status in
    0) by_seed=- ;;
    1) by_seed=$(sed -n 's/^VIOLATION seed \([0-9]*\) \([a-z ]*\):.*/seed \1: \2/p' "$out/seeds.log" | head -n 1) ;;
    124) by_seed='hangs' ;;
    *) by_seed="assertion (status $status)" ;;
    esac
    timeout 60 "$out/sim" scenarios >"$out/scenarios.log" 2>&1
    status=$?
    case $status in
    0) by_scenario=- ;;
    1) by_scenario=$(sed -n 's/^FAIL \(.*\): [a-z ]*: .*/\1/p' "$out/scenarios.log" | head -n 1) ;;
    124) by_scenario='hangs' ;;
    *) by_scenario="assertion (status $status)" ;;
    esac
    [ "$by_seed$by_scenario" != -- ] || survivors=$((survivors + 1))
    printf '%-32s %-32s %s\n' "$name" "$by_seed" "$by_scenario"
    [ "$by_seed$by_scenario" = -- ] && printf '%-32s SURVIVES\n' "$name"
    rm -rf "$out"
done
echo "$((n - survivors)) of $n mutants caught (budget: $seeds seeds and the directed scenarios)"
[ "$survivors" = 0 ]
