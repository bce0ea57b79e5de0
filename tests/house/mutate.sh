# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# mutate.sh - for scripts that try one-line changes of production code; they source it. DIR/NAME.sed is such a change:
# a script for sed -E whose second line says which file it changes and which rule it breaks, `# FILE: RULE`.

# The names of all changes in DIR.
mutants_in() { # dir
    find "$1" -name '*.sed' -exec basename '{}' .sed ';' | sort
}

# N of them, chosen by the hash of the commit; in a copy that is not a repository always the same.
drawn_mutants() { # dir n
    commit=$(git rev-parse HEAD 2>/dev/null)
    mutants_in "$1" | while read -r name; do
        echo "$(echo "$commit $name" | sha1sum | cut -c -40) $name"
    done | sort | head -n "$2" | cut -d ' ' -f 2
}

mutated_file() { # dir name
    sed -n '2s/^# \([^:]*\):.*/\1/p' "$1/$2.sed"
}

# Writes the file with that change to OUT; it is read below TREE. 1: it does not apply, or to a header alone.
mutate() { # dir name tree out
    original=$3/$(mutated_file "$1" "$2")
    [ -f "$original" ] && [ "$original" != "${original%.c}" ] &&
        sed -E -f "$1/$2.sed" "$original" >"$4" && ! cmp -s "$original" "$4"
}

# Prints those that do not apply, and returns 1 if there is one. OUT is overwritten.
all_apply() { # dir tree out
    ! mutants_in "$1" | while read -r name; do
        mutate "$1" "$name" "$2" "$3" || echo "$name DOES NOT APPLY to $(mutated_file "$1" "$name")"
    done | grep .
}
