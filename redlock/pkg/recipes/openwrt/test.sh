#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh NAME VERSION - what OpenWrt's CI runs after the package is installed.
[ "$1" = redlock ] || exit 0

# apk's 1.0.0_rc1 is 1.0.0-rc1.
redlock --version | grep -F "$(echo "$2" | tr _ -)" || exit

# No process listens on port 1: 69, and the server is named.
redlock run -n -u redis://127.0.0.1:1 test -- true 2>/tmp/redlock.log
[ $? -eq 69 ] && grep -F '127.0.0.1:1' /tmp/redlock.log
