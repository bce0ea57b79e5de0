#!/bin/sh
# SPDX-License-Identifier: MIT
# amalgam.sh AMALGAM - checks the lists of redlock/pkg/: each source is in them once, and a layer follows the ones that it
# uses. The one file has all of them, and needs only the files written beside it. And a Cortex-M4 links no more of the
# small variant than of the library (tests/house/size.txt), except for 20 bytes: a linker keeps or drops all texts of a file. On a board without a C library it links without NDEBUG if
# RDL_ASSERT is a trap, as redlock/pkg/README.md says, and not with newlib's assert. CORE_SRC and HEADERS are make's.
set -eu
amalgam=$1
pkg=redlock/pkg
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

listed() { sed -n 's/^#include "\(.*\.c\)"$/\1/p' "$@"; }
same() { # what, file, file
    cmp -s "$2" "$3" || { echo "amalgam.sh: $1:"; diff "$2" "$3"; exit 1; }
}
echo "$HEADERS" | tr ' ' '\n' | sort >"$dir/headers"
sed -n 's/^#include "\(.*\)"$/\1/p' $pkg/rdl.h $pkg/rdl_easy.h $pkg/rdl_uring.h $pkg/rdl_easy.hpp | sort >"$dir/listed"
same "rdl.h, rdl_easy.h, rdl_uring.h and rdl_easy.hpp (right) are not the public headers (left)" "$dir/headers" "$dir/listed"
listed $pkg/plain/rdl.c $pkg/rdl.c | grep -v ^$pkg/ >"$dir/order"
twice=$(listed $pkg/rdl_posix.c $pkg/rdl_easy.c $pkg/rdl_uring.c | cat "$dir/order" - | sort | uniq -d)
[ -z "$twice" ] || { echo "amalgam.sh: $pkg lists these twice:" "$twice"; exit 1; }
cut -d / -f 1 "$dir/order" | uniq >"$dir/layers"
printf '%s\n' resp net lock redlock >"$dir/right"
same "the order of the layers in plain/rdl.c and rdl.c" "$dir/right" "$dir/layers"
echo "$CORE_SRC" | tr ' ' '\n' >"$dir/core"
sed -n 's,^/\* =* \(.*\.c\) \*/$,\1,p' "$amalgam/rdl.c" | grep -v ^$pkg/ | sort >"$dir/written"
same "the core (left) is not what the one file has (right)" "$dir/core" "$dir/written"

# Only these files, nothing else of the tree: no -I.
for variant in "$amalgam" "$amalgam/plain"; do
    for file in rdl.c rdl_posix.c; do
        # shellcheck disable=SC2086 # flags are words
        clang $WARN -Werror -c -o "$dir/${file%.c}.o" "$variant/$file"
    done
    clang -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ "$variant/rdl.h"
    echo '#include "rdl.h"' | cat - lock/examples/minimal.c | grep -v '^#include ".*/' >"$dir/minimal.c"
    clang -std=c99 -Werror -I "$variant" -o "$dir/minimal" "$dir/minimal.c" "$dir/rdl.o" "$dir/rdl_posix.o"
done

# shellcheck disable=SC2086 # flags are words
clang $WARN -Werror -c -o "$dir/rdl_easy.o" "$amalgam/rdl_easy.c"
echo '#include "rdl_easy.h"' | cat - redlock/examples/easy.c | grep -v '^#include ".*/' >"$dir/easy.c"
clang -w -I "$amalgam" -o "$dir/easy" "$dir/easy.c" "$dir"/rdl_*.o "$amalgam/rdl.c"
clang -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ "$amalgam/rdl_easy.hpp"

# As tests/house/size.sh links its images.
m4='arm-none-eabi-gcc -std=c99 -Os -DNDEBUG -ffreestanding -ffunction-sections -fdata-sections -mthumb -mcpu=cortex-m4'
link="$m4 -I. -nostartfiles --specs=nano.specs -Wl,--gc-sections -o $dir/image"
text() { size "$1" | awk 'NR == 2 { print $1 }'; }
committed() { awk -v n="$1" '$1 == "image" && $2 == "m4" && $3 == n { print $4 }' tests/house/size.txt; }
$m4 -c -o "$dir/plain.o" "$amalgam/plain/rdl.c"
$link tests/house/images/image_empty.c
empty=$(text "$dir/image")
echo "amalgam: rdl.c $(wc -l <"$amalgam/rdl.c") lines, of one server alone $(wc -l <"$amalgam/plain/rdl.c")"
fits() { # image, compiler's arguments
    name=$1
    shift
    $link "$@" "$dir/plain.o"
    linked=$(($(text "$dir/image") - empty))
    echo "amalgam: a Cortex-M4 links $linked bytes of it for one lock ($name), of the library $(committed "$name")"
    [ "$linked" -le $(($(committed "$name") + 20)) ]
}
fits lock tests/house/images/image_lock.c
fits nologin -DLOGIN=NULL tests/house/images/image_lock.c

bare='arm-none-eabi-gcc -std=c99 -Os -ffreestanding -ffunction-sections -fdata-sections -mthumb -mcpu=cortex-m4 -I.'
trap=$(sed -n "s/.*\`-D'\(RDL_ASSERT(x)=[^']*\)'\`.*/\1/p" $pkg/README.md)
[ -n "$trap" ] || { echo "amalgam.sh: $pkg/README.md does not say how to make RDL_ASSERT a trap"; exit 1; }
on_bare_board() { # compiler's arguments
    $bare -nostdlib -Wl,--gc-sections -o "$dir/bare" "$@" tests/house/images/image_lock.c "$amalgam/rdl.c" \
        lock/examples/firmware/mem.c -lgcc 2>"$dir/bare.log"
}
on_bare_board "-D$trap" || { cat "$dir/bare.log"; echo "amalgam.sh: with RDL_ASSERT as a trap it does not link on a bare board"; exit 1; }
if on_bare_board || ! grep -q 'undefined reference to .__assert_func' "$dir/bare.log"; then
    cat "$dir/bare.log"
    echo "amalgam.sh: without NDEBUG, RDL_ASSERT is not the assert of the C library, and $pkg/README.md says so"
    exit 1
fi
echo "amalgam: a bare Cortex-M4 links it without NDEBUG, if RDL_ASSERT is a trap"
