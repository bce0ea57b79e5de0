#!/bin/sh
# SPDX-License-Identifier: MIT
# versions.sh BUILD SUITE... - run these suites of BUILD/check on each server that tests/servers/servers.sh brings.
#
# Exit status: 0 if all of them passed on all; 1 if not; 69 no servers.
set -u
build=$1
shift
tests/servers/servers.sh "$build/servers" >"$build/servers.list" || exit 69
status=0
while read -r name product version server; do
    echo "---- $name: $product $version"
    RDL_SERVER=$server "$build/check" -j 2 "$@" >"$build/servers.log" 2>&1 || status=1
    grep -v '^Running suite\|^  *[a-z_]*$' "$build/servers.log"
done <"$build/servers.list"
exit $status
