#!/bin/sh
# SPDX-License-Identifier: MIT
# versions.sh BUILD SUITE... - run these suites of BUILD/check on each server of tests/servers/servers.sh, all
# versions in parallel: most suites wait.
#
# Exit status: 0 if all of them passed on all; 1 if not; 69 no servers.
set -u
build=$1
shift
tests/servers/servers.sh "$build/servers" >"$build/servers.list" || exit 69
while read -r name product version server; do
    (
        RDL_SERVER=$server "$build/check" -j 3 "$@" </dev/null >"$build/servers-$name.log" 2>&1
        echo $? >"$build/servers-$name.status"
    ) &
done <"$build/servers.list"
wait
status=0
while read -r name product version server; do
    echo "---- $name: $product $version"
    grep -v '^Running suite\|^  *[a-z_]*$' "$build/servers-$name.log"
    [ "$(cat "$build/servers-$name.status")" = 0 ] || status=1
done <"$build/servers.list"
exit $status
