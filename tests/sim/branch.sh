#!/bin/sh
# SPDX-License-Identifier: MIT
# branch.sh SIM - the planted fault is found by schedules that go on from rare states, and the line that is printed
# for it repeats it.
set -u
sim=$1
if found=$("$sim" 2000006:2000506 planted=1 branch=9 quiet=1); then
    echo "$found"
    echo 'FAILED: the planted fault was not found'
    exit 1
fi
violation=$(echo "$found" | sed -n 's/^VIOLATION seed [0-9]* //p')
again=$(echo "$found" | sed -n 's/^again: sim //p')
# shellcheck disable=SC2086 # the options are words
if [ -z "$again" ] || ! "$sim" $again | grep -qF "VIOLATION $violation"; then
    echo "$found"
    echo 'FAILED: this does not repeat the violation'
    exit 1
fi
