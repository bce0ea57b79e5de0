#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh DIR - install the npm modules that package-lock.json pins into DIR/node_modules, unless they are there.
# npm asks its registry for them, and compares each with the hash in package-lock.json. No script of a module runs.
#
# Exit status: 0 they are there; 69 npm could not get them.
set -u
[ $# -eq 1 ] || { echo "usage: install.sh DIR" >&2; exit 64; }
here=$(dirname "$0")
! cmp -s "$here/package-lock.json" "$1/installed" || exit 0
rm -rf "$1"
mkdir -p "$1" && cp "$here/package.json" "$here/package-lock.json" "$1/" || exit 69
(cd "$1" && npm ci --ignore-scripts --no-audit --no-fund --loglevel error --fetch-retries 1) || {
    echo "install.sh: npm cannot install the modules of $here/package-lock.json (above is why); if it does not reach" >&2
    echo "its registry, \`npm ping\` fails too" >&2
    exit 69
}
cp "$1/package-lock.json" "$1/installed"
