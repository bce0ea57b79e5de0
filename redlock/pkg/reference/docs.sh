#!/bin/sh
# SPDX-License-Identifier: MIT
# docs.sh VERSION - write the reference of the library's functions: build/docs/html/index.html, and build/docs/man/man3/ with
# a page for each function, structure and enumeration. Runs in the root of the tree. Exit status 1: Doxygen has a warning,
# such as a public symbol without a comment; it is printed, and there are no man pages.
set -eu
out=build/docs
rm -rf "$out"
mkdir -p "$out"
# A man page has a date: one that says nothing, and is removed below.
if ! RDL_VERSION=$1 SOURCE_DATE_EPOCH=0 TZ=UTC LC_ALL=C doxygen redlock/pkg/reference/Doxyfile >"$out/log" 2>&1; then
    rm -rf "$out/man"
    # Doxygen repeats some warnings.
    sed "s|^$PWD/||" "$out/log" | awk '!seen[$0]++'
    exit 1
fi
# Members, constants and files have pages, too. Their names are common words. Not every reader of man pages has the font C.
find "$out/man/man3" -type f ! -name 'rdl_*' ! -name 'libredlock_*' -exec rm -f {} +
for page in "$out"/man/man3/*.3; do
    sed -e 's/^\(\.TH "[^"]*" 3\) "[^"]*"/\1 ""/' -e 's/\\fC/\\fR/g' "$page" >"$out/page"
    cat "$out/page" >"$page"
done
rm -f "$out/page" "$out/log"
echo "docs: $out/html/index.html, and $(find "$out/man/man3" -type f | wc -l) man pages"
