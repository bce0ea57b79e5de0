#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh - the fuzz targets as a fuzzing service builds them: by $CC and $CXX with $CFLAGS and $CXXFLAGS, linked to
# $LIB_FUZZING_ENGINE, into $OUT, each with its inputs. The target that needs hiredis is not among them.
# shellcheck disable=SC2086 # flags and files are words
set -eu
cd "$(dirname "$0")/.."
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
for target in parse conn lock roundtrip api; do
    sources="fuzz/fuzz_$target.c redlock/pkg/rdl.c redlock/cli/servers/commands.c"
    [ $target != api ] || sources="$sources $(echo fuzz/api/*.c tests/sim/server*.c tests/sim/lua*.c tests/sim/sha1.c)"
    rm -f "$objects"/*
    for source in $sources; do
        $CC $CFLAGS -std=c99 -I. -c -o "$objects/$(echo "$source" | tr / -).o" "$source"
    done
    $CXX $CXXFLAGS -o "$OUT/$target" "$objects"/*.o $LIB_FUZZING_ENGINE
    zip -qjr "$OUT/${target}_seed_corpus.zip" fuzz/corpus/$target
done
