#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh check OUT | verify TARBALL - what a release needs, and that it is what its sources give.
#
# check   The version is in one place; CHANGELOG.md has its section, with a date; everything is committed. The release is
#         made twice, the second time in another folder by another user with another umask and time zone: both are the
#         same, byte for byte. OUT gets the archive, its SBOM and the checksums of both, the recipes with its checksum, and a
#         signature by the gpg key $KEY. Without $KEY nothing is signed.
# verify  TARBALL (libredlock-VERSION.tar.gz) is what this repository gives. So are the SBOM and the checksums if they are in
#         the same folder; a signature there is good.
#
# Both make the release from the tag vVERSION, or from HEAD if there is no such tag, and say which. $URL is the project's
# address in the release; verify reads it from the archive.
# Exit status: 0, or 1 with the reasons.
set -eu
mode=$1
top=$(git rev-parse --show-toplevel)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir" # another user makes the second one
failed=0
fault() {
    echo "release: $*" >&2
    failed=1
}
stop() { # [REASON]
    [ $# -eq 0 ] || fault "$*"
    [ $failed -eq 0 ] || exit 1
}
version_of() { # REVISION
    git show "$1:resp/resp.h" | sed -n 's/^#define RDL_VERSION  *"\(.*\)"/\1/p'
}
choose() { # sets $revision, to the tag of $version or to HEAD
    revision=v$version from="the tag v$version"
    git rev-parse -q --verify "refs/tags/v$version" >/dev/null || revision=HEAD from="HEAD: there is no tag v$version"
    commit=$(git rev-parse "$revision^{commit}")
    echo "release: from $from (commit $(git rev-parse --short "$commit"))"
    [ "$(version_of "$commit")" = "$version" ] || stop "resp/resp.h has version $(version_of "$commit") there, not $version"
}
# FOLDER COMMAND...: the release of $commit, made in FOLDER; COMMAND runs make, as another user.
make_in() {
    git init -q "$1"
    git -C "$1" fetch -q --depth 1 "file://$top" "$commit"
    git -C "$1" -c advice.detachedHead=false checkout -q FETCH_HEAD
    place=$1
    shift
    "$@" env -i PATH="$PATH" HOME=/nowhere TZ="${TZ-UTC0}" "${MAKE:-make}" -C "$place" B=build ${URL:+URL="$URL"} dist sbom >"$dir/log" 2>&1 || {
        cat "$dir/log" >&2
        stop 'the release cannot be made'
    }
    mv "$place/build/libredlock.spdx" "$place/build/dist/libredlock-$version.spdx"
}
other_user() { # FOLDER COMMAND...: in FOLDER, which is theirs
    if [ "$(id -u)" -eq 0 ]; then
        chown -R 65534:65534 "$1"
        shift
        setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else # root of a new namespace
        shift
        unshare --map-root-user "$@"
    fi
}
differ() { # ARCHIVE ARCHIVE: prints the files that differ, or that only the packing does
    mkdir "$dir/one" "$dir/two"
    tar -C "$dir/one" -xzf "$1" && tar -C "$dir/two" -xzf "$2" || return 0
    diff -rq "$dir/one" "$dir/two" | sed "s|$dir/||g" | head -n 20
    ! diff -rq "$dir/one" "$dir/two" >/dev/null || echo 'all files have the same bytes: only the packing differs'
}

check() { # OUT
    version=$(version_of HEAD)
    choose
    [ "$revision" != HEAD ] || [ -z "$(git status --porcelain)" ] || fault "not committed:" "$(git status --porcelain)"
    section=$(git show "$commit:CHANGELOG.md" | sed -n '/^## /{p;q;}')
    case $section in
    *'not yet released'*) fault "CHANGELOG.md: \"$section\": write the day of the release" ;;
    "## $version ("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]')') ;;
    *) fault "CHANGELOG.md: its first section is \"$section\", not \"## $version (YYYY-MM-DD)\"" ;;
    esac
    # Lists of other projects' versions may have the same number.
    also=$(git grep -nwF "$version" "$commit" -- ':!resp/resp.h' ':!CHANGELOG.md' ':!README.md' ':!*package-lock.json' ':!*.tsv' |
        cut -d : -f 2,3)
    [ -z "$also" ] || fault "the version is in other places than resp/resp.h:" "$also"
    stop
    name=libredlock-$version
    make_in "$dir/here" env
    mkdir -m 755 "$dir/another"
    (umask 077 && TZ=ABC-5:45 make_in "$dir/another/folder" other_user "$dir/another/folder") ||
        stop 'another user does not make it: above is why'
    for file in "$name.tar.gz" "$name.spdx"; do
        cmp "$dir/here/build/dist/$file" "$dir/another/folder/build/dist/$file" || fault "$file: made again, it is another one"
    done
    stop
    rm -rf "$1"
    mkdir -p "$1"
    cp "$dir/here/build/dist/$name.tar.gz" "$dir/here/build/dist/$name.spdx" "$1"
    COMMIT=$commit "$dir/here/redlock/pkg/recipes.sh" "$1/$name.tar.gz" "$1/recipes"
    (cd "$1" && sha256sum "$name.tar.gz" "$name.spdx" | tee "$name.sha256")
    if [ -n "${KEY-}" ]; then
        gpg --batch --yes --local-user "$KEY" --armor --detach-sign "$1/$name.tar.gz" || stop "gpg does not sign with the key $KEY"
        echo "release: signed by $KEY"
    else
        echo 'release: not signed: KEY=... names a gpg key'
    fi
    grep -o 'the formats name .*' "$dir/log" | sed 's/^/release: /'
    echo "release: made twice, the same: $1 has all files"
}

verify() { # TARBALL
    name=${1##*/} folder=$(dirname "$1")
    name=${name%.tar.gz} version=${name#libredlock-}
    case $name in *[!a-z0-9.-]*) name='' ;; esac
    [ "$name" = "libredlock-$version" ] || name=''
    [ -f "$folder/$name.tar.gz" ] || stop "$1: no file libredlock-VERSION.tar.gz"
    choose
    # An address and nothing else: make, sed and a shell read it.
    URL=$(tar -xzOf "$1" "$name/idf_component.yml" | sed -n 's/^url: "\(.*\)"/\1/p')
    case $URL in '' | *[!A-Za-z0-9:/._~-]*) stop "$1: its idf_component.yml has no address as url, or a strange one: $URL" ;; esac
    make_in "$dir/here" env
    for file in "$name.tar.gz" "$name.spdx"; do
        if [ ! -e "$folder/$file" ]; then
            echo "release: $file is not there"
        elif cmp "$folder/$file" "$dir/here/build/dist/$file"; then
            echo "release: $file: the same byte for byte, sha256 $(sha256sum "$folder/$file" | cut -d ' ' -f 1)"
        else
            fault "$file: not what these sources give"
            [ "$file" != "$name.tar.gz" ] || differ "$1" "$dir/here/build/dist/$file" >&2
        fi
    done
    [ ! -e "$folder/$name.sha256" ] || (cd "$folder" && sha256sum --quiet -c "$name.sha256") || fault "$name.sha256: above is why"
    if [ ! -e "$1.asc" ]; then
        echo "release: no signature: $name.tar.gz.asc is not there"
    elif gpg --batch --verify --status-fd 3 "$1.asc" "$1" 3>"$dir/status" 2>"$dir/log"; then
        sed -n 's/^\[GNUPG:\] VALIDSIG \([^ ]*\) .*/release: signed by the key \1/p' "$dir/status"
    else
        cat "$dir/log" >&2
        fault "$name.tar.gz.asc: the signature is not good, or gpg does not have its key"
    fi
    stop
}

"$mode" "$2"
