#!/bin/sh
# SPDX-License-Identifier: MIT
# coverage.sh OUT OBJECTS - are all lines, branches and conditions (MC/DC) of the library reached by its tests? By the
# suites that do not run the command, the scenarios of the simulator and 400 seeds. What need not be reached is in
# uncovered.txt. Prints a line for each file, then what was not reached. Run from the top.
# From make come CORE_SRC and POSIX_SRC, the sources; SUITES; and TEST_OBJ and SIM_OBJ, the objects of the tests.
set -u
out=$1 objects=$2
compiler=clang-19
# Without assertions: a condition that never fails cannot be covered.
flags='-std=c99 -O0 -DNDEBUG -w -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc'
mkdir -p "$out/tests" && rm -f "$out"/*.raw "$out"/*.o "$out"/*.c || exit
for suite in $SUITES; do
    grep -E "^SUITE\\([a-z]+, $suite\\)" tests/suites.inc
done >"$out/tests/suites.inc"
$compiler -std=c99 -w -I"$out" -I. -c -o "$out/main.o" tests/main.c || exit
# A forked child that ends by _exit has been there, too.
cat >"$out/exit.c" <<'END' && $compiler -c -o "$out/exit.o" "$out/exit.c" || exit
int __llvm_profile_write_file(void);
void __real__exit(int status);
void __wrap__exit(int status);
void __wrap__exit(int status)
{
    __llvm_profile_write_file();
    __real__exit(status);
}
END
for file in $CORE_SRC $POSIX_SRC; do
    echo "$file"
done | xargs -P "$(nproc 2>/dev/null || echo 2)" -I FILE sh -c \
    "$compiler $flags -I. -c -o $out/\$(echo FILE | tr / +).o FILE" || exit
# shellcheck disable=SC2046,SC2086 # words
{
    $compiler -fprofile-instr-generate -Wl,--wrap=_exit -o "$out/check" "$out/main.o" "$out/exit.o" $TEST_OBJ "$out"/*+*.o "$objects/lib/cli.a" \
        $(pkg-config --libs check) && $compiler -fprofile-instr-generate -o "$out/sim" $SIM_OBJ "$out"/*+*.o
} || exit
LLVM_PROFILE_FILE="$out/check-%8m.raw" CK_EXCLUDE_TAGS=assertions "$out/check" -j 8 >"$out/check.log" 2>&1 ||
    { grep ':[FE]:' "$out/check.log" && exit 1; }
# Over io_uring the suites of `make check-uring`. Where it is refused, its driver is left out.
if grep '^net_uring: NOT CHECKED' "$out/check.log"; then
    POSIX_SRC=$(echo "$POSIX_SRC" | sed 's,net/net_uring\.c,,')
else
    # shellcheck disable=SC2086 # words
    RDL_DRIVER=uring LLVM_PROFILE_FILE="$out/uring-%8m.raw" CK_EXCLUDE_TAGS='assertions sockets' \
        "$out/check" -j 8 $URING_SUITES >"$out/uring.log" || { grep ':[FE]:' "$out/uring.log" && exit 1; }
fi
LLVM_PROFILE_FILE="$out/scenarios.raw" "$out/sim" scenarios >"$out/sim.log" || { cat "$out/sim.log" && exit 1; }
LLVM_PROFILE_FILE="$out/seeds.raw" "$out/sim" 1:400 >"$out/sim.log" || { cat "$out/sim.log" && exit 1; }
llvm-profdata-19 merge -sparse "$out"/*.raw -o "$out/all.profdata" || exit
# shellcheck disable=SC2086
llvm-cov-19 report "$out/check" -object "$out/sim" -instr-profile="$out/all.profdata" -show-region-summary=false \
    -show-functions=false -show-branch-summary -show-mcdc-summary $CORE_SRC $POSIX_SRC >"$out/report" &&
    llvm-cov-19 export "$out/check" -object "$out/sim" -instr-profile="$out/all.profdata" $CORE_SRC $POSIX_SRC >"$out/json" || exit
cat "$out/report"
# Lines, branches and conditions that were not reached: FILE LINE WHAT.
jq -r '.data[0].files[] | (.filename | ltrimstr("'"$PWD"'/")) as $f |
    (.branches[] | select(.[4] == 0) | [$f, .[0], "never true"]),
    (.branches[] | select(.[5] == 0) | [$f, .[0], "never false"]),
    (.mcdc_records[] | .[0] as $l | .[-1] | to_entries[] | select(.value | not) | [$f, $l, "condition \(.key + 1) decides nothing"]),
    (.segments[] | select(.[2] == 0 and .[3] and .[4] and (.[5] | not)) | [$f, .[0], "never run"]) | @tsv' "$out/json" |
    sort -t "$(printf '\t')" -k 1,1 -k 2,2n -s >"$out/uncovered"
awk -F '\t' -f tests/mutation/uncovered.awk tests/mutation/uncovered.txt "$out/uncovered"
