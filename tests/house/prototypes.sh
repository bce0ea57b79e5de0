#!/bin/sh
# SPDX-License-Identifier: MIT
# prototypes.sh - redlock.3 against the headers and the examples: each function is declared as the page says, and
# called by an example; one that several examples call is on the page; and the page's program compiles.
#
# Names and lists of files are split into words on purpose:
# shellcheck disable=SC2013,SC2086
set -u
page=redlock/redlock.3
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
status=0

bad() {
    echo "prototypes: $*"
    status=1
}

# A declaration that is none of the header's is an error of the compiler: conflicting types.
{
    printf '#include "%s"\n' $HEADERS
    awk '
        function words(line) { sub(/^\.F[natoc] /, "", line); return line }
        function quoted(line,    n, part, i, list) { # "A" "B": A, B
            n = split(line, part, "\"")
            if (n < 2) return line
            for (i = 2; i <= n; i += 2) list = list (list == "" ? "" : ", ") part[i]
            return list
        }
        /^\.Ft / { type = words($0); gsub(/"/, "", type) }
        /^\.Fn rdl_/ && type != "" { name = $2; sub(/^\.Fn [^ ]* /, ""); print type " " name "(" quoted($0) ");"; type = "" }
        /^\.Fo / { name = $2; list = "" }
        /^\.Fa / && name != "" { list = list (list == "" ? "" : ", ") quoted($0) }
        /^\.Fc/ { print type " " name "(" list ");"; name = type = "" }
    ' "$page"
} >"$tmp/page.c"
${CC:-cc} -std=c99 -Wall -Werror -I. -fsyntax-only "$tmp/page.c" || bad "$page declares what the headers do not"

awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 } on { gsub(/\\e/, "\\"); print }' "$page" >"$tmp/program.c"
${CC:-cc} -std=c99 -Wall -Wextra -Werror -I. -fsyntax-only "$tmp/program.c" || bad "the program of $page does not compile"

callers() { # function: how many examples call it, drivers left out: what those call is in PORTING.md
    grep -lw "$1" lock/examples/*.c redlock/examples/*.c | grep -cvE "/(tls_|unit_test)"
}
listed=$(sed -n 's/.*[ *]\(rdl_[a-z0-9_]*\)(.*/\1/p' "$tmp/page.c")
for name in $listed; do
    [ "$(callers "$name")" -gt 0 ] || bad "$page has $name, which no example calls"
done
for name in $(sed -n 's/^[a-z].*[ *]\(rdl_[a-z0-9_]*\)(.*/\1/p' $HEADERS); do
    [ "$(callers "$name")" -lt 2 ] || echo "$listed" | grep -qx "$name" || bad "$page lacks $name, which several examples call"
done
echo "prototypes: $(echo "$listed" | wc -l) functions of $page are as the headers declare them"
exit $status
