# SPDX-License-Identifier: MIT
# flatten.awk -v out=FOLDER FILE.h FILE.c... - write each FILE into FOLDER, with each `#include "..."` replaced once by the
# included text. A file includes an earlier header instead of repeating its text. Run it from the top of the tree.
function flatten(file,    line, name) {
    while ((status = (getline line <file)) > 0) {
        if (line !~ /^#include "/) {
            print line >target
            continue
        }
        split(line, name, "\"")
        if (name[2] in in_header) {
            header = in_header[name[2]]
            if (!(header in written)) print "#include \"" header "\"" >target
            written[header]
        } else if (!(name[2] in written)) {
            written[name[2]]
            print "\n/* ================ " name[2] " */\n" >target
            flatten(name[2])
        }
    }
    if (status < 0) {
        print "flatten.awk: cannot read " file >"/dev/stderr"
        exit 1
    }
    close(file)
}
BEGIN {
    for (i = 1; i < ARGC; i++) {
        split("", written)
        base = ARGV[i]
        sub(/.*\//, "", base)
        target = out "/" base
        flatten(ARGV[i])
        close(target)
        if (base !~ /\.h$/) continue
        for (name in written)
            if (name ~ /\//) in_header[name] = base
    }
}
