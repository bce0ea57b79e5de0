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
    if (is_example && is_program && !commanded)
        print name ": its first comment does not begin with the command that runs it (\"     make && build/examples/...\")"
    if (is_example && is_program && !printed)
        print name ": its first comment does not say what it prints (\"prints:\")"
}

FNR == 1 {
    end_of_file()
    name = FILENAME
    spdx = 0
    is_c = name ~ /\.[ch](pp)?$/
    is_make = name ~ /(Makefile|\.mk)$|^\.\/redlock\/pkg\/recipes\// # by the rules of their trees
    is_example = name ~ /(lock|redlock)\/examples\/(loops\/)?[a-z0-9_]+\.(c|cpp)$/ && name !~ /tls_[a-z]*\.c$/
    is_program = in_first = commanded = printed = 0
    opened = 0
    signature = 0
}
FNR <= 3 && /SPDX-License-Identifier: MIT/ { spdx = 1 }
/[ \t\r]$/ { finding(FNR, "blank at the end of the line") }
/\t/ && !is_make { finding(FNR, "tab") }
is_c && length($0) > 110 { finding(FNR, "longer than 110 columns") }
is_c && /^[ ]*typedef struct/ { finding(FNR, "struct hidden behind a typedef") }

# Whoever opens an example can run it, and knows what to expect; check_examples.c runs what is said there.
is_example && FNR == 2 { in_first = 1 }
is_example && in_first && /^ \*     (make|c\+\+|cc) / { commanded = 1 }
is_example && in_first && /^ \* prints:$/ && commanded { printed = 1 }
/\*\/$/ && FNR > 2 { in_first = 0 }
is_example && /^int main\(/ { is_program = 1 }

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
