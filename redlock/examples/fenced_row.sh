#!/bin/sh
# SPDX-License-Identifier: MIT
# fenced_row.sh DATABASE ROW COMMAND [ARGUMENT...] - what COMMAND prints becomes the text of a row of an SQLite
# database, unless somebody who had the lock later has written there already:
#
#     export REDLOCK_URLS='redis://a redis://b redis://c'
#     fenced_row.sh shop.db report ./make_report
#
# One at a time runs COMMAND. But a host may be paused between COMMAND and the write, for longer than the lease,
# and would then write over what is newer. So each holder has a number that is greater than that of every holder
# before, and it is the database that compares, in the statement that writes.
#
# What it does not do: it refuses nobody who writes without a number, so all who write have to go this way. What
# else COMMAND does is not fenced. SQLite stands for your database, and the statement is the same in others; do
# not put its file on a network disk.
#
# Exit status: 0 it is written; 80 it is refused; COMMAND's own; 75 if the lock was lost; else see redlock(1).
set -eu

if [ $# -lt 3 ]; then
    echo 'usage: fenced_row.sh DATABASE ROW COMMAND [ARGUMENT...]' >&2
    exit 64
fi
if [ "${REDLOCK_LOCK-}" != "row:$2" ]; then
    exec redlock run --fence "row:$2" -- sh "$0" "$@" # this script again, under the lock
fi
database=$1 row=$2
shift 2

quoted() {
    printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/''/g")"
}

text=$("$@")
# "<": a holder writes once. Where he writes several times it is "<=".
written=$(sqlite3 -batch -bail "$database" <<END
.timeout 5000
CREATE TABLE IF NOT EXISTS report (name TEXT PRIMARY KEY, text TEXT, fence INTEGER);
INSERT INTO report VALUES ($(quoted "$row"), $(quoted "$text"), $REDLOCK_FENCE)
    ON CONFLICT (name) DO UPDATE SET text = excluded.text, fence = excluded.fence
    WHERE report.fence < excluded.fence;
SELECT changes();
END
)
if [ "$written" -eq 0 ]; then
    echo "fenced_row.sh: $row: refused, as a later holder has written already (our number is $REDLOCK_FENCE)" >&2
    exit 80
fi
