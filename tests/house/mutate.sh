# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# mutate.sh - for scripts that try one-line changes of production code; they source it. DIR/NAME.sed is such a change:
# a script for sed -E whose second line says which file it changes and which rule it breaks, `# FILE: RULE`.

# The names of all changes in DIR.
mutants_in() { # dir
    find "$1" -name '*.sed' -exec basename '{}' .sed ';' | sort
}

mutated_file() { # dir name
    sed -n '2s/^# \([^:]*\):.*/\1/p' "$1/$2.sed"
}

# Writes the file with that change to OUT; it is read below TREE. 1: the change does not apply.
mutate() { # dir name tree out
    original=$3/$(mutated_file "$1" "$2")
    [ -f "$original" ] && sed -E -f "$1/$2.sed" "$original" >"$4" && ! cmp -s "$original" "$4"
}
