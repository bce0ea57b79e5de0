#!/bin/bash
# SPDX-License-Identifier: MIT
# Breaks one rule of the command at a time and checks that its tests notice.
#
#     tests/cli/mutants.sh BUILD [NAME...]     the named ones, or all
#     tests/cli/mutants.sh --draw N BUILD      N of them, chosen by the hash of the commit; the others must apply
#     tests/cli/mutants.sh --one BUILD NAME    one of them, with the programs of an earlier run
#
# The second line of each tests/cli/mutants/NAME.sed names the file of the command that it changes, and the
# rule that it breaks. Its third line, `# tests: WORD...`, lists the tests to run until one fails: a WORD is
# SUITE/TEST, or SUITE for all of its tests. They must pass with the command that is not mutated. For a new
# mutant, name the suites of its file first; then, to save time, the test that noticed it.
# TEST_OBJECTS: the objects of the test suite. CC, CFLAGS: of the Makefile. JOBS: mutants in parallel, 1 by
# default: the tests wait for servers and clocks.
# Exit status 1 if a mutant survives, does not apply, compile or run, or if a test fails without a mutant.
set -u
# shellcheck source=tests/house/mutate.sh
. tests/house/mutate.sh
dir=tests/cli/mutants
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
shift
work=$build/mutants-cli
tree=$work/tree
not_caught='SURVIVES|DOES NOT'

# shellcheck disable=SC2086 # the compiler may be several words
compile() {
    ${CC:-cc} -std=c99 ${CFLAGS:--O1} -w "$@"
}

# The command, and the suites, which link its files except main.c. An object here replaces that of cli.a.
link_with() { # object out: no object: the original
    local main=$tree/main.o object=$1
    if [ "${object##*/}" = main.o ]; then
        main=$object object=''
    fi
    # shellcheck disable=SC2046,SC2086 # flags are words, and the object may be none
    compile -o "$2/redlock" "$main" $object "$tree/cli.a" "$tree/libredlock.a" &&
        compile -o "$2/check" -Wl,--wrap=_tcase_add_test "$tree/one_test.o" "$tree/tests.o" $object "$tree/cli.a" \
            "$tree/libredlock.a" $(pkg-config --libs check)
}

# Prints the result: "passes", the first test that failed, or that it does not run. A mutant may hang: the
# timeouts of tests are not multiplied then.
run() { # out word
    local log=$1/${2%%/*}.log only=
    [ "$2" = "${2#*/}" ] || only=RDL_TEST=${2#*/}
    [ "$1" = "$work/unmutated" ] || only="$only CK_TIMEOUT_MULTIPLIER=1"
    # shellcheck disable=SC2086 # they are words
    if env $only RDL_COMMAND="$1/redlock" "$1/check" "${2%%/*}" >"$log" 2>&1 </dev/null; then
        echo passes
    elif grep -q '^[0-9]* of [0-9]* failed:$' "$log"; then
        sed -n '/^[0-9]* of [0-9]* failed:$/{n;p;q}' "$log" | awk -F ': *' '{ print $4 != "" ? $4 : $0 }'
    else
        echo "DOES NOT RUN: $(tail -n 1 "$log")"
    fi
}

# A test that fails without a mutant proves nothing. Each word runs once.
unmutated() { # word
    local said=$work/unmutated/${1//\//.}
    [ -s "$said" ] || run "$work/unmutated" "$1" >"$said"
    cat "$said"
}

# Prints how the tests react to a mutant.
tried() { # out word...
    local out=$1 word said
    shift
    for word; do
        said=$(run "$out" "$word")
        [ "$said" != passes ] || continue
        case $said in
        'DOES NOT'*) ;;
        *) [ "$(unmutated "$word")" = passes ] || said="DOES NOT PASS without the mutant: $(unmutated "$word")" ;;
        esac
        echo "${word%%/*}: $said"
        return
    done
    echo "SURVIVES $*"
}

try() { # name
    local out=$work/$1 file base words said began=$SECONDS
    file=$(mutated_file "$dir" "$1")
    base=$(basename "$file" .c)
    words=$(sed -n '3s/^# tests: //p' "$dir/$1.sed")
    mkdir -p "$out"
    if ! mutate "$dir" "$1" "$tree" "$out/$base.c"; then
        said="DOES NOT APPLY to $file"
    elif ! { compile -I"$tree" -I. -c -o "$out/$base.o" "$out/$base.c" && link_with "$out/$base.o" "$out"; } 2>"$out/cc.log"; then
        said="DOES NOT COMPILE: $(grep -m1 error "$out/cc.log")"
    elif [ -z "$words" ]; then
        said='DOES NOT RUN: its third line names no tests'
    else
        # shellcheck disable=SC2086 # words are words
        said=$(tried "$out" $words)
    fi
    printf '%-36s %-18s %3d s  %s\n' "$1" "$base.c" $((SECONDS - began)) "$said"
    case $said in
    *SURVIVES* | *'DOES NOT'*) ;; # its logs say more
    *) rm -rf "$out" ;;
    esac
}

if [ -n "$one" ]; then
    try "$@"
    exit
fi
# Copies, so that all mutants are made of the same sources.
rm -rf "$work"
mkdir -p "$tree/redlock" "$work/unmutated"
cp -R redlock/cli "$tree/redlock" &&
    cp "$build/lib/cli.a" "$build/lib/libredlock.a" "$build/lib/redlock/cli/main.o" "$tree" || exit 2

if [ -n "$drawn" ]; then
    all_apply "$dir" "$tree" "$work/mutant.c" || exit 1
    # shellcheck disable=SC2046 # names are words
    set -- $(drawn_mutants "$dir" "$drawn")
elif [ $# -eq 0 ]; then
    # shellcheck disable=SC2046
    set -- $(mutants_in "$dir")
fi

# shellcheck disable=SC2086 # objects are words
ld -r -o "$tree/tests.o" $TEST_OBJECTS && compile -c -o "$tree/one_test.o" "$dir/one_test.c" &&
    link_with '' "$work/unmutated" || exit 2

printf '%-36s %-18s %5s  %s\n' 'mutant' 'file' 'time' 'noticed by'
printf '%s\n' "$@" | xargs -I '{}' -P "${JOBS:-1}" "$0" --one "$build" '{}' | tee "$work/told"
caught=$(grep -cvE "$not_caught" "$work/told")
echo "$caught of $# mutants of the command caught, in $SECONDS s"
[ "$caught" = $# ]
