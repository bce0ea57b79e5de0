# SPDX-License-Identifier: MIT
# stack.awk -v target=NAME [-v entry=FUNCTION] [-v symbols=FILE] BUDGETS... FILE.ci... - the deepest stack through the
# call graph that gcc -fstack-usage -fcallgraph-info=su,da writes: "stack TARGET FILE BYTES" for each source file, and the
# path on a line that begins with #. Recursion, frames without a bound, functions and indirect calls that no file of
# budgets names are errors ("! ..." lines).
#
# entry: only what FUNCTION calls is counted, "stack TARGET FUNCTION BYTES". symbols: what nm prints of an image; a function
# that is not in it is not called indirectly.

function quoted(key,    rest) { # the value behind key: "..." of this line
    rest = substr($0, index($0, key) + length(key) + 2)
    return substr(rest, 1, index(rest, "\"") - 1)
}

function complain(text) {
    if (!(text in told))
        print "! " target ": " text
    told[text] = 1
}

function base(f) { # without its file, and without what gcc adds to the name of a part or a copy
    sub(/.*:/, "", f)
    sub(/\..*/, "", f)
    return f
}

# The function of this name, whatever file it is static in; "" if there is none. If two files have one, nobody knows
# which is meant.
function find(name,    f, found) {
    if (name in frame)
        return name
    for (f in frame)
        if (base(f) == name) {
            if (found != "")
                complain("indirect calls may reach two functions called " name ": give one another name")
            found = f
        }
    return found
}

# What the indirect calls of a function take: those that are named for it, or for its file.
function indirect(caller,    key, n, i, w, f, worst) {
    key = base(caller) in reach ? base(caller) : home[caller]
    if (!(key in reach)) {
        complain("indirect call in " caller ": name its targets in budgets.txt")
        return 0
    }
    n = split(reach[key], w, " ")
    for (i = 1; i <= n; i++) {
        if (w[i] ~ /^[0-9]+$/) {
            if (w[i] + 0 > worst)
                worst = w[i] + 0
            continue
        }
        if (symbols != "" && !(w[i] in linked))
            continue
        f = find(w[i])
        if (f == "")
            complain("indirect call in " key " may reach " w[i] ", which is not there")
        else if (depth(f) > worst) {
            worst = depth(f)
            indirectly[caller] = f
        }
    }
    return worst + 0
}

function depth(f,    n, i, w, d, worst) {
    if (f in known)
        return known[f]
    if (f in open) {
        complain("recursion through " f)
        return 0
    }
    if (!(f in frame)) {
        complain("no frame known for " f)
        return 0
    }
    open[f] = 1
    n = split(calls[f], w, " ")
    for (i = 1; i <= n; i++) {
        d = w[i] == "__indirect_call" ? indirect(f) : depth(w[i])
        if (d > worst) {
            worst = d
            next_of[f] = w[i] == "__indirect_call" ? indirectly[f] : w[i]
        }
    }
    delete open[f]
    known[f] = frame[f] + worst
    return known[f]
}

BEGIN {
    while (symbols != "" && (getline line < symbols) > 0) {
        sub(/.* /, "", line)
        linked[base(line)] = 1
    }
}
FILENAME ~ /\.txt$/ {
    if ($1 == "frame")
        frame[$2] = $3
    if ($1 == "indirect" || $1 == "only") { # only: instead of what was named for it before
        key = $2
        if ($1 == "only")
            reach[key] = ""
        $1 = $2 = ""
        reach[key] = reach[key] $0
    }
    next
}
/^graph: / { file = quoted("title:"); files[++file_count] = file }
/^node: / && match($0, /[0-9]+ bytes \([a-z,]*\)/) {
    name = quoted("title:")
    use = substr($0, RSTART, RLENGTH)
    frame[name] = use + 0
    home[name] = file
    if (use ~ /\(dynamic\)/)
        complain("a frame without a bound: " name)
}
/^edge: / { from = quoted("sourcename:"); calls[from] = calls[from] " " quoted("targetname:") }

function path_from(f,    path) {
    path = base(f)
    while (f in next_of && (f = next_of[f]) != "")
        path = path " > " base(f)
    return path
}

END {
    if (entry != "") {
        top = find(entry)
        if (top == "")
            complain("no function " entry)
        print "stack", target, entry, top == "" ? 0 : depth(top)
        print "# " target ": " known[top] + 0 " bytes in " path_from(top)
        exit
    }
    for (f in home) {
        d = depth(f)
        if (d >= worst[home[f]]) {
            worst[home[f]] = d
            start[home[f]] = f
        }
    }
    for (i = 1; i <= file_count; i++) {
        name = files[i]
        sub(/.*\//, "", name)
        sub(/\.c$/, "", name)
        print "stack", target, name, worst[files[i]] + 0
        if (worst[files[i]] > worst_of_all) {
            worst_of_all = worst[files[i]]
            top = start[files[i]]
        }
    }
    print "stack", target, "total", worst_of_all + 0
    print "# " target ": " worst_of_all + 0 " bytes in " path_from(top)
}
