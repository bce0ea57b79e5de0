#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh BUILD - the walls of the house: who includes whom, which names an object wants from outside,
# which names it gives. Reads the sources, BUILD/lib (asserts on), BUILD/size/* (NDEBUG).
#
# No name here has a blank in it, and lists are split into words on purpose:
# shellcheck disable=SC2013,SC2046,SC2086
set -u
build=$1
found=0

bad() {
    echo "layers: $*"
    found=$((found + 1))
}

# ---------------------------------------------------------------- includes
# resp <- net <- lock <- redlock <- cli, examples. A *_private.h is for its own layer only.
below() {
    case $1 in
    resp) echo 'resp/' ;;
    net) echo 'resp/ net/' ;;
    lock | lock/examples) echo 'resp/ net/ lock/' ;;
    redlock | redlock/examples) echo 'resp/ net/ lock/ redlock/' ;;
    redlock/cli) echo 'resp/ net/ lock/ redlock/ redlock/cli/' ;;
    esac
}

# What the core may include of the C library: the freestanding headers, and the mem* functions.
core_headers='assert.h limits.h stdbool.h stddef.h stdint.h string.h'

quoted_include() { # file layer included
    dir=${3%/*}/
    case " $(below "$2") " in *" $dir "*) ;; *) bad "$1 includes $3, which is not below $2" ;; esac
    case $3 in *_private.h) [ "$dir" = "$2/" ] || bad "$1 includes $3, which is private" ;; esac
    [ -e "$3" ] || bad "$1 includes $3: write it from the top of the tree"
}

system_include() { # file layer included
    case $1 in net/net_posix.c | */cli/* | */examples/*) return ;; esac
    case " $core_headers " in *" $3 "*) ;; *) bad "$1 includes <$3>: not for the core" ;; esac
}

for layer in resp net lock lock/examples redlock redlock/examples redlock/cli; do
    for file in "$layer"/*.[ch]; do
        [ -e "$file" ] || continue
        for inc in $(sed -n 's/^[ ]*#[ ]*include[ ]*"\([^"]*\)".*/\1/p' "$file"); do
            quoted_include "$file" "$layer" "$inc"
        done
        for inc in $(sed -n 's/^[ ]*#[ ]*include[ ]*<\([^>]*\)>.*/\1/p' "$file"); do
            system_include "$file" "$layer" "$inc"
        done
    done
done

# ---------------------------------------------------------------- names of files and macros
twice=$(find resp net lock redlock -name '*.[ch]' | sed 's,.*/,,' | sort | uniq -d)
[ -z "$twice" ] || bad "basenames that are not unique:" $twice

for header in resp/*.h net/*.h lock/*.h redlock/*.h; do
    for macro in $(sed -n 's/^[ ]*#[ ]*define[ ][ ]*\([A-Za-z0-9_]*\).*/\1/p' "$header"); do
        case $macro in RDL_*) ;; *) bad "$header defines $macro: not RDL_" ;; esac
    done
done

# ---------------------------------------------------------------- symbols
core_wants='memcpy memmove memset memcmp'
# Helpers of gcc's own library on Arm: switch tables, 32-bit division, 64-bit shifts and products.
# Division of 64 bits is not among them, on purpose.
arm_wants="__gnu_thumb1_case_sqi __gnu_thumb1_case_uqi __gnu_thumb1_case_shi __gnu_thumb1_case_uhi
    __gnu_thumb1_case_si __aeabi_uidiv __aeabi_uidivmod __aeabi_idiv __aeabi_idivmod __aeabi_lmul
    __aeabi_llsl __aeabi_llsr __aeabi_lasr"
posix_wants='socket connect close send recv poll fcntl setsockopt getsockopt clock_gettime getrandom
    open read write __errno_location'
all_wants='__assert_fail _GLOBAL_OFFSET_TABLE_'

# Everything our own objects define, to tell wishes that stay in the house.
ours() {
    nm -P --defined-only --extern-only "$@" | awk 'NF >= 2 { print $1 }' | sort -u
}

wants() { # object allowed...
    object=$1
    shift
    allowed=$(printf '%s ' "$@" $house)
    for symbol in $(nm -P --undefined-only "$object" | awk 'NF >= 2 { print $1 }'); do
        case " $allowed " in *" $symbol "*) ;; *) bad "$object wants $symbol" ;; esac
    done
}

gives() { # object
    for symbol in $(nm -P --defined-only --extern-only "$1" | awk 'NF >= 2 { print $1 }'); do
        case $symbol in rdl_*) ;; *) bad "$1 gives $symbol: not rdl_" ;; esac
    done
}

# Tables of pointers to constants are .data.rel.ro in position independent code: only BUILD/size, which
# is not, can tell whether an object has variables.
has_variables() { # object
    [ "$(nm -P "$1" | awk '$2 ~ /^[dDbBCsSgG]$/ { n++ } END { print n + 0 }')" -gt 0 ]
}

objects() { # tree: the library's objects there
    find "$1/resp" "$1/net" "$1/lock" "$1/redlock" -name cli -prune -o -name examples -prune \
        -o -name '*.o' -print 2>/dev/null | sort
}

current() { # object tree: false for what is left over from a source that is gone
    src=${1#"$2"/}
    [ -e "${src%.o}.c" ]
}

checked=0
for tree in "$build/lib" "$build/size/x86-64" "$build/size/m0plus" "$build/size/m4"; do
    house=$(ours $(objects "$tree"))
    case $tree in
    */lib) extra=$all_wants ;;
    */x86-64) extra=_GLOBAL_OFFSET_TABLE_ ;;
    *) extra=$arm_wants ;;
    esac
    for object in $(objects "$tree"); do
        current "$object" "$tree" || continue
        checked=$((checked + 1))
        gives "$object"
        case $object in
        */net_posix.o)
            wants "$object" $core_wants $extra $posix_wants
            ;;
        *)
            wants "$object" $core_wants $extra
            case $tree in */size/*) ! has_variables "$object" || bad "$object has .data or .bss" ;; esac
            ;;
        esac
    done
done

# The command calls the C library as it likes, but its names are ours as well.
for object in "$build"/lib/redlock/cli/*.o; do
    current "$object" "$build/lib" || continue
    for symbol in $(ours "$object"); do
        case $symbol in main | rdl_*) ;; *) bad "$object gives $symbol: not rdl_" ;; esac
    done
done

[ "$checked" -gt 0 ] || bad "no objects in $build: run it as \`make layers\`"
echo "layers: $checked objects, $found findings"
[ "$found" -eq 0 ]
