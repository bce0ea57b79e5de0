# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# standin.sh - read by scripts that want a server: begin_standin PROGRAM FOLDER starts the stand-in on a port that is
# free. $server is its process, which the caller ends; $port where it listens.
begin_standin() {
    "$1" 0 >"$2/port" &
    server=$!
    until [ -s "$2/port" ]; do
        kill -0 "$server"
        sleep 0.05
    done
    # shellcheck disable=SC2034 # for the caller
    port=$(head -n 1 "$2/port")
}
