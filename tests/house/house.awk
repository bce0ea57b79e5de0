# SPDX-License-Identifier: MIT
# house.awk FILE... - the house rules a compiler does not know. One line for each finding.

function finding(line, text) {
    print FILENAME ":" line ": " text
}

function end_of_file() {
    if (name == "")
        return
    if (!spdx)
        print name ": no SPDX line at its top"
}

FNR == 1 {
    end_of_file()
    name = FILENAME
    spdx = 0
    is_c = name ~ /\.[ch]$/
    is_make = name ~ /(Makefile|\.mk)$/
    opened = 0
    signature = 0
}
FNR <= 3 && /SPDX-License-Identifier: MIT/ { spdx = 1 }
/[ \t\r]$/ { finding(FNR, "blank at the end of the line") }
/\t/ && !is_make { finding(FNR, "tab") }
is_c && length($0) > 110 { finding(FNR, "longer than 110 columns") }
is_c && /^[ ]*typedef struct/ { finding(FNR, "struct hidden behind a typedef") }

# Whoever reads an installed header asks each function what it does, by itself.
name ~ /(resp\/resp|net\/net|lock\/lock|redlock\/redlock)\.h$/ && /^[a-z].*[ *]rdl_[a-z0-9_]+\(/ && !/^typedef/ && before !~ /\*\/$/ {
    finding(FNR, "no comment of its own")
}
{ before = $0 }

# A function: from the line its signature starts on, through { and } in the first column.
is_c && /^[A-Za-z_]/ && !opened && !/;[ ]*(\/\*.*)?$/ { if (!signature) signature = FNR }
is_c && /;[ ]*(\/\*.*)?$/ && !opened { signature = 0 }
is_c && /^{/ { opened = signature ? signature : FNR }
is_c && /^}/ {
    if (opened && FNR - opened + 1 >= 60)
        finding(opened, FNR - opened + 1 " lines; a function has fewer than 60")
    opened = 0
    signature = 0
}

END { end_of_file() }
