# SPDX-License-Identifier: MIT
# readme.awk README.md - the start page for Doxygen: headings get the names that GitHub gives them, and links to files
# lead from build/docs/html to the tree. Written as HTML, because Doxygen takes a link to a file *.md for one to a page of its own.
/^## / {
    name = tolower(substr($0, 4))
    gsub(/[^a-z0-9 -]/, "", name)
    gsub(/ /, "-", name)
    $0 = $0 " {#" name "}"
}
{ page = page $0 "\n" }
END {
    # A link may go on in the next line.
    while (match(page, /!?\[[^][]*\]\([^)]*\)/)) {
        link = substr(page, RSTART, RLENGTH)
        between = index(link, "](")
        target = substr(link, between + 2, length(link) - between - 2)
        if (target !~ /^#/ && target !~ /:\/\//) {
            target = "../../../" target
            if (link ~ /^\[/)
                link = "<a href=\"" target "\">" substr(link, 2, between - 2) "</a>"
            else
                link = substr(link, 1, between + 1) target ")"
        }
        printf "%s%s", substr(page, 1, RSTART - 1), link
        page = substr(page, RSTART + RLENGTH)
    }
    printf "%s", page
}
