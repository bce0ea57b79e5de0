#!/bin/sh
# SPDX-License-Identifier: MIT
# fenced_row.sh DATABASE ROW COMMAND [ARGUMENT...] - write what COMMAND prints into a row of an SQLite
# database, unless a later holder of the lock has already written there:
#
#     export REDLOCK_URLS='redis://a redis://b redis://c'
#     fenced_row.sh shop.db report ./make_report
#
# Only one host at a time runs COMMAND. But a host may be paused between COMMAND and the write for longer than
# the lease, and would then overwrite newer text. So each holder has a fencing token, a number that is greater
# than that of every earlier holder. The database compares it in the statement that writes.
#
# What it does not protect against: writes without a fencing token, so all writers must use this script. Other
# effects of COMMAND are not fenced. SQLite is only an example, and the statement is the same in other
# databases; do not put the file of SQLite on a network disk.
#
# Exit status: 0 it was written; 80 it was refused; that of COMMAND; 75 if the lock was lost; otherwise see
# redlock(1).
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
# "<" is for a holder that writes once. If it writes several times, use "<=".
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
    echo "fenced_row.sh: $row: refused: a later holder has already written (our token: $REDLOCK_FENCE)" >&2
    exit 80
fi
