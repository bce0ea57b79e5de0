#!/bin/sh
# SPDX-License-Identifier: MIT
# reproduce.sh MAKE - the tree is copied to a folder of another name and built there with another umask,
# time zone and language. The installed files are the same byte for byte; so is the SBOM, whose list and sums match
# the files.
set -eu
make=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
copy=$dir/another-name-of-another-length/copy
mkdir -p "$copy" "$dir/here" "$dir/there"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
git ls-files -z --cached --others --exclude-standard | xargs -0 tar -c | tar -x -C "$copy"

installed() { # build folder, install folder; without make's output
    # MAN3: the copy has no build/docs; docs.sh compares that.
    $make -C "$1" install install-shared sbom B=build MAN3= DESTDIR="$2" PREFIX=/usr >"$dir/said" 2>&1 || { cat "$dir/said"; exit 1; }
    cp "$1/build/libredlock.spdx" "$2"
}
installed . "$dir/here"
(umask 077 && export TZ=Asia/Kathmandu LC_ALL=C.UTF-8 HOME=/nowhere && installed "$copy" "$dir/there")
diff -r "$dir/here" "$dir/there"

sbom=$dir/here/libredlock.spdx
git ls-files --cached --others --exclude-standard 'resp/*.[ch]' 'net/*.[ch]' 'lock/*.[ch]' 'redlock/*.[ch]' | grep -v -e /examples/ -e /pkg/ | sort >"$dir/files"
sed -n 's,^FileName: \./,,p' "$sbom" | sort | diff "$dir/files" -
sums() { # algorithm: as its tool checks them
    awk -v is="$1:" '$1 == "FileName:" { file = $2 } $1 == "FileChecksum:" && $2 == is { print $3 "  " file }' "$sbom"
}
sums SHA1 >"$dir/sha1"
sums SHA256 >"$dir/sha256"
[ "$(cat "$dir/sha1" "$dir/sha256" | wc -l)" -eq $((2 * $(wc -l <"$dir/files"))) ]
sha1sum --quiet -c "$dir/sha1"
sha256sum --quiet -c "$dir/sha256"
echo "reproduce: $(find "$dir/here" -type f | wc -l) files installed from two folders are the same"
