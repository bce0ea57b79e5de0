#!/bin/bash
# SPDX-License-Identifier: MIT
# release.sh - `make release-check` and `make verify-release` in a repository and with a key that are thrown away: what they
# write, what they accept, and each reason to refuse. Exit status 1: a step went otherwise, which is printed.
set -euo pipefail
dir=$(mktemp -d)
trap 'gpgconf --kill all; rm -rf "$dir"' EXIT
chmod 755 "$dir"
# No file has this version: two words here.
v=97 && v=$v.0 next=$v.2 version=$v.1
tree=$dir/tree out=$dir/tree/build/release name=libredlock-$version
export GNUPGHOME=$dir/gpg GIT_CONFIG_GLOBAL=/dev/null MAKEFLAGS='' TZ=UTC0
export GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@libredlock.example GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@libredlock.example
unset URL KEY
checked=0

ends() { # STATUS TEXT TARGET [VARIABLE...]
    local status=0
    make -C "$tree" "${@:3}" >"$dir/said" 2>&1 || status=$?
    if [ $((status != 0)) -ne "$1" ] || ! grep -qF -e "$2" "$dir/said"; then
        echo "release.sh: make ${*:3}: status $status, and not: $2"
        tail -n 20 "$dir/said"
        exit 1
    fi
    checked=$((checked + 1))
}
commit() { # [FILE SED]
    [ $# -eq 0 ] || sed -i "$2" "$tree/$1"
    git -C "$tree" add -A
    git -C "$tree" commit -q --allow-empty -m test
}
undo() {
    git -C "$tree" reset -q --hard HEAD~1
}
differs() { # FILE SED ARCHIVE: with this change it is another one each time that it is made
    commit "$1" "$2"
    ends 1 "$3: made again, it is another one" release-check
    undo
}

mkdir -m 700 "$GNUPGHOME"
gpg --batch --quiet --passphrase '' --quick-generate-key "$GIT_AUTHOR_EMAIL" default default never 2>/dev/null
git init -q "$tree"
git ls-files -z --cached --others --exclude-standard | xargs -0 tar -c | tar -x -C "$tree"
sed -i "s/^\(#define RDL_VERSION  *\)\".*\"/\1\"$version\"/" "$tree/resp/resp.h"
commit CHANGELOG.md "0,/^## .*/s//## $version (not yet released)/"

# ---------------------------------------------------------------- what is missing
ends 1 "CHANGELOG.md: \"## $version (not yet released)\": write the day" release-check
commit CHANGELOG.md 's/not yet released/2026-01-31/'
commit resp/resp.h "/RDL_VERSION /s/$version/$next/"
ends 1 "CHANGELOG.md: its first section is \"## $version (2026-01-31)\", not \"## $next (" release-check
git -C "$tree" tag "v$next" HEAD~1
ends 1 "resp/resp.h has version $version there, not $next" release-check
undo
echo "release $version" >>"$tree/redlock/pkg/README.md"
ends 1 'not committed:  M redlock/pkg/README.md' release-check
commit
ends 1 'in other places than resp/resp.h: redlock/pkg/README.md' release-check
undo
differs redlock/pkg/dist.sh 's/ --owner=0 --group=0//' "$name.tar.gz"
differs redlock/pkg/dist.sh 's/ --mode=go=rX,u+rw//' "$name.tar.gz"
differs redlock/pkg/dist.sh 's/date -u -R/date -R/' "$name.tar.gz"
differs redlock/pkg/sbom.sh 's/TZ=UTC0//g' "$name.spdx"
[ ! -e "$out" ] || { echo 'release.sh: a release that is refused is written'; exit 1; }

# ---------------------------------------------------------------- what it writes
ends 0 "from HEAD: there is no tag v$version" release-check
ends 1 'gpg does not sign with the key nobody@libredlock.example' release-check KEY=nobody@libredlock.example
git -C "$tree" tag "v$version"
commit
echo 'a later state of the folder' >"$tree/later"
ends 0 "from the tag v$version" release-check KEY="$GIT_AUTHOR_EMAIL" URL=https://home.example/libredlock
(cd "$out" && [ "$(echo ./*)" = "./$name.sha256 ./$name.spdx ./$name.tar.gz ./$name.tar.gz.asc ./recipes" ] && sha256sum --quiet -c "$name.sha256")
grep -q "^SRCREV = \"$(git -C "$tree" rev-parse "v$version")\"" "$out"/recipes/yocto/*.bb
grep -q "^PKG_HASH:=$(sha256sum "$out/$name.tar.gz" | cut -d ' ' -f 1)$" "$out/recipes/openwrt/Makefile"

# ---------------------------------------------------------------- what a stranger finds
mkdir "$dir/got"
get() {
    cp "$out/$name".* "$dir/got"
}
verify() { # STATUS TEXT
    ends "$@" verify-release TARBALL="$dir/got/$name.tar.gz"
}
get
verify 0 "$name.tar.gz: the same byte for byte"
grep -q "^release: $name.spdx: the same byte for byte" "$dir/said"
grep -q "^release: signed by the key $(gpg --list-keys --with-colons | sed -n 's/^fpr:*\(.*\):/\1/p;' | head -n 1)" "$dir/said"
repack() { # SED FILE: another one, with checksums of its own
    tar -C "$dir/got" -xzf "$out/$name.tar.gz"
    sed -i "$1" "$dir/got/$name/$2"
    tar -C "$dir/got" -czf "$dir/got/$name.tar.gz" "$name"
    rm -r "$dir/got/$name"
    (cd "$dir/got" && sha256sum "$name.tar.gz" "$name.spdx" >"$name.sha256")
}
repack '1s/^/ /' lock/lock.c
verify 1 "Files one/$name/lock/lock.c and two/$name/lock/lock.c differ"
grep -q "^release: $name.tar.gz.asc: the signature is not good" "$dir/said"
repack '' lock/lock.c
verify 1 'all files have the same bytes: only the packing differs'
# A number of make's, sed's and a shell's language in what it reads.
repack "s,^url: .*,url: \"x|;e touch $dir/ran;\"," idf_component.yml
verify 1 'or a strange one: x|;e touch'
repack "s,^url: .*,url: \"\$(shell touch $dir/ran)\"," idf_component.yml
verify 1 "or a strange one: \$(shell touch"
[ ! -e "$dir/ran" ] || { echo 'release.sh: an address ran a command'; exit 1; }
get
echo >>"$dir/got/$name.spdx"
verify 1 "$name.spdx: not what these sources give"
grep -q "^release: $name.sha256: " "$dir/said"
get
rm "$dir/got/$name.tar.gz.asc" "$dir/got/$name.spdx" "$dir/got/$name.sha256"
verify 0 "no signature: $name.tar.gz.asc is not there"
ends 1 'no file libredlock-VERSION.tar.gz' verify-release TARBALL=other.tar.gz
ends 1 'no file libredlock-VERSION.tar.gz' verify-release
echo "release: $checked runs of release-check and verify-release end as they have to"
