#!/bin/sh
# SPDX-License-Identifier: MIT
# sbom.sh VERSION FILE... - print an SPDX 2.3 document of the files that the library and the command are made
# of, with their checksums and licence, and libc. The same tree gives the same bytes: its time is
# $SOURCE_DATE_EPOCH, or that of the last commit. Run it from the top of the tree.
set -eu
export LC_ALL=C
version=$1
shift
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
created=$(TZ=UTC0 date -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null || TZ=UTC0 date -r "$epoch" +%Y-%m-%dT%H:%M:%SZ)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf '%s\n' "$@" | sort -u | xargs sha1sum >"$dir/sha1"
printf '%s\n' "$@" | sort -u | xargs sha256sum >"$dir/sha256"
# By the specification, this is the checksum of the files' sorted checksums.
code=$(cut -d ' ' -f 1 "$dir/sha1" | sort | tr -d '\n' | sha1sum | cut -d ' ' -f 1)
copyright=$(sed -n '/^Copyright/{p;q;}' LICENSE)

cat <<END
SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: libredlock-$version
DocumentNamespace: urn:sha1:$code
Creator: Tool: libredlock-sbom.sh-$version
Created: $created
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-libredlock

PackageName: libredlock
SPDXID: SPDXRef-libredlock
PackageVersion: $version
PackageDownloadLocation: NOASSERTION
FilesAnalyzed: true
PackageVerificationCode: $code
PackageLicenseConcluded: MIT
PackageLicenseInfoFromFiles: MIT
PackageLicenseDeclared: MIT
PackageCopyrightText: <text>$copyright</text>
PackageComment: <text>The library and the command need the C library and nothing else.</text>
END
paste -d ' ' "$dir/sha1" "$dir/sha256" | while read -r sha1 file sha256 same; do
    [ "$file" = "$same" ]
    grep -q 'SPDX-License-Identifier: MIT' "$file" || { echo "sbom.sh: $file does not say its licence" >&2; exit 1; }
    id=SPDXRef-$(echo "$file" | tr '/_' '--')
    cat <<END

FileName: ./$file
SPDXID: $id
FileType: SOURCE
FileChecksum: SHA1: $sha1
FileChecksum: SHA256: $sha256
LicenseConcluded: MIT
LicenseInfoInFile: MIT
FileCopyrightText: NOASSERTION
END
done
