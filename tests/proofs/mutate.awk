# SPDX-License-Identifier: MIT
# mutate.awk FILE - one mutant per line: line number, the change, the changed line. Comments and contracts
# stay. gcc's own warnings do not matter: a mutant only has to compile.
BEGIN {
    rules = 0
    rule(" == ", " != "); rule(" != ", " == "); rule(" < ", " <= "); rule(" <= ", " < "); rule(" > ", " >= ")
    rule(" >= ", " > "); rule(" < ", " > "); rule(" && ", " || "); rule(" || ", " && "); rule(" + ", " - ")
    rule(" - ", " + "); rule(" * ", " + "); rule("++", "--"); rule("--", "++"); rule(" += ", " -= ")
    rule(" -= ", " += "); rule(" = 0;", " = 1;"); rule(" = 1;", " = 0;"); rule("return 0;", "return 1;")
    rule("return 1;", "return 0;"); rule("'\\r'", "'\\t'"); rule("'\\n'", "'\\t'"); rule(" 10 ", " 11 ")
    rule(" 9)", " 8)"); rule(" 9)", " 10)"); rule(" 1)", " 2)"); rule(" 0)", " 1)"); rule(" 2)", " 3)")
    rule(" 3)", " 4)"); rule(" + 5", " + 4"); rule(" + 6", " + 5"); rule("+ 1", "+ 0"); rule("+ 2", "+ 1")
    rule("- 1", "- 0"); rule("[0]", "[1]"); rule("[1]", "[0]"); rule("ST_SYNTAX", "ST_LIMIT")
    rule("ST_TEXT;", "ST_TEXT_LF;"); rule("ST_TYPE;", "ST_TEXT;"); rule("RDL_PENDING", "RDL_OK")
    rule("RDL_OK;", "RDL_PENDING;"); rule("RDL_E_SPACE", "RDL_E_LIMIT"); rule("ST_CR", "ST_DIGITS")
    rule("ST_DIGITS", "ST_CR"); rule("':'", "';'"); rule("'$'", "'%'"); rule("'*'", "'/'"); rule("'+'", "','")
    rule("'-'", "'.'"); rule("RDL_BULK_MAX", "RDL_VALUES_MAX"); rule("RDL_VALUES_MAX", "RDL_BULK_MAX")
    rule("580)", "579)"); rule("580)", "581)"); rule("INT64_MAX", "INT32_MAX"); rule("p->neg", "p->first")
    rule("GO_ON", "RDL_OK"); rule("0x30", "0x20"); rule("n = (size_t)left;", ";"); rule("left = 0;", ";")
    rule(" / ", " % "); rule(" % ", " / "); rule(" ^ ", " | "); rule("1000", "1001"); rule(" 100)", " 101)")
    rule(" 100 ", " 101 "); rule(" 4)", " 3)"); rule(" 5)", " 4)"); rule(" 6)", " 5)"); rule("[2]", "[1]")
    rule("n + 4", "n + 3"); rule(", 2,", ", 1,"); rule(", 2)", ", 1)"); rule(" != 0", " == 0")
    rule("ST_TEXT)", "ST_TEXT_LF)"); rule("ST_NEG", "ST_SIGN"); rule("ST_SIGN", "ST_NEG"); rule("!", "")
}
function rule(from, to) { rules++; From[rules] = from; To[rules] = to }
/^\/\*/ || /\/\*@/ { in_comment = 1 }
in_comment { if (/\*\//) in_comment = 0; next }
/^ *\/\// || /^#/ || /^ *\/\*/ || /^static .*\(/ || /^[a-z].*\(/ || /RDL_ASSERT/ || /^enum|ST_.*,/ && !/\(/ { next }
{
    for (r = 1; r <= rules; r++) {
        from = 1
        while ((at = index(substr($0, from), From[r])) > 0) {
            at += from - 1
            printf "%d\t%s -> %s\t%s\n", NR, From[r], To[r], \
                substr($0, 1, at - 1) To[r] substr($0, at + length(From[r]))
            from = at + length(From[r])
        }
    }
}
