# SPDX-License-Identifier: MIT
# tested_messages.awk MESSAGES SOURCES UNTESTED - each message (messages.awk) is in the text of a test, or in UNTESTED; not both.

# By three of its words that follow each other, by two long ones, or by all that is between two places of the format.
function is_tested(format,    piece, n, i, words, k, at, two) {
    gsub(/%[-+ #0-9.*]*[lzh]*[a-z]/, "\002", format)
    gsub(/"/, "\\\"", format)
    n = split(format, piece, "\002")
    for (i = 1; i <= n; i++) {
        gsub(/^ +| +$/, "", piece[i])
        k = split(piece[i], words, " ")
        if (k > 0 && (n == 1 || length(piece[i]) >= 9) && index(sources, piece[i]))
            return 1
        for (at = 1; at < k; at++) {
            two = words[at] " " words[at + 1]
            if (length(two) >= 14 && index(sources, two))
                return 1
            if (at + 1 < k && index(sources, two " " words[at + 2]))
                return 1
        }
    }
    return 0
}
function finding(text) {
    print "messages: " text
    failed = 1
}

FNR == 1 { file++ }
file == 1 && !/^remedy\t/ { all[++n_all] = $0 }
# mawk's index() compares beyond the end of a string: the spaces are longer than any text that is looked up.
file == 2 { sources = sources $0 sprintf("%1000s", "") }
file == 3 && !/^#/ && NF { untested[$0] = 1 }
END {
    for (i = 1; i <= n_all; i++) {
        format = all[i]
        sub(/^[^\t]*\t/, "", format)
        seen[format] = 1
        tested = is_tested(format)
        n_tested += tested
        if (!tested && !(format in untested))
            finding("in no test: the " all[i])
        if (tested && (format in untested))
            finding("in a test, and in guide_untested.txt: \"" format "\"")
    }
    for (format in untested)
        if (!(format in seen))
            finding("nothing prints what guide_untested.txt has: \"" format "\"")
    printf "%d messages in the code, %d in tests\n", n_all, n_tested
    exit failed
}
