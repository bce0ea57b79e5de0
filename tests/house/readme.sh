#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh BUILD - README.md keeps its size, names the version, and has the figures of its picture. Its commands run, and its targets
# of make exist. Its first program compiles without a warning, takes its lock on a server, works and releases it; and it prints
# why if the server is not there, the lock is held, or the work fails.
set -eu
# shellcheck source=tests/house/standin.sh
. "$(dirname "$0")/standin.sh"
build=$(cd "$1" && pwd) here=$(dirname "$0")
dir=$(mktemp -d "$build/readme.XXXXXX")
server=
trap 'if [ -n "$server" ]; then kill "$server"; fi; rm -rf "$dir"' EXIT
fail() {
    echo "README.md: $*" >&2
    exit 1
}

# ---------------------------------------------------------------- the page
[ "$(wc -l <README.md)" -le 160 ] || fail "more than 160 lines"
[ "$(wc -w <README.md)" -le 1300 ] || fail "more than 1,300 words"
wide=$(awk 'length($0) > 100 { print FNR }' README.md)
[ -z "$wide" ] || fail "longer than 100 columns:" "$wide"
version=$(sed -n 's/^#define RDL_VERSION "\(.*\)"/\1/p' resp/resp.h)
grep -q "This is version $version " README.md || fail "it does not say that this is version $version"
of='\([0-9]* of [0-9]*\)'
result=$(sed -n "s/.*class='result'.*: $of updates\. .*: $of\..*/\1 updates.*\2/p" redlock/doc/demo.svg)
if [ -z "$result" ] || ! tr '\n' ' ' <README.md | grep -q "$result"; then
    fail "it does not show the result of redlock/doc/demo.svg, $result"
fi
# Of the page on packaging as well; in code only: "make" is also a word.
# shellcheck disable=SC2016 # backquotes are what is around code
targets=$(sed -n 's/^    //p; s/[^`]*`\([^`]*\)`[^`]*/\1\n/gp' README.md redlock/pkg/README.md | grep -oE '(^|&& )make( [a-z-]+)+')
for target in $(echo "$targets" | sed 's/.*make //'); do
    cat Makefile tests/*/*.mk fuzz/*.mk | grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" || fail "there is no make $target"
done

# ---------------------------------------------------------------- the program
awk -f "$here/first.awk" README.md >"$dir/first.c"
[ -s "$dir/first.c" ]
begin_standin "$build/standin" "$dir"

compile() { # program, URL's host and port, flags or nothing
    mkdir "$dir/$1"
    sed "s/localhost:6379/$2/; s/\"nightly\", NULL)/\"nightly\", \&(struct rdl_easy_options){.flags = ${3:-0}})/" \
        "$dir/first.c" >"$dir/$1.c"
    grep -q "rdl_easy_open.*rdl_easy_options" "$dir/$1.c" # or nothing was replaced
    ${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -I. "$dir/$1.c" "$build/libredlock.a" -o "$dir/$1/first"
}
prints() { # status, line, program: in a folder of its own it ends so, and prints that
    status=0
    (cd "$dir/$3" && ./first) >"$dir/said" 2>&1 || status=$?
    [ "$status" -eq "$1" ] || fail "the program ends with $status, not $1: $(cat "$dir/said")"
    grep -q "^$2\$" "$dir/said" || fail "the program does not print \"$2\": $(cat "$dir/said")"
}
compile shown localhost:6379
compile here "localhost:$port" RDL_EASY_NO_RESTART_GUARD
compile new "localhost:$port" # the stand-in has just started
compile nobody localhost:1

prints 0 'the lock lasts for [0-9]* ms' here
ms=$(sed -n 's/[^0-9]*\([0-9]*\).*/\1/p' "$dir/said")
if [ "$ms" -le 0 ] || [ "$ms" -ge 30000 ]; then fail "a lease of $ms ms, and its ttl is 30000"; fi
[ -s "$dir/here/report.txt" ] || fail "the program did no work"
prints 0 'the lock lasts for [0-9]* ms' here # it was released
rm "$dir/here/report.txt" && mkdir "$dir/here/report.txt"
prints 1 'the lock lasts for [0-9]* ms' here
prints 1 'lock "nightly": the server may have lost locks in a restart (localhost:.*RDL_EASY_NO_RESTART_GUARD' new
prints 1 'lock "nightly": the server gave no useful reply (localhost:1: cannot connect.*' nobody

export REDLOCK_URLS="redis://127.0.0.1:$port" REDLOCK_RESTART_GUARD=off PATH="$build:$dir:$PATH"
token=$(redlock acquire nightly)
sed -i 's/(&lock, 5000)/(\&lock, 0)/' "$dir/first.c"
compile held "localhost:$port" RDL_EASY_NO_RESTART_GUARD
prints 1 'lock "nightly": held by another client for another [0-9]* ms' held
REDLOCK_TOKEN=$token redlock release nightly

# ---------------------------------------------------------------- the commands
# shellcheck disable=SC2016 # that shell expands it
printf '#!/bin/sh\necho "$0 ${REDLOCK_FENCE-}"\n' | tee "$dir/backup.sh" >"$dir/dump"
chmod +x "$dir/backup.sh" "$dir/dump"
sed -n '/^## The command$/,/^## The library$/s/^    //p' README.md >"$dir/commands"
# shellcheck disable=SC1003 # a backslash, which cron removes
sed -n '/^    30 3 \* \* \* /{s///;s/\\%/%/g;p;q;}' README.md | cat - "$dir/commands" >"$dir/all"
grep -q 'date -u +%F' "$dir/all" || fail "it shows no line for cron"
mv "$dir/all" "$dir/commands"
[ "$(grep -c redlock "$dir/commands")" -ge 6 ] || fail "it shows next to no commands"
status=0
(cd "$dir" && sh -eux commands) >"$dir/said" 2>&1 || status=$?
# The last one is doctor: it ends with 1 where it has warnings only, and then prints the rights.
if [ "$status" -gt 1 ] || ! tail -n 1 "$dir/said" | grep -q '^ACL SETUSER'; then
    cat "$dir/said" >&2
    fail "a command that it shows fails"
fi
echo "README.md: $(wc -l <README.md) lines; its commands, targets and program are true"
