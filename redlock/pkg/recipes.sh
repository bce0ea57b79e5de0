#!/bin/sh
# SPDX-License-Identifier: MIT
# recipes.sh ARCHIVE OUT - write the recipes of redlock/pkg/recipes/ for a release to OUT/. ARCHIVE is that of `make dist`, named
# libredlock-VERSION.tar.gz. It has the project's address and the maintainer; $DOWNLOAD is where the archive is published, and
# $COMMIT the release's commit. No recipe can be in the archive whose checksum it has.
set -eu
archive=$1 out=$2
here=$(dirname "$0")/recipes
version=${archive##*/libredlock-}
version=${version%.tar.gz}
in_archive() {
    tar -xzOf "$archive" "libredlock-$version/$1"
}
sum() { # its command
    "$1" | cut -d ' ' -f 1
}
control=$(in_archive debian/control)
url=$(echo "$control" | sed -n 's/^Homepage: //p')
maintainer=$(echo "$control" | sed -n 's/^Maintainer: //p')
# What a version may be: apk's 1.0.0_rc1 and rpm's 1.0.0~rc1 are our 1.0.0-rc1.
gaps="s|@VERSION@|$version|g; s|@APK_VERSION@|$(echo "$version" | tr - _)|g; s|@RPM_VERSION@|$(echo "$version" | tr - '~')|g
    s|@URL@|$url|g; s|@GIT@|${url#*://}|g; s|@DOWNLOAD@|${DOWNLOAD:-$url/releases/download/v$version}|g
    s|@MAINTAINER@|$maintainer|g; s|@COMMIT@|${COMMIT:-$(git rev-parse HEAD)}|g
    s|@RPM_DATE@|$(LC_ALL=C date -u -d "$(in_archive debian/changelog | sed -n 's/.*>  //p')" '+%a %b %d %Y')|g
    s|@SHA256@|$(sum sha256sum <"$archive")|g; s|@SHA512@|$(sum sha512sum <"$archive")|g
    s|@LICENSE_SHA256@|$(in_archive LICENSE | sum sha256sum)|g; s|@LICENSE_MD5@|$(in_archive LICENSE | sum md5sum)|g"
rm -rf "$out"
(cd "$here" && find . -type f) | while read -r template; do
    file=$out/$(echo "$template" | sed "$gaps")
    mkdir -p "$(dirname "$file")"
    cp -p "$here/$template" "$file"
    sed -i "$gaps" "$file"
    case $file in *.mk) sed -i '/^# SPDX/d' "$file" ;; esac # Buildroot wants its own first line
    if grep -n '@[A-Z_0-9]*@' "$file"; then
        echo "recipes.sh: $template: a gap that nothing fills" >&2
        exit 1
    fi
done
