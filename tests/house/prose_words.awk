# SPDX-License-Identifier: MIT
# prose_words.awk WORDS EXCEPTIONS TEXT... - which words of WORDS are in TEXT (as prose.awk prints it), but for the phrases
# of EXCEPTIONS ("phrase = reason"). An exception that no text has is a finding.
BEGIN { FS = " = " }
FNR == 1 { n_files++ }
n_files == 1 && !/^#/ && NF == 2 {
    words[++n_words] = "(^|[^a-z])(" $1 ")([^a-z]|$)"
    advice[n_words] = $2
}
n_files == 2 && !/^#/ && NF {
    if (NF != 2 || $2 == "")
        print FILENAME ":" FNR ": an exception is \"phrase = reason\""
    exceptions[++n_exceptions] = $1
    where[n_exceptions] = FILENAME ":" FNR
}
n_files > 2 && /^#line / {
    split($0, part, "\"")
    place = part[2] ":" (substr($0, 7) + 0)
}
n_files > 2 && !/^#line / && NF {
    text = tolower($0)
    for (i = 1; i <= n_exceptions; i++)
        while ((at = index(text, tolower(exceptions[i]))) > 0) {
            text = substr(text, 1, at - 1) "-" substr(text, at + length(exceptions[i]))
            used[i] = 1
        }
    for (i = 1; i <= n_words; i++)
        if (match(text, words[i])) {
            found = substr(text, RSTART, RLENGTH)
            gsub(/^[^a-z]|[^a-z]$/, "", found)
            print place ": \"" found "\": " advice[i] ": " $0
        }
}
END {
    for (i = 1; i <= n_exceptions; i++)
        if (!used[i])
            print where[i] ": no text has \"" exceptions[i] "\""
}
