#!/bin/sh
# SPDX-License-Identifier: MIT
# limits.sh BUILD - the tables of limits and defaults in redlock.3 are those of the code: each constant has the value that
# the headers give it, and each default of the command is what it assumes if the option is missing.
set -eu
build=$1 page=redlock/doc/redlock.3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

sed -n '/^\.Sh LIMITS AND DEFAULTS/,/^\.Sh EXAMPLES/p' "$page" >"$dir/section"
# CONSTANT VALUE, and MEMBER DEFAULT of the command where it is a value of its own
{
    sed -n 's/^\.It Dv \(RDL_[A-Z_]*\) Ta \([0-9]*\) Ta .*/\1 \2/p' "$dir/section"
    sed -n 's/^\.It Va \([a-z_]*\) Ta .* Ta Fl .* Ta \(.*\)/\1 \2/p' "$dir/section" | grep -v ' the same$'
} >"$dir/page"
[ "$(wc -l <"$dir/page")" -ge 16 ] || { echo "limits.sh: $page has too few rows: $(cat "$dir/page")" >&2; exit 1; }

{
    cat <<'CODE'
#define _POSIX_C_SOURCE 200809L
#include "lock/lock_fenced.h"
#include "lock/lock_hint.h"
#include "lock/lock_owner.h"
#include "net/net_uring.h"
#include "redlock/cli/options/options.h"
#include <stdio.h>
#define SHOW(constant) printf(#constant " %llu\n", (unsigned long long)(constant))
static void show_ms(const char *member, uint64_t ms)
{
    if (ms == RDL_CLI_FOREVER)
        printf("%s forever\n", member);
    else
        printf("%s %llu ms\n", member, (unsigned long long)ms);
}
int main(void)
{
    static struct rdl_cli_options o;
    static char lock[] = "lock", command[] = "command";
    char *argv[] = {lock, command, NULL};
CODE
    sed -n 's/^\(RDL_[A-Z_]*\) .*/    SHOW(\1);/p' "$dir/page"
    cat <<'CODE'
    if (rdl_cli_options_parse(&o, RDL_CLI_RUN, 2, argv) != 0 || rdl_cli_options_settle(&o) != 0)
        return 1;
    if (o.attempt_ms != 0) /* the library's default applies */
        return 1;
    show_ms("ttl_ms", o.ttl_ms);
    show_ms("wait_ms", o.wait_ms);
    show_ms("max_ttl_ms", o.max_ttl_ms);
    printf("guard %s\n", o.guard == RDL_GUARD_IF_PERMITTED ? "if-permitted" : "other");
    return 0;
}
CODE
} >"$dir/code.c"
${CC:-cc} -std=c99 -I. "$dir/code.c" "$build/lib/cli.a" "$build/libredlock.a" -o "$dir/code"
env -u REDLOCK_RESTART_GUARD "$dir/code" | diff "$dir/page" - || {
    echo "$page: its limits and defaults (<) are not those of the code (>)" >&2
    exit 1
}
echo "limits: $(wc -l <"$dir/page") limits and defaults of $page are those of the code"
