# SPDX-License-Identifier: MIT
# The README's table of sizes from tests/house/size.txt: awk -f cli_size.awk tests/house/size.txt README.md >new
function layer(name)
{
    return name ~ /^resp/ ? "resp" : name ~ /^net/ ? "net" : name ~ /^lock/ ? "lock" : "redlock"
}

function row(title, kind)
{
    print "| " title " | " kind["m0plus"] " | " kind["m4"] " | " kind["x86-64"] " |"
}

function structure(name, more)
{
    print "| `struct " name "`" more " | | " size["ilp32" SUBSEP name] " | " size["lp64" SUBSEP name] " |"
}

FILENAME ~ /size.txt$/ && $1 == "text" && $3 != "total" { sum[layer($3) SUBSEP $2] += $4 }
FILENAME ~ /size.txt$/ && $1 == "text" && $3 == "total" { total[$2] = $4 }
FILENAME ~ /size.txt$/ && $1 == "stack" && $3 == "total" { stack[$2] = $4 }
FILENAME ~ /size.txt$/ && $1 == "image" { image[$3, $2] = $4 }
FILENAME ~ /size.txt$/ && $1 == "sizeof" { size[$2 SUBSEP $3] = $4 }
FILENAME ~ /size.txt$/ { next }

/^<!-- sizes/ {
    print
    print ""
    print "| bytes, -Os | Cortex-M0+ | Cortex-M4 | x86-64 |"
    print "|---|---|---|---|"
    for (i = split("resp net lock redlock", names, " "); i > 0; i--) {
        l = names[i]
        part["m0plus"] = sum[l SUBSEP "m0plus"]
        part["m4"] = sum[l SUBSEP "m4"]
        part["x86-64"] = sum[l SUBSEP "x86-64"]
        row("`" l "/`, text", part)
    }
    row("all, text (a static link takes what is used)", total)
    label["redlock"] = "**a firmware with a lock on five servers**"
    label["lock"] = "**a firmware with one lock on one server**"
    label["nologin"] = "the same, of a server without a password"
    for (i = split("nologin lock redlock", names, " "); i > 0; i--) {
        part["m0plus"] = image[names[i], "m0plus"]
        part["m4"] = image[names[i], "m4"]
        part["x86-64"] = ""
        row(label[names[i]], part)
    }
    row("deepest stack", stack)
    structure("rdl_conn", "")
    structure("rdl_lock", "")
    structure("rdl_lock_fenced", "")
    structure("rdl_lock_legacy", "")
    structure("rdl_redlock", "")
    structure("rdl_server", ", each")
    print ""
    skip = 1
}
/^<!-- end of sizes/ { skip = 0 }
!skip
