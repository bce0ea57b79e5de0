#!/bin/sh
# SPDX-License-Identifier: MIT
# runs_i686.sh FOLDER - prints the command that runs 32-bit x86 programs: nothing if this host executes them itself, else
# qemu-i386. Hosts may refuse them whatever their kernel is built with, so a program in FOLDER is tried.
set -u
echo 'int main(void) { return 0; }' >"$1/runs_i686.c" || exit
i686-linux-gnu-gcc -static -o "$1/runs_i686" "$1/runs_i686.c" || exit
"$1/runs_i686" 2>/dev/null || echo qemu-i386
