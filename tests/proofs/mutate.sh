#!/bin/sh
# SPDX-License-Identifier: MIT
# mutate.sh OUT [FILE...] - change every operator and constant of resp/*.c in turn, one at a time, and see whether
# the suites notice: built plainly and, if they pass, with the sanitizers. Survivors are printed; README.md
# names those that are equivalent. Run from the top. CORE_SRC, the sources without those for POSIX, is make's.
set -u
out=$1
shift
[ $# -gt 0 ] || set -- resp/*.c
mkdir -p "$out/plain" "$out/asan" "$out/tests"
# The templates of all layers are the writer's test. This list is found before the one of the tree.
grep -E '^SUITE\((resp,|cli, cli_commands)' tests/suites.inc >"$out/tests/suites.inc"
flags="-std=c99 -O1 -w -I$out -I."
libs=$(pkg-config --libs check)
killed=0 total=0 broken=0

sanitizers() { # plain|asan
    [ "$1" = plain ] || echo '-fsanitize=address,undefined -fno-sanitize-recover=all'
}

build() { # plain|asan SOURCE OBJECT
    # shellcheck disable=SC2046,SC2086 # words on purpose
    gcc $flags $(sanitizers "$1") -Iresp -c -o "$out/$1/$3" "$2" 2>/dev/null
}

notices() { # plain|asan, objects of resp/ but the mutant's
    # shellcheck disable=SC2046,SC2086
    gcc $(sanitizers "$1") -o "$out/wire" "$out/$1/wire.o" "$out/$1/above.a" "$out/$1/mutant.o" $2 &&
        timeout -k 1 5 "$out/wire" 2>/dev/null | cmp -s - tests/golden/wire.txt || return 0
    # shellcheck disable=SC2046,SC2086
    gcc $(sanitizers "$1") -o "$out/check" "$out/$1/main.o" "$out/$1/guard_page.o" "$out/$1/grammar.o" \
        "$out/$1"/check_resp_*.o "$out/$1/check_cli_commands.o" "$out/$1/above.a" "$out/$1/mutant.o" $2 $libs || return 0
    ! CK_FORK=no timeout -k 1 10 "$out/check" >/dev/null 2>&1
}

others() { # plain|asan, file of resp/: the objects of all others
    for c in resp/*.c; do [ "$c" = "$2" ] || echo "$out/$1/$(basename "$c" .c).o"; done
}

try() { # file line change
    total=$((total + 1))
    for with in plain asan; do
        rest=$(others $with "$1")
        if ! build $with "$out/mutant.c" mutant.o; then
            broken=$((broken + 1))
            return
        elif (notices $with "$rest") 2>/dev/null; then # the shell reports crashes there
            killed=$((killed + 1))
            return
        fi
    done
    echo "survived $1:$2: $3"
}

for c in tests/main.c tests/fixtures/guard_page.c tests/resp/*.c tests/cli/check_cli_commands.c tests/golden/wire.c \
    resp/*.c; do
    build plain "$c" "$(basename "$c" .c).o" && build asan "$c" "$(basename "$c" .c).o" || exit
done
for with in plain asan; do # wire.c uses the ops of the layers above
    rm -f "$out/$with/above.a"
    for c in $CORE_SRC redlock/cli/servers/commands.c; do
        case $c in resp/*) continue ;; esac
        build $with "$c" above.o && mv "$out/$with/above.o" "$out/$with/above_$(basename "$c" .c).o" || exit
    done
    ar rcs "$out/$with/above.a" "$out/$with"/above_*.o
done
for with in plain asan; do # a suite that fails without a mutant would notice every mutant
    cp "$out/$with/resp_parse.o" "$out/$with/mutant.o"
    if (notices $with "$(others $with resp/resp_parse.c)"); then
        echo "mutate.sh: the suites do not pass as it is ($with)" >&2
        exit 1
    fi
done
rm -f "$out"/*/mutant.o
for file; do
    cp "$file" "$out/original.c" # the tree may change while this runs
    awk -f tests/proofs/mutate.awk "$out/original.c" >"$out/list"
    while IFS=$(printf '\t') read -r line change text; do
        MUTANT=$text awk -v n="$line" 'NR == n { print ENVIRON["MUTANT"]; next } { print }' "$out/original.c" >"$out/mutant.c"
        try "$file" "$line" "$change"
    done <"$out/list"
done
echo "$killed of $((total - broken)) mutants killed ($broken did not compile)"
