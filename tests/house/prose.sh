#!/bin/sh
# SPDX-License-Identifier: MIT
# prose.sh - the English that users read: documents, man pages, completions, and the strings of the command. Findings are
# words of prose_words.txt, sentences of more than 30 words, and words that neither hunspell nor prose_dictionary.txt knows.
set -eu
here=tests/house
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C.UTF-8

set -- README.md CHANGELOG.md .github/CONTRIBUTING.md .github/SECURITY.md fuzz/README.md net/PORTING.md lock/LEGACY.md redlock/DESIGN.md \
    redlock/GUIDE.md redlock/redlock.3 redlock/cli/redlock.1 tests/servers/redlock-standin.1 redlock/pkg/README.md resp/WIRE.md tests/sim/README.md \
    lock/examples/firmware/README.md redlock/examples/*.sh resp/resp.h net/net.h lock/lock_results.h redlock/redlock_results.h
for source in redlock/cli/*.c redlock/cli/*/*.c; do
    case $source in */completion.c) ;; *) set -- "$@" "$source" ;; esac # its strings are scripts of shells
done
awk -f $here/prose.awk "$@" >"$dir/text"

awk -f $here/prose_words.awk $here/prose_words.txt $here/prose_exceptions.txt "$dir/text"
style -l 30 "$dir/text" | sed -n '/^readability/q; s/^\([^ ]*:[0-9]*:\) /\1 more than 30 words: /p'
# Unknown words, with the first place of each. Names with digits or two capitals are not in question.
grep -v '^#line' "$dir/text" |
    sed -E -e "s/'s([^A-Za-z])/\\1/g" -e 's/[A-Za-z0-9]*([0-9]|[A-Z][A-Z]|[a-z][A-Z])[A-Za-z0-9]*//g' |
    hunspell -l -d en_US -p $here/prose_dictionary.txt | sort -u >"$dir/unknown"
while read -r word; do
    place=$(awk -v word="$word" '/^#line / { place = $3 ":" $2; next }
        match($0, "(^|[^A-Za-z])" word "([^A-Za-z]|$)") { print place; exit }' "$dir/text" | tr -d '"')
    echo "$place: unknown word \"$word\": correct it, or add it to $here/prose_dictionary.txt"
done <"$dir/unknown"
