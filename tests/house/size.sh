#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh [--update] OBJECTS FIGURES - text, stack and structure sizes of the core at -Os -DNDEBUG.
# OBJECTS/{x86-64,m0plus,m4}/ hold the objects, CORE_SRC names their sources, HEADERS the public headers (`make size` does all that).
# They are compared with FIGURES as compare.awk says.
#
# Lists of files are split into words on purpose:
# shellcheck disable=SC2046,SC2086
set -u
update=
if [ "$1" = --update ]; then
    update=1
    shift
fi
tree=$1 figures=$2
tests=$(dirname "$0")
new=$tree/figures

compiler() { # target
    case $1 in
    x86-64) echo gcc ;;
    m0plus) echo arm-none-eabi-gcc -mthumb -mcpu=cortex-m0plus ;;
    m4) echo arm-none-eabi-gcc -mthumb -mcpu=cortex-m4 ;;
    esac
}

text() { # target
    for src in $CORE_SRC; do
        size "$tree/$1/${src%.c}.o" | awk -v t="$1" -v n="$(basename "$src" .c)" '
            NR == 2 { print "text", t, n, $1; if ($2 + $3) print "! " t ": " n " has data or bss" }'
    done | awk '{ print } $1 == "text" { t = $2; n += $4 } END { print "text", t, "total", n + 0 }'
}

# 64-bit division is what a Cortex-M0+ can least afford.
division() { # target
    for src in $CORE_SRC; do
        nm -P --undefined-only "$tree/$1/${src%.c}.o" | awk -v n="$1: $src" '
            $1 ~ /^__(aeabi_u?ldivmod|u?(div|mod|divmod)[dt]i[34])$/ { print "! " n " divides 64 bits: " $1 }'
    done
}

stack() { # target
    graphs=
    for src in $CORE_SRC; do
        graphs="$graphs $tree/$1/${src%.c}.ci"
    done
    awk -v target="$1" -f "$tests/stack.awk" "$tests/budgets.txt" $graphs
}

# A plain lock brings nothing along of the other modes: no figure if it does.
is_plain_only() { # image
    ! nm "$1" | grep -E ' rdl_(lock_init_(legacy|fenced|multi)|method_(del|[a-z]+_watch)|op_(setnx|getset|replace|found|time|delete|[a-z]+_(fenced?|multi|hint))|script_(replace|acquire|extend_fenced)|hint|redlock)' >&2
}

# What a firmware really links, over one that does nothing: unused functions dropped, the C library's included.
images() { # target
    for image in empty writer lock nologin methods redlock; do
        case $image in
        nologin) main='-DLOGIN=NULL tests/house/images/image_lock.c' ;; # its server has no password
        methods) main='-DWAYS=rdl_methods_all tests/house/images/image_lock.c' ;; # not by script alone
        *) main=tests/house/images/image_$image.c ;;
        esac
        $(compiler "$1") -std=c99 -Os -DNDEBUG -ffreestanding -ffunction-sections -fdata-sections -I. -nostartfiles \
            --specs=nano.specs -Wl,--gc-sections -o "$tree/image_$image" $main \
            $(for src in $CORE_SRC; do echo "$tree/$1/${src%.c}.o"; done) || return
        [ "$image" != lock ] || is_plain_only "$tree/image_lock" || return
        size "$tree/image_$image" | awk -v t="$1" -v n="$image" 'NR == 2 { print t, n, $1 }'
    done | awk '$2 == "empty" { empty = $3; next } $2 != "writer" { print "image", $1, $2, $3 - empty }'
    # Of the writer what is its own and its templates': the others have a memcpy anyway.
    nm -S -P -t d "$tree/image_writer" | awk -v t="$1" '
        $2 ~ /[TtRr]/ && $1 !~ /^(_start|memcpy|templates)/ { n += $4 } END { print "image", t, "writer", n }'
}

# An array as long as each structure of the headers is large, and the queue of one lock; its size is read from the object.
structs() { # abi target
    layers=$(echo "$HEADERS" | tr " " "\n" | grep -v -e easy_thread -e hpp) # these need threads and C++
    {
        for header in $layers; do
            echo "#include \"$header\""
        done
        sed -n 's/^struct \(rdl_[a-z0-9_]*\) {$/char size_of_\1[sizeof(struct \1)];/p' $layers
        echo 'char size_of_queue_for_16[RDL_QUEUE_FOR(1, 16)]; /* a lock with a name of 16 bytes */'
    } >"$tree/structs.c"
    $(compiler "$2") -std=c99 -I. -c -o "$tree/structs.o" "$tree/structs.c" || return
    nm -P -t d "$tree/structs.o" | sed -n 's/^size_of_//p' | awk -v abi="$1" '{ print "sizeof", abi, $1, $4 + 0 }'
}

# Members of one byte of what the library's own state is kept in: on Cortex-M a short instruction reaches the first 32
# bytes of a structure, and no others.
STATE='rdl_conn rdl_server_info rdl_req rdl_lock rdl_hint rdl_server rdl_canary rdl_redlock'
far_bytes() { # target
    {
        echo '#include <stddef.h>'
        cat "$tree/structs.c"
        awk -v state=" $STATE " '
            /^struct rdl_[a-z0-9_]* {$/ && index(state, " " $2 " ") { name = $2 }
            /^};/ { name = "" }
            name != "" && $1 ~ /^u?int8_t$/ && $2 ~ /^[a-z_]*;$/ {
                sub(/;/, "", $2)
                print "char member_" name "." $2 "[offsetof(struct " name ", " $2 ") + 1];"
            }' $layers | sed 's/\(char member_[a-z0-9_]*\)\./\1__/'
    } >"$tree/members.c"
    $(compiler "$1") -std=c99 -I. -c -o "$tree/members.o" "$tree/members.c" || return
    nm -P -t d "$tree/members.o" | awk '$1 ~ /^member_/ && $4 > 32 {
        sub(/^member_/, "", $1)
        sub(/__/, "'"'s "'", $1)
        print "! " $1 " is at offset " $4 - 1 " on Cortex-M: members of one byte come first, below 32"
    }'
}

measure() {
    for t in x86-64 m0plus m4; do
        echo "compiler $t $($(compiler $t) -dumpfullversion)"
        text $t
        stack $t
        division $t
    done
    images m0plus
    images m4
    structs lp64 x86-64
    structs ilp32 m4
    far_bytes m4
}

table() {
    awk '
        $1 == "text" || $1 == "stack" { if (!($3 in seen)) row[++n] = $3; seen[$3] = 1; v[$1, $2, $3] = $4 }
        $1 == "sizeof" { if (!($3 in known)) s[++m] = $3; known[$3] = 1; v[$1, $2, $3] = $4 }
        $1 == "image" { if (!($3 in linked)) image[++l] = $3; linked[$3] = 1; v[$1, $2, $3] = $4 }
        /^#/ { note[++k] = $0 }
        function line(name) {
            printf "%-16s %7d %7d %7d   %7d %7d %7d\n", name, v["text", "x86-64", name],
                v["text", "m0plus", name], v["text", "m4", name], v["stack", "x86-64", name],
                v["stack", "m0plus", name], v["stack", "m4", name]
        }
        END {
            printf "%-16s %23s   %23s\n", "bytes, -Os", "text", "worst stack"
            printf "%-16s %7s %7s %7s   %7s %7s %7s\n", "", "x86-64", "m0+", "m4", "x86-64", "m0+", "m4"
            for (i = 1; i <= n; i++) if (row[i] != "total") line(row[i])
            line("total")
            for (i = 1; i <= l; i++)
                printf "%-16s %7s %7d %7d   linked into a firmware\n", image[i], "", v["image", "m0plus", image[i]],
                    v["image", "m4", image[i]]
            for (i = 1; i <= k; i++) print note[i]
            printf "\n%-24s %7s %7s\n", "structure", "lp64", "ilp32"
            for (i = 1; i <= m; i++)
                printf "%-24s %7d %7d\n", s[i], v["sizeof", "lp64", s[i]], v["sizeof", "ilp32", s[i]]
        }' "$new"
}

compare() {
    awk -v who=size -v update=size-update -f "$tests/compare.awk" "$tests/budgets.txt" "$new" "$figures"
}

measure >"$new" || exit
table
if [ -n "$update" ]; then
    {
        echo '# SPDX-License-Identifier: MIT'
        echo '# Written by make size-update. KIND TARGET NAME BYTES; core objects at -Os -DNDEBUG.'
        grep -E '^(compiler|text|stack|image|sizeof) ' "$new"
    } >"$figures"
fi
compare
