# SPDX-License-Identifier: MIT
# stack.awk -v target=NAME BUDGETS FILE.ci... - the worst stack of each source file through the call graph
# that gcc -fstack-usage -fcallgraph-info=su,da writes: "stack TARGET FILE BYTES", and the path on fd 2 if
# asked with -v paths=1. Recursion, frames without a bound, functions and indirect calls nobody named in
# BUDGETS are errors ("! ..." lines).

function quoted(key,    rest) { # the value behind key: "..." of this line
    rest = substr($0, index($0, key) + length(key) + 2)
    return substr(rest, 1, index(rest, "\"") - 1)
}

function complain(text) {
    if (!(text in told))
        print "! " target ": " text
    told[text] = 1
}

# The function of this name, whatever file it is static in; "" if there is none. If two files have one, nobody knows
# which is meant.
function find(name,    f, found) {
    if (name in frame)
        return name
    for (f in frame)
        if (substr(f, length(f) - length(name)) == ":" name) {
            if (found != "")
                complain("indirect calls may reach two functions called " name ": give one another name")
            found = f
        }
    return found
}

function indirect(file,    n, i, w, f, worst) {
    if (!(file in reach)) {
        complain("indirect call in " file ": name its targets in budgets.txt")
        return 0
    }
    n = split(reach[file], w, " ")
    for (i = 1; i <= n; i++) {
        if (w[i] ~ /^[0-9]+$/) {
            if (w[i] + 0 > worst)
                worst = w[i] + 0
            continue
        }
        f = find(w[i])
        if (f == "")
            complain("indirect call in " file " may reach " w[i] ", which is not there")
        else if (depth(f) > worst)
            worst = depth(f)
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
        d = w[i] == "__indirect_call" ? indirect(home[f]) : depth(w[i])
        if (d > worst) {
            worst = d
            next_of[f] = w[i]
        }
    }
    delete open[f]
    known[f] = frame[f] + worst
    return known[f]
}

FILENAME ~ /budgets\.txt$/ {
    if ($1 == "frame")
        frame[$2] = $3
    if ($1 == "indirect") {
        file = $2
        $1 = $2 = ""
        reach[file] = reach[file] $0
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

END {
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
    path = top
    for (f = top; f in next_of && f in known; f = next_of[f])
        path = path " > " next_of[f]
    print "# " target ": " worst_of_all + 0 " bytes in " path
}
