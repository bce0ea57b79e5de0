#!/bin/sh
# SPDX-License-Identifier: MIT
# dist.sh OUT - write the release as a folder and an archive, OUT/libredlock-VERSION and .tar.gz. It has all
# files of the tree that git knows, and the files of redlock/pkg/dist/ for other build systems, with these
# placeholders replaced:
#
#   @VERSION@   RDL_VERSION: $RELEASE
#   @SO@        the number in the soname: $SO; also in the names of files
#   @URL@       the project's address: $URL
#   @COMMAND@   the sources of the command: $COMMAND_SRC
#   @HEADERS@   the public headers: $HEADERS
#   @DATE@      the date of the commit, in the format of a Debian changelog; @TIME@: as RFC 3339 has it
#
# The same commit gives the same release, byte for byte. Exit status 1: it could not be made.
set -eu
out=$1
URL=${URL:-https://libredlock.example}
commit_s=$(git log -1 --format=%ct)
name=libredlock-$RELEASE
tree=$out/$name
rm -rf "$tree"
mkdir -p "$tree"

git ls-files ':!.ci' ':!.github/workflows' | tar -cf - -T - | tar -xf - -C "$tree"
rm -r "$tree/redlock/pkg/dist"

gaps="s|@VERSION@|$RELEASE|g; s|@SO@|$SO|g; s|@URL@|$URL|g; s|@COMMAND@|$COMMAND_SRC|; s|@HEADERS@|$HEADERS|; s|@DATE@|$(date -u -R -d "@$commit_s")|
    s|@TIME@|$(date -u -d "@$commit_s" +%Y-%m-%dT%H:%M:%SZ)|"
fill() { # template file
    sed "$gaps" "$1" >"$2"
    case $2 in # these formats have no comments
    *.json | */changelog | */copyright | */source/format) sed -i '/^# SPDX/d' "$2" ;;
    esac
    if grep -n '@[A-Z]*@' "$2"; then
        echo "dist.sh: $1: a gap that nothing fills" >&2
        exit 1
    fi
}
git ls-files redlock/pkg/dist | while read -r template; do
    file=$tree/$(echo "${template#redlock/pkg/dist/}" | sed "$gaps")
    mkdir -p "$(dirname "$file")"
    fill "$template" "$file"
done
chmod 755 "$tree/debian/rules"
# Where REUSE expects them.
mkdir "$tree/.reuse" "$tree/LICENSES"
cp "$tree/debian/copyright" "$tree/.reuse/dep5"
cp "$tree/LICENSE" "$tree/LICENSES/MIT.txt"

tar -C "$out" --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --mtime="@$commit_s" -cf - "$name" |
    gzip -n >"$out/$name.tar.gz"
echo "$out/$name.tar.gz: the formats name $URL as the project's home"
