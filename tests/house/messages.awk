# SPDX-License-Identifier: MIT
# messages.awk - of the command's sources, the format of every message, a line each: KIND, a tab, the format.
# A call's first literal is its format, in as many pieces as it has; of some it is a later argument.
# rdl_strerror's words (resp_strerror.c) and the advice behind a message are told as well.

function literal(text,    out) { # of the arguments of a call: the literal that begins them
    out = ""
    while (match(text, /^[ \n]*("([^"\\]|\\.)*"|PRI[a-z0-9]+|[A-Z][A-Z_0-9]+)/)) {
        piece = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        sub(/^[ \n]*/, "", piece)
        if (piece ~ /^PRI/)
            piece = "x"
        else if (piece ~ /^"/)
            piece = substr(piece, 2, length(piece) - 2)
        else if (piece in macro)
            piece = macro[piece]
        else
            break
        out = out piece
    }
    gsub(/\\"/, "\"", out)
    return out
}

function arguments(n, text) { # text without its first n arguments, which may be calls themselves
    for (; n > 0; n--)
        sub(/^([^,()"]|"([^"\\]|\\.)*"|\([^()]*\))*,/, "", text)
    return text
}

function calls(name, n, kind,    text, at, found) {
    text = source
    while (match(text, "(^|[^a-z_])" name "\\(")) {
        at = RSTART + RLENGTH
        text = substr(text, at)
        found = literal(arguments(n, text))
        if (found != "" && found !~ /^%s$/ && found !~ /\\n/)
            print kind "\t" found
    }
}

function file_is_over() {
    calls("rdl_cli_print_error", 0, "error")
    calls("refuse", 0, "error")
    calls("rdl_cli_print_warning", 0, "warning")
    calls("rdl_cli_print_warning_always", 0, "warning")
    calls("rdl_cli_print_info", 0, "told")
    calls("rdl_cli_print_verbose", 0, "note")
    calls("rdl_cli_say", 1, "told")
    calls("rdl_cli_fail", 1, "error")
    calls("rdl_cli_misuse", 1, "error")
    calls("rdl_cli_report", 2, "finding")
    calls("rdl_cli_report", 1, "remedy")
    calls("rdl_cli_advise", 1, "remedy")
    if (source ~ /static void print_lost\(/)
        calls("snprintf", 2, "warning")
    if (source ~ /static const char \*advice\(/)
        advice()
    if (source ~ /_TEXTS\(X\)/)
        reasons()
    source = ""
}

function advice(    text, found) { # what stands in brackets behind a message
    text = source
    while (match(text, /" \(/)) {
        text = substr(text, RSTART)
        found = literal(text)
        text = substr(text, length(found) + 2)
        sub(/^ /, "", found)
        print "advice\t" found
    }
}

function reasons(    text, piece) { # what rdl_strerror says
    text = source
    while (match(text, /\n    X\(RDL_[A-Z_0-9]+, "[^"]*"/)) {
        piece = substr(text, RSTART, RLENGTH - 1)
        text = substr(text, RSTART + RLENGTH)
        sub(/^[^"]*"/, "", piece)
        print "reason\t" piece
    }
}

BEGIN {
    macro["RDL_CANARY_KEY"] = "rdl:canary"
    macro["RDL_CLI_TLS_HINT"] = "check the port; if it uses TLS, its URL must begin with rediss://"
}
FNR == 1 && NR > 1 { file_is_over() }
{ source = source $0 "\n" }
END { file_is_over() }
