# SPDX-License-Identifier: MIT
# README.md with its figures: awk -f readme_figures.awk FIGURES README.md. A line of FIGURES is of size.txt, or "count
# NAME NUMBER" for what is counted in the tree (readme_figures.sh). Each figure is found by the words around it; README.md
# without one of them is an error.
function thousands(n)
{
    return n < 1000 ? n "" : thousands(int(n / 1000)) sprintf(",%03d", n % 1000)
}

# The number before these words.
function put_before(words, figure)
{
    if (match($0, "[0-9][0-9,.]*" words)) {
        $0 = substr($0, 1, RSTART - 1) figure substr($0, RSTART + RLENGTH - length(words))
        found[words]++
    }
}

function row(title, m0plus, m4)
{
    print "| " title " | " thousands(m0plus) " | " thousands(m4) " |"
}

# A connection with its queue and the lock; of N servers also what is kept of each.
function ram_of_one()
{
    return size["rdl_conn"] + size["queue_for_16"] + size["rdl_lock"]
}
function ram_of_five()
{
    return 5 * (size["rdl_conn"] + size["queue_for_16"] + size["rdl_server_info"] + size["rdl_server"]) + size["rdl_redlock"]
}

function table()
{
    print "| bytes (some 260 of the code are the test program) | Cortex-M0+ | Cortex-M4 |"
    print "|---|---|---|"
    row("code: one lock on one server without a password", image["nologin", "m0plus"], image["nologin", "m4"])
    row("code: with a password", image["lock", "m0plus"], image["lock", "m4"])
    row("code: one lock on five servers", image["redlock", "m0plus"], image["redlock", "m4"])
    ram = thousands(ram_of_one()) " / " thousands(ram_of_five())
    print "| RAM: lock, connections, queues; one server / five | " ram " | " ram " |"
}

FILENAME !~ /README/ {
    if ($1 == "image") image[$3, $2] = $4
    if ($1 == "sizeof" && $2 == "ilp32") size[$3] = $4
    if ($1 == "count") count[$2] = $3
    next
}

{
    put_before(" KB of code on a Cortex-M4", sprintf("%.1f", image["nologin", "m4"] / 1000))
    put_before(" simulated runs", thousands(count["schedules"]))
    put_before(" deliberate bugs", count["mutants"])
    put_before(" server versions", count["servers"])
    put_before(" processors", count["processors"])
    put_before(" bytes on a Cortex-M4", thousands(image["methods", "m4"] - image["lock", "m4"]))
}
/^\| bytes / { table(); found["the table"]++; in_table = 1 }
!/^\|/ { in_table = 0 }
!in_table

END {
    n = split(" KB of code on a Cortex-M4| simulated runs| deliberate bugs| server versions| processors| bytes on a Cortex-M4|the table", all, "|")
    for (i = 1; i <= n; i++)
        if (found[all[i]] != 1) {
            print "README.md:" (found[all[i]] ? " more than one figure" : " no figure") " before \"" all[i] "\"" >"/dev/stderr"
            exit 1
        }
}
