#!/bin/sh
# SPDX-License-Identifier: MIT
# reference.sh MAKE BUILD VERSION - BUILD/docs, which `make docs` wrote, has a man page for each function of the public headers (HEADERS),
# and no link of its start page is broken. It is the same bytes when it is written in another folder. `make install` installs
# the man pages, and `make uninstall` removes them. A function without a comment, or whose parameter has none, is an error.
set -eu
make=$1 build=$2 version=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "reference: $*" >&2
    exit 1
}

# shellcheck disable=SC2086 # a list of files
cat $HEADERS | sed -n '/^typedef/d; /^[a-z]/s/^.*[ *]\(rdl_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$dir/functions"
[ "$(wc -l <"$dir/functions")" -ge 80 ] || fail "too few functions in the headers: $(cat "$dir/functions")"
for function in rdl_lock_acquire rdl_now; do
    grep -qx $function "$dir/functions" || fail "$function is not in the list of functions"
done
has_pages() { # folder with man3: a page of each function, which describes it or is one line that leads to such a page
    while read -r function; do
        page=$1/man3/$function.3
        [ -s "$page" ] || fail "$function has no man page in $1"
        other=$(sed -n '1s/^\.so //p' "$page")
        grep -qE "^\.SS .*[ *B]$function(..P)? \(" "$1/${other:-man3/$function.3}" || fail "$page does not describe $function"
    done <"$dir/functions"
}
has_pages "$build/docs/man"

html=$build/docs/html
for layer in resp net lock redlock posix; do
    [ -s "$html/group__libredlock__$layer.html" ] || fail "no page of the layer $layer"
done
grep -oE '(href|src)="[^"]*"' "$html/index.html" | sed 's/^[a-z]*="//; s/"$//; s/#.*//' | sort -u >"$dir/links"
grep -q 'GUIDE\.md$' "$dir/links" || fail "the start page is not README.md"
while read -r link; do
    case $link in '' | *:*) continue ;; esac
    [ -e "$html/$link" ] || fail "the start page links to $link, which does not exist"
done <"$dir/links"

# In another folder.
# shellcheck disable=SC2086 # a list of files
tar -cf - README.md redlock/pkg/reference $HEADERS | (mkdir "$dir/copy" && tar -xf - -C "$dir/copy")
(cd "$dir/copy" && redlock/pkg/reference/docs.sh "$version" >/dev/null) || fail "it cannot be written in another folder"
diff -r "$build/docs" "$dir/copy/build/docs" >"$dir/differs" || fail "in another folder it differs: $(head -n 5 "$dir/differs")"

# What is missing is found. DELETE: lines to delete of the comment of rdl_lock_acquire.
without() { # script for awk, what is printed
    # The comment is what the lines since the last /** are.
    awk '/^\/\*\*/ { held = ""; on = 1 } on { held = held $0 "\n" }
        !on { print }
        on && /\*\/$/ { on = 0; getline following
            if (following ~ / rdl_lock_acquire\(/) { '"$1"' }
            printf "%s%s\n", held, following }' lock/lock_io.h >"$dir/copy/lock/lock_io.h"
    ! cmp -s lock/lock_io.h "$dir/copy/lock/lock_io.h" || fail "the comment of rdl_lock_acquire was not found"
    status=0
    (cd "$dir/copy" && redlock/pkg/reference/docs.sh "$version") >"$dir/said" 2>&1 || status=$?
    if [ "$status" -eq 0 ] || ! grep -q "$2" "$dir/said"; then fail "without $2 there is no error:" "$(cat "$dir/said")"; fi
}
without 'held = ""' 'rdl_lock_acquire.* is not documented'
without 'gsub(/ \* @param[^\n]*\n/, "", held)' 'param.*rdl_lock_acquire'

# As the README says.
root=$dir/root
# shellcheck disable=SC2086 # make may be several words
$make install DESTDIR="$root" PREFIX=/usr >/dev/null
has_pages "$root/usr/share/man"
[ -s "$root/usr/share/man/man3/redlock.3" ] || fail "the overview, redlock(3), is not installed"
# shellcheck disable=SC2086
$make uninstall DESTDIR="$root" PREFIX=/usr >/dev/null
left=$(find "$root" ! -type d)
[ -z "$left" ] || fail "make uninstall leaves $left"
echo "reference: a man page for each of $(wc -l <"$dir/functions") functions, installed with the rest; every comment is there"
