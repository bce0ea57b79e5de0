# SPDX-License-Identifier: MIT
# operators.awk FILE - every small change of a C file, one per line, with tabs between: the first and the last line
# that it replaces, what it changes, and the text instead. It knows C as clang-format writes it: operators have spaces
# on both sides, and a statement begins its line. Comments, texts, directives, assertions and declarations at the left
# margin stay.
BEGIN {
    swap(" == ", " != "); swap(" != ", " == "); swap(" < ", " <= "); swap(" < ", " >= "); swap(" <= ", " < ")
    swap(" <= ", " > "); swap(" > ", " >= "); swap(" > ", " <= "); swap(" >= ", " > "); swap(" >= ", " < ")
    swap(" && ", " || "); swap(" || ", " && "); swap(" + ", " - "); swap(" - ", " + "); swap(" * ", " + ")
    swap(" / ", " * "); swap(" % ", " / "); swap(" & ", " | "); swap(" | ", " & "); swap(" ^ ", " | ")
    swap(" << ", " >> "); swap(" >> ", " << "); swap("++", "--"); swap("--", "++"); swap(" += ", " -= ")
    swap(" -= ", " += "); swap(" |= ", " &= "); swap(" &= ", " |= "); swap(" *= ", " += "); swap("!", "")
    swap("~", "")
}
function swap(from, to) { n++; From[n] = from; To[n] = to }

# The line with its texts, characters and comments made blank, so that positions stay.
function code_of(line,    i, c, out, quote) {
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (In_comment) {
            if (substr(line, i, 2) == "*/") { In_comment = 0; i++; out = out " " }
            out = out " "
        } else if (quote != "") {
            if (c == "\\") { i++; out = out " " } else if (c == quote) quote = ""
            out = out " "
        } else if (substr(line, i, 2) == "//")
            break
        else if (substr(line, i, 2) == "/*") { In_comment = 1; out = out "  "; i++ }
        else if (c == "\"" || c == "'") { quote = c; out = out " " }
        else out = out c
    }
    return out
}

# Constants: the next name of the same family in this file stands in for a name.
function family(name) {
    if (name ~ /^RDL_E_/) return "error"
    return substr(name, 1, index(name, "_"))
}
function learn(code,    at, name) {
    while (match(code, /[A-Z][A-Z0-9]*_[A-Z0-9_]+/)) {
        name = substr(code, RSTART, RLENGTH)
        at = family(name)
        if (!(name in Known)) { Known[name] = ++Count[at]; Name[at, Count[at]] = name }
        code = substr(code, RSTART + RLENGTH)
    }
}
function other(name,    at) {
    at = family(name)
    if (Count[at] < 2) return at == "error" ? "RDL_E_CLOSED" == name ? "RDL_E_FULL" : "RDL_E_CLOSED" : ""
    return Name[at, Known[name] % Count[at] + 1]
}

{ Line[NR] = $0; Code[NR] = code_of($0); if ($0 !~ /^#/) learn(Code[NR]) }

function bare(text) { gsub(/^ +| +$/, "", text); return text == "" ? "nothing" : text }
function at_position(l, at, len, to) {
    printf "%d\t%d\t%s -> %s\t%s\n", l, l, bare(substr(Line[l], at, len)), bare(to),
        substr(Line[l], 1, at - 1) to substr(Line[l], at + len)
}

function operators(l,    i, at, from) {
    for (i = 1; i <= n; i++) {
        from = 1
        while ((at = index(substr(Code[l], from), From[i])) > 0) {
            at += from - 1
            from = at + length(From[i])
            if (From[i] != "!" || substr(Code[l], at + 1, 1) != "=")
                at_position(l, at, length(From[i]), To[i])
        }
    }
}

function constants(l,    rest, at, word, to) {
    rest = Code[l]
    at = 0
    while (match(rest, /[A-Za-z_0-9]+/)) {
        word = substr(rest, RSTART, RLENGTH)
        if (word ~ /^[0-9]+u?$/) {
            at_position(l, at + RSTART, RLENGTH, sprintf("%d", word + 1) (word ~ /u$/ ? "u" : ""))
            if (word + 0 > 0)
                at_position(l, at + RSTART, RLENGTH, sprintf("%d", word - 1) (word ~ /u$/ ? "u" : ""))
        } else if (word in Known && (to = other(word)) != "" && !(Code[l] ~ "^ *(case )?" word "[,:]?" && Code[l] !~ /[({=]/))
            at_position(l, at + RSTART, RLENGTH, to)
        at += RSTART + RLENGTH - 1
        rest = substr(rest, RSTART + RLENGTH)
    }
}

function conditions(l) { # a condition without an operator
    if (match(Code[l], /(if|while) \([a-z][A-Za-z0-9_.>[\]-]*(\([^()]*\))?\)( \{)?$/)) {
        match(Code[l], /(if|while) \(/)
        at_position(l, RSTART + RLENGTH, 0, "!")
    }
}

# The last line of the statement that begins here, or 0.
function statement(l,    code) {
    if (Code[l] !~ /^ +(\*|\+\+|--)?[a-z_][A-Za-z0-9_]*(\(|\[|\.|->| [-+*\/|&^<>]*= |\+\+|--)/ && Code[l] !~ /^ +(break|continue);/)
        return 0
    while (l <= NR) {
        code = Code[l]
        sub(/ +$/, "", code)
        if (code ~ /\{/) return 0
        if (code ~ /;$/) return l
        l++
    }
    return 0
}

END {
    for (l = 1; l <= NR; l++) {
        if (Line[l] ~ /^ *RDL_ASSERT/) {
            while (Code[l] !~ /; *$/) l++
            continue
        }
        if (Line[l] ~ /^[^ ]/ || Code[l] ~ /^ *$/)
            continue
        operators(l)
        constants(l)
        conditions(l)
        if ((last = statement(l)) > 0)
            printf "%d\t%d\tdropped\t%s;\n", l, last, substr(Line[l], 1, match(Line[l], /[^ ]/) - 1)
    }
}
