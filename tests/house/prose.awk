# SPDX-License-Identifier: MIT
# prose.awk FILE... - the sentences of documents (.md, mdoc), of shell completions, and of string literals in C, without
# code. Each paragraph, heading, item, cell of a table and literal is one line, after a line `#line N "FILE"` as `style`
# reads it. Code and names are CODE, so that they count as one word.

function flush() {
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    if (text ~ /[A-Za-z][A-Za-z]/ && text !~ /^(CODE[ .,;:]*)+$/) {
        if (text !~ /[.!?:]$/)
            text = text "."
        printf "#line %d \"%s\"\n%s\n\n", first, file, text
    }
    text = ""
}
function begin() { # a block that begins here
    flush()
    first = FNR
}
function add(words) {
    if (text == "")
        first = FNR
    text = text " " words
}
function names(s) { # options, variables, paths, identifiers and numbers of a format
    s = " " s " "
    gsub(/%[-+ #0-9.*]*[lzhj]*[a-z]/, " CODE", s)
    gsub(/%%/, "%", s)
    gsub(/https?:[^ )>]*/, "CODE", s)
    while (match(s, /[ ("'|=;:,\/[][-$@~][-$@~A-Za-z0-9_{}\[\]=.\/:*+|-]*[A-Za-z0-9_}*]/))
        s = substr(s, 1, RSTART) "CODE" substr(s, RSTART + RLENGTH)
    while (match(s, /[A-Za-z0-9.:\/-]*[_\/@][A-Za-z0-9_.:\/@-]*[A-Za-z0-9_]/))
        s = substr(s, 1, RSTART - 1) "CODE" substr(s, RSTART + RLENGTH)
    while (match(s, /[A-Za-z0-9_.-]+[.](md|c|h|py|txt|ld|sh|so|a|json|conf|dict|inc)[^A-Za-z0-9]/))
        s = substr(s, 1, RSTART - 1) "CODE" substr(s, RSTART + RLENGTH - 1)
    return s
}

function finish_file() {
    flush()
    if (kind == "c")
        literals()
}

FNR == 1 {
    finish_file()
    file = FILENAME
    kind = file ~ /\.md$/ ? "md" : file ~ /\.[0-9]$/ ? "mdoc" : file ~ /\.[ch]$/ ? "c" : file ~ /\.sh$/ ? "sh" : "completion"
    fenced = 0
    source = ""
}

# Markdown: no fenced or indented code, no comments.
kind == "md" && /^ *```/ {
    begin()
    fenced = !fenced
    next
}
kind == "md" && fenced { next }
kind == "md" && /^<!--.*-->$/ { next }
kind == "md" && /^ *$/ {
    flush()
    blank = 1
    next
}
kind == "md" {
    if (/^    / && (blank || code)) {
        code = 1
        next
    }
    code = blank = 0
    line = $0
    gsub(/``[^`]*``|`[^`]*`/, "CODE", line)
    gsub(/!\[[^]]*\]\([^)]*\)/, "", line)
    while (match(line, /\]\([^)]*\)/))
        line = substr(line, 1, RSTART - 1) substr(line, RSTART + RLENGTH)
    gsub(/\[\[?|\*\*?|<[^>]*>/, "", line)
    if (line ~ /^\|/) {
        gsub(/\\\|/, "/", line)
        n = split(line, cell, "|")
        for (i = 2; i < n; i++) {
            begin()
            if (cell[i] !~ /^[-: ]*$/)
                add(names(cell[i]))
        }
        flush()
        next
    }
    if (line ~ /^(#|[-*] |[0-9]+\. |> )/) {
        begin()
        sub(/^(#+|[-*]|[0-9]+\.|>) */, "", line)
    }
    add(names(line))
    if ($0 ~ /^#/)
        flush()
    next
}

# mdoc: macros of words are CODE, with the punctuation after them; others end a sentence.
kind == "mdoc" && /^\.Bd/ {
    begin()
    fenced = 1
}
kind == "mdoc" && /^\.Ed/ { fenced = 0 }
kind == "mdoc" && fenced { next }
kind == "mdoc" && /^\.\\"/ { next }
kind == "mdoc" && /^\.(Fl|Ar|Cm|Ev|Pa|Nm|Xr|Ql|Fn|Vt|Va|Fa|Dv|Er|Ic|Li|Sx|Lk|Op|Em|Sy|Dq|Sq|Pq|Fx|In) ?/ {
    line = $0
    n = split(line, word, " ")
    end = ""
    while (n > 1 && word[n] ~ /^[.,:;)?!]$/)
        end = word[n--] end
    add("CODE" end)
    next
}
kind == "mdoc" && /^\./ {
    begin()
    if (/^\.(Sh|Ss|Nd) /) {
        sub(/^\.[A-Z][a-z] /, "")
        gsub(/\\&/, "")
        add(names($0))
        flush()
    }
    next
}
kind == "mdoc" {
    line = $0
    gsub(/\\\(..|\\f.|\\&/, "", line)
    gsub(/\\-/, "-", line)
    add(names(line))
    next
}

kind == "c" {
    source = source $0 "\n"
    next
}

# Comments of scripts and examples.
kind == "sh" && /^ *# / && !/^#!/ && !/shellcheck|SPDX/ {
    line = $0
    sub(/^ *# /, "", line)
    add(names(line))
    next
}
kind == "sh" { flush() }

# Completions: what is in brackets, or after -d.
kind == "completion" {
    line = $0
    while (match(line, /\[[^]]* [^]]*\]|-d '[^']*'/)) {
        piece = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        begin()
        sub(/^\[|^-d '/, "", piece)
        sub(/[]']$/, "", piece)
        add(names(piece))
        flush()
    }
}

# The literals of a C file: pieces that follow each other are one; without a blank it is no prose.
function literals(    rest, piece, out, n, at) {
    rest = source
    gsub(/'"'/, "' '", rest)
    at = 1
    out = ""
    while (match(rest, /"([^"\\\n]|\\.)*"|\/\*|\n/)) {
        piece = substr(rest, RSTART, RLENGTH)
        n = substr(rest, 1, RSTART - 1)
        rest = substr(rest, RSTART + RLENGTH)
        if (out != "" && (n !~ /^ *(PRI[a-z0-9]+|[A-Z_0-9]+)? *$/)) {
            literal(out, start)
            out = ""
        }
        if (piece == "\n") {
            at++
        } else if (piece == "/*") {
            piece = substr(rest, 1, index(rest, "*/") + 1)
            at += gsub(/\n/, "\n", piece)
            rest = substr(rest, index(rest, "*/") + 2)
        } else {
            if (out == "")
                start = at
            out = out (n ~ /[A-Z]/ && out != "" ? "x" : "") substr(piece, 2, length(piece) - 2)
        }
    }
    literal(out, start)
    source = ""
}
function literal(s, at,    part, n, i) {
    n = split(s, part, /\\n|\\0/)
    for (i = 1; i <= n; i++)
        if (part[i] ~ /[a-z]+[,;:]? +[a-z]+/ && part[i] !~ /redis[.]call|local |INFO |#include/) {
            gsub(/\\"/, "\"", part[i])
            first = at
            text = names(part[i])
            flush()
        }
}
END { finish_file() }
