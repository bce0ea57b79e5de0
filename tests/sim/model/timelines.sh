#!/bin/sh
# SPDX-License-Identifier: MIT
# Is the code a run of the model? timeline.pml reads the timelines of the scenarios in timelines.txt, and of seeds.
#
#     tests/sim/model/timelines.sh BUILD [SEEDS]    BUILD/sim runs the code; SEEDS: so many seeds, too
#
# Each timeline must be accepted to its end, and refused if one step is changed. Each step of the model must be needed by one.
set -u
build=$1/timelines
sim=$1/sim
here=tests/sim/model
mkdir -p "$build"
cp $here/timeline.pml $here/steps.pml "$build" || exit
(
    cd "$build" && spin -a timeline.pml >spin.log 2>&1 &&
        ${CC:-cc} -O1 -w -DSAFETY -DNOREDUCE -DVECTORSZ=20000 -DMEMLIM=4000 -o pan pan.c
) || exit
failed=0
fails() {
    echo "$*"
    failed=1
}
# is_run FILE OFF: the timeline is accepted
is_run() {
    (cd "$build" && TIMELINE=$1 OFF=$2 ./pan -E -w12 -m200000 >pan.log 2>&1)
    grep -q 'assertion violated' "$build/pan.log"
}
# What the first step is that the model cannot take.
refused() {
    sed -n "$(($(sed -n 's/^refused: step //p' "$build/pan.log") + 1))p" "$build/$1"
}

n=0
while IFS='|' read -r rule max_ttl change name; do
    case $rule in
    R*) ;;
    *) continue ;;
    esac
    n=$((n + 1))
    "$sim" scenarios "$name" trace=1 >"$build/$n.trace"
    awk -v guard="$max_ttl" -v canary="$max_ttl" -f $here/timeline.awk "$build/$n.trace" >"$build/$n"
    sed "$change" "$build/$n" >"$build/$n.changed"
    is_run "$n" 0 || fails "$name: refused at step: $(refused $n)"
    ! is_run "$n.changed" 0 || fails "$name: accepted with a step that breaks $rule"
    is_run "$n.changed" "${rule#R}" || fails "$name: the changed step breaks more than $rule: $(refused "$n.changed")"
done <$here/timelines.txt

needed() {
    for i in $(seq $n); do
        is_run "$i" "$1" || return 0
    done
    return 1
}
sed -n 's/^#define \([A-Z_]*\) \([56][0-9]\)$/\1 \2/p' $here/timeline.pml >"$build/steps"
while read -r step number; do
    needed "$number" || fails "$step: a step that no timeline needs"
done <"$build/steps"

# Without servers that come back with the data of a moment ago: the model has no step for these.
faults=tail,cut,reset,stall,partition,freeze,swallow,pause,kill,cancel,adopt,restart
seeds=${2:-0}
for seed in $(seq "$seeds"); do
    "$sim" "$seed" single=0 guard=2 faults=$faults trace=1 >"$build/trace"
    awk -v guard=0 -v canary=0 -v slack=10 -f $here/timeline.awk "$build/trace" >"$build/seed" || continue
    is_run seed 0 || fails "seed $seed: refused at step: $(refused seed)"
done
echo "$n timelines of scenarios, $seeds of seeds, $(wc -l <"$build/steps") steps"
[ "$failed" = 0 ]
