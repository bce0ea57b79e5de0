# SPDX-License-Identifier: MIT
# timeline.awk -v guard=MS -v canary=MS [-v slack=PERMILLE] - the steps of timeline.pml in a timeline of the simulator: those of the
# lock "nightly", in its first world. guard: max_ttl, 0: the clients have no restart guard. slack: for clocks whose rates differ.
#
# TIME KIND SERVER CLIENT TOKEN UNTIL, times in us. The client of a server's step is its number; that of a client's step is 3 * its
# number + the number of its lock.
function put(kind, s, c, t, until, at) {
    if (kind == EXTEND)
        extended[c] = now # a repair is reported later than the extend was done
    step[++steps] = sprintf("%d %d %d %d %d %d", at ? at : now, kind, s, c, t, until)
}
function token(hex) {
    if (!(hex in number))
        number[hex] = ++tokens
    return number[hex]
}
# "c1.2" and "c1": numbers
function lock(text) {
    return 3 * substr(text, 2, 1) + substr(text, 4, 1)
}
function server(text) {
    return substr(text, 2, 1)
}
BEGIN {
    SET = 51; REFUSED = 52; EXTEND = 53; MISS = 54; DELETE = 55; WIN = 56; STAY = 57; GAP = 58; GIVE_UP = 59
    RELEASED = 60; ADOPT = 61; RESTART = 62; EMPTY = 63; SET_LATE = 64
}
/^ok / || ended { next }
/^seed / {
    if (seen++) { # another world
        ended = 1
        next
    }
    for (i = 1; i < NF; i++) {
        if ($(i + 1) ~ /^servers/)
            servers = $i
        if ($i == "ttl")
            ttl = $(i + 1)
    }
}
$1 ~ /^[0-9]+\.[0-9]+$/ { now = int($1 * 1000000 + 0.5) }
$2 ~ /^c[0-9]\.[0-9]$/ && $3 == "adopts" { put(ADOPT, 0, lock($2), token($4), 0); next }
$2 ~ /^c[0-9]\.[0-9]$/ && $NF == "begins" {
    ours[$2] = $5 == "\"nightly\""
    if ($3 != "extend" && ours[$2])
        put(GIVE_UP, 0, lock($2), 0, 0)
    next
}
$2 ~ /^c[0-9]\.[0-9]$/ && $3 == "cancels" { put(GIVE_UP, 0, lock($2), 0, 0); next }
$2 ~ /^c[0-9]\.[0-9]$/ && $3 ~ /:$/ && ours[$2] {
    left = $(NF - 2)
    until = now + left * 1000 - 1000
    text = $0
    if ($3 == "acquire:" && left > 0)
        put(WIN, 0, lock($2), 0, until)
    else if ($3 == "extend:" && left > 0 && text ~ /extend: (done|adopted|extended)/)
        put(STAY, 0, lock($2), 0, until, /restored/ ? extended[substr($2, 2, 1)] : now)
    else if ($3 == "extend:" && text ~ /held again/)
        put(GAP, 0, lock($2), 0, until)
    else if ($3 == "extend:" && text ~ /lost|expired/)
        put(GIVE_UP, 0, lock($2), 0, 0)
    else if ($3 == "release:" && text ~ /release: done/)
        put(RELEASED, 0, lock($2), 0, 0)
    next
}
$2 ~ /^s[0-9]$/ && /is up again/ { put(RESTART, server($2), 0, 0, /with its data/); next }
$2 ~ /^s[0-9]:?$/ && /FLUSHALL|promoted again/ { put(EMPTY, server($2), 0, 0, 0); next }
$5 == "nightly" && $7 == "for" && length($9) == 10 {
    t = token($9)
    c = substr($8, 2, 1)
    what = $3 " " $4
    n = substr($6, 2) + 0
    at = now " " $2 " " $9
    if (what == "SET granted")
        put(/closed connection/ ? SET_LATE : SET, server($2), c, t, now + n * 1000)
    else if (what == "SET refused")
        put(REFUSED, server($2), c, t, 0)
    else if (what == "lives longer")
        put(EXTEND, server($2), c, t, now + n * 1000)
    else if (what == "script said" && at != done && n > 0)
        put(EXTEND, server($2), c, t, 0)
    else if (what == "script said" && at != done)
        put(MISS, server($2), c, t, 0)
    done = at
}
$4 == "nightly" && $3 == "looked" && length($8) == 10 && $5 !~ /-/ { # by WATCH: its ttl is long enough, or EXPIRE follows
    put(EXTEND, server($2), substr($7, 2, 1), token($8), 0)
}
$4 == "nightly" && $3 == "deleted" && length($8) == 10 {
    put(DELETE, server($2), substr($7, 2, 1), token($8), 0)
    done = now " " $2 " " $8
}
END {
    printf "%d %d %d %d %d\n", servers, guard * 1000, canary * 1000, (int((ttl + 99) / 100) + 2) * 1000, slack * ttl
    for (i = 1; i <= steps; i++)
        print step[i]
    exit tokens > 159
}
