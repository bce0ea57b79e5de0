#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh BUILD - the walls of the house: who includes whom, which names an object wants from outside,
# which names it gives, and that the files of a layer form no circle. Reads the sources, BUILD/lib (asserts on), BUILD/size/* (NDEBUG).
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
#
# The command's folders: verbs -> child, doctor -> servers -> process, options -> output. From another folder
# only FOLDER/FOLDER.h is included.
folders='output options process servers doctor child verbs'
below_in_cli() { # folder
    case $1 in
    output) ;;
    options | process) echo output ;;
    servers) echo output options process ;;
    doctor | child) echo output options process servers ;;
    verbs | cli) echo output options process servers doctor child verbs ;;
    esac
}

below() {
    case $1 in
    resp) echo 'resp/' ;;
    net) echo 'resp/ net/' ;;
    lock) echo 'resp/ net/ lock/' ;;
    lock/examples) echo 'resp/ net/ lock/ lock/examples/' ;;
    redlock) echo 'resp/ net/ lock/ redlock/' ;;
    redlock/easy) echo 'resp/ net/ lock/ redlock/ redlock/easy/' ;;
    redlock/examples) echo 'resp/ net/ lock/ lock/examples/ redlock/' ;;
    redlock/cli | redlock/cli/*)
        echo 'resp/ net/ lock/ redlock/ redlock/easy/' "$1/" $(below_in_cli "${1##*/}" | sed 's,[a-z]*,redlock/cli/&/,g')
        ;;
    esac
}

# What the core may include of the C library: the freestanding headers, and the mem* functions.
core_headers='assert.h limits.h stdbool.h stddef.h stdint.h string.h'

quoted_include() { # file layer included
    dir=${3%/*}/
    case " $(below "$2") " in *" $dir "*) ;; *) bad "$1 includes $3, which is not below $2" ;; esac
    case $3 in *_private.h) [ "$dir" = "$2/" ] || bad "$1 includes $3, which is private" ;; esac
    case $3 in redlock/cli/*)
        folder=${dir#redlock/cli/} folder=${folder%/}
        [ "$dir" = "$2/" ] || [ "$3" = "$dir$folder.h" ] || bad "$1 includes $3: include $dir$folder.h"
        ;;
    esac
    [ -e "$3" ] || bad "$1 includes $3: write it from the top of the tree"
}

system_include() { # file layer included
    case $1 in net/net_posix*.c | net/net_posix_private.h | net/net_uring.c | redlock/easy_thread.h | redlock/easy/easy_thread.c | */cli/* | */examples/*) return ;; esac
    case " $core_headers " in *" $3 "*) ;; *) bad "$1 includes <$3>: not for the core" ;; esac
}

cli=redlock/cli
for folder in $folders; do
    cli="$cli redlock/cli/$folder"
done
for layer in resp net lock lock/examples redlock redlock/easy redlock/examples $cli; do
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

# The plain lock includes no feature.
for header in lock/lock.h $(sed -n 's/^#include "\(lock\/.*\)"$/\1/p' lock/lock.h); do
    ! grep -qE '^#include "lock/lock_(io|fenced|multi|hint|legacy)\.h"' "$header" ||
        bad "$header includes a feature, and the plain lock includes it"
done

# ---------------------------------------------------------------- names of files and macros
# So that a firmware team can put the library's files into one folder. The command is built as a whole.
twice=$(find resp net lock redlock -name examples -prune -o -name pkg -prune -o -name cli -prune -o -name '*.[ch]' -print | sed 's,.*/,,' | sort | uniq -d)
[ -z "$twice" ] || bad "basenames that are not unique:" $twice

for header in resp/*.h net/*.h lock/*.h redlock/*.h redlock/easy/*.h; do
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
posix_wants='socket connect close send recv poll fcntl setsockopt getsockopt getsockname getpeername
    clock_gettime timerfd_settime getrandom open read write __errno_location
    getaddrinfo freeaddrinfo gai_strerror getnameinfo stpcpy strcmp strlen'
# What belongs to the process. Its mark is in memory that a forked child does not inherit, which a variable points to.
process_wants='socket close fcntl getpid madvise mmap munmap syscall __errno_location'
uring_wants='syscall mmap munmap madvise close poll __errno_location'
# The texts of easy.h. It needs no system call of its own: the driver has them.
easy_wants='strlen strcmp strncmp strchr strrchr memchr strspn strcspn strerror_r __xpg_strerror_r'
thread_wants='pthread_create pthread_join pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock
    pthread_setcancelstate pthread_sigmask sigfillset close poll write'
all_wants='__assert_fail _GLOBAL_OFFSET_TABLE_'

# The library's objects in a tree; one that is left over from a source that is gone does not count.
objects() { # tree
    find resp net lock redlock -name cli -prune -o -name examples -prune -o -name '*.c' -print | sort |
        while read -r src; do
            object=$1/${src%.c}.o
            [ ! -e "$object" ] || echo "$object"
        done
}

# What our own objects give each other stays in the house. Tables of pointers to constants are .data.rel.ro
# in position independent code: only BUILD/size, which is not, can tell whether an object has variables.
symbols() { # tree allowed...
    list=$(objects "$1")
    [ -n "$list" ] || return 0
    nm -A -P $list | awk -v allowed="$core_wants $2" -v posix="$posix_wants" -v uring="$uring_wants" -v process="$process_wants" -v easy="$easy_wants" -v threads="$thread_wants" -v sized="${1##*/size/*}" '
        function words(list, set,    n, i, w) {
            n = split(list, w, " ")
            for (i = 1; i <= n; i++) set[w[i]] = 1
        }
        BEGIN { words(allowed, ok); words(posix, system_call); words(process, process_call); words(uring, ring_call); words(easy, text); words(threads, thread) }
        {
            object = substr($1, 1, length($1) - 1)
            if ($3 == "U" || $3 == "w") wants[++n] = object " " $2
            else if ($3 ~ /[A-Z]/) {
                gives[$2] = 1
                if ($2 !~ /^rdl_/) print object " gives " $2 ": not rdl_"
            }
            if (sized == "" && $3 ~ /^[dDbBCsSgG]$/ && object !~ /\/net_posix_process\.o$/) print object " has a variable: " $2
        }
        END {
            for (i = 1; i <= n; i++) {
                split(wants[i], w, " ")
                if ((w[2] in gives) || (w[2] in ok)) continue
                if (w[1] ~ /\/net_posix(_poll|_clock|_resolve)?\.o$/ && (w[2] in system_call)) continue
                if (w[1] ~ /\/net_posix_process\.o$/ && (w[2] in process_call)) continue
                if (w[1] ~ /\/net_uring\.o$/ && (w[2] in ring_call)) continue
                if (w[1] ~ /\/easy\/(easy(_report|_sentinel)?|sentinel(_url)?)\.o$/ && (w[2] in text)) continue
                if (w[1] ~ /\/easy_thread\.o$/ && (w[2] in thread)) continue
                print w[1] " wants " w[2]
            }
        }'
}

checked=0
for tree in "$build/lib" "$build/size/x86-64" "$build/size/m0plus" "$build/size/m4"; do
    case $tree in
    */lib) extra=$all_wants ;;
    */x86-64) extra=_GLOBAL_OFFSET_TABLE_ ;;
    *) extra=$arm_wants ;;
    esac
    checked=$((checked + $(objects "$tree" | wc -l)))
    results=$(symbols "$tree" "$extra")
    [ -z "$results" ] || while read -r line; do bad "$line"; done <<END
$results
END
done

# Of our own names an object wants only those of its own layer and of those below.
own_names() { # layer
    for src in "$1"/*.c; do
        object=$build/lib/${src%.c}.o
        [ ! -e "$object" ] || nm -P "$object" | sed "s,^,$src ,"
    done
}
for layer in resp net lock redlock $cli; do
    own_names $layer
done | awk '
    function level(src) {
        sub(/\/[^\/]*$/, "", src)
        sub(/^redlock\/cli\/.*/, "redlock/cli", src)
        return index("resp      net       lock      redlock   redlock/cli ", src " ")
    }
    $3 ~ /^[A-TV-Z]$/ { giver[$2] = $1 }
    $3 == "U" { who[++n] = $1; wants[n] = $2 }
    END {
        for (i = 1; i <= n; i++)
            if ((wants[i] in giver) && level(giver[wants[i]]) > level(who[i]))
                print who[i] " wants " wants[i] ", which " giver[wants[i]] " gives"
    }' >"$build/layers.up"
while read -r line; do bad "$line"; done <"$build/layers.up"

# Each layer defines the commands and scripts that it sends, in one place; resp/ has none, and net/ those of the login.
for layer in resp net lock redlock $cli; do
    commands=$layer/${layer##*/}_commands.c
    case $layer in redlock/cli*) commands=redlock/cli/servers/commands.c ;; esac
    for src in "$layer"/*.c; do
        case $src in
        "$commands" | lock/lock_scripts.c) [ "$layer" = resp ] || continue ;;
        esac
        ! sed 's,/\*.*,,; s,^ \*.*,,' "$src" | grep -qE '"\*[0-9a]|\\r\\n\$|redis\.p?call' ||
            bad "$src has the text of a command or a script: it belongs into $commands"
        object=$build/lib/${src%.c}.o
        [ -e "$object" ] || continue
        for symbol in $(nm -P --defined-only "$object" | sed -n 's/^\(rdl_wire_[a-z0-9_]*\|rdl_script_[a-z0-9_]*\) [^Tt] .*/\1/p'); do
            bad "$src gives $symbol: it belongs into $commands"
        done
    done
done
for symbol in $(own_names net | sed -n 's/^[^ ]* \(rdl_wire_[a-z0-9_]*\|rdl_script_[a-z0-9_]*\) [A-TV-Z] .*/\1/p'); do
    case $symbol in
    rdl_wire_auth | rdl_wire_auth_user | rdl_wire_select | rdl_wire_client_setname | rdl_script_call) ;;
    *) bad "net/ gives $symbol, which is not of the login" ;;
    esac
done

# The command calls the C library as it likes, but its names are ours as well.
for src in redlock/cli/*.c redlock/cli/*/*.c; do
    object=$build/lib/${src%.c}.o
    [ -e "$object" ] || continue
    for symbol in $(nm -P --defined-only --extern-only "$object" | cut -d ' ' -f 1); do
        case $symbol in main | rdl_*) ;; *) bad "$object gives $symbol: not rdl_" ;; esac
    done
done

# A header of the command is short, and what it declares is used by a file other than its own, or by a test.
for header in redlock/cli/*/*.h; do
    [ "$(wc -l <"$header")" -le 150 ] || bad "$header has more than 150 lines"
    for name in $(sed -n 's/^[a-z].*[ *]\(rdl_cli_[a-z0-9_]*\)(.*/\1/p' "$header"); do
        [ "$(grep -lw "$name" redlock/cli/*.c redlock/cli/*/*.c tests/*/*.c | wc -l)" -gt 1 ] ||
            bad "$header declares $name, which one file uses: make it static there"
    done
done
for folder in $folders; do
    grep -q "^| \[$folder/\](" redlock/cli/README.md || bad "redlock/cli/README.md has no line for $folder/"
done

# The files of a layer form no circle: "A B" is that A wants a name of B's.
arrows() { # layer, or layers
    for src in $(printf '%s/*.c ' $1); do
        object=$build/lib/${src%.c}.o
        [ ! -e "$object" ] || nm -P "$object" | sed "s,^,$src ,"
    done | awk '
        $3 ~ /^[A-TV-Z]$/ { giver[$2] = $1 }
        $3 == "U" { who[++n] = $1; wants[n] = $2 }
        END {
            for (i = 1; i <= n; i++)
                if ((wants[i] in giver) && giver[wants[i]] != who[i]) print who[i], giver[wants[i]]
        }' | sort -u
}
straight=
for layer in resp net lock redlock "$cli"; do
    circle=$(arrows "$layer" | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([a-z_/]*\.c\)$/\1/p')
    if [ -n "$circle" ]; then
        bad "files of $layer in a circle:" $circle
    else
        straight="$straight ${layer%% *}"
    fi
done

# A file of the command uses only the folders below its own.
arrows "$cli" | while read -r from to; do
    folder=${from%/*} other=${to%/*}
    [ "$folder" = "$other" ] || case " $(below "$folder") " in *" $other/ "*) ;; *) echo "$from uses $to, which is not below it" ;; esac
done >"$build/layers.txt"
while read -r line; do bad "$line"; done <"$build/layers.txt"

[ "$checked" -gt 0 ] || bad "no objects in $build: run it as \`make layers\`"
echo "layers: no circle of files in$straight"
echo "layers: $checked objects, $found findings"
[ "$found" -eq 0 ]
