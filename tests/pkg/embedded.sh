#!/bin/sh
# SPDX-License-Identifier: MIT
# embedded.sh STANDIN - the driver for sockets on ESP-IDF and Zephyr, which CI does not have.
#
# 1. The library, its driver and the sample of each system compile for a Cortex-M4, with newlib and with headers that
#    declare what these systems have of the rest (esp_idf/, zephyr/ here), as their documentation has it.
# 2. The same sources, with the same choices but this host's sockets, take a lock on the stand-in: the program runs. There
#    is no unix socket.
set -eu
here=$(dirname "$0")
top=$(cd "$here/../.." && pwd)
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$dir"' EXIT
# shellcheck source=tests/house/standin.sh
. "$here/../house/standin.sh"

sources="$top/redlock/pkg/rdl.c $top/redlock/pkg/rdl_posix.c"
# SYSTEM MACRO MACRO OF ITS URL PROGRAM
samples() {
    echo "esp_idf ESP_PLATFORM CONFIG_EXAMPLE_SERVER $top/redlock/pkg/dist/examples/lock/main/main.c"
    echo "zephyr __ZEPHYR__ CONFIG_SAMPLE_SERVER $top/redlock/pkg/dist/zephyr/samples/lock/src/main.c"
}
samples | while read -r name macro url program; do
    for source in $sources "$program"; do
        arm-none-eabi-gcc -std=c99 -Os -Wall -Wextra -Werror -mthumb -mcpu=cortex-m4 -D"$macro" -D"$url=\"redis://192.0.2.1\"" \
            -I"$here/$name" -I"$top" -c -o "$dir/object.o" "$source"
    done
    echo "embedded: $name: the driver and the sample compile"
done

cat >"$dir/host.c" <<'END'
#include "redlock/redlock.h"
#include <stdio.h>
#include <sys/random.h>
#ifdef ESP_PLATFORM
#include <esp_event.h>
#include <esp_netif.h>
#include <esp_random.h>
#include <nvs_flash.h>
#include <protocol_examples_common.h>
esp_err_t nvs_flash_init(void) { return 0; }
esp_err_t esp_netif_init(void) { return 0; }
esp_err_t esp_event_loop_create_default(void) { return 0; }
esp_err_t example_connect(void) { return 0; }
void esp_fill_random(void *bytes, size_t len) { (void)!getrandom(bytes, len, 0); }
void app_main(void);
int main(void) { app_main(); return 0; }
#else
#include <zephyr/random/random.h>
int sys_csrand_get(void *bytes, size_t len) { return getrandom(bytes, len, 0) == (ssize_t)len ? 0 : -1; }
#endif
END
begin_standin "$1" "$dir"
samples | while read -r name macro config program; do
    for url in "redis://127.0.0.1:$port" "unix://$dir/socket"; do
        # shellcheck disable=SC2086 # words on purpose
        cc -std=gnu99 -D"$macro" -D"$config=\"$url\"" -idirafter "$here/$name" -I"$top" -o "$dir/program" "$program" "$dir/host.c" \
            $sources
        "$dir/program" >"$dir/output"
        case $url in
        redis*) expected='the lock lasts for ' ;;
        *) expected='acquire: invalid URL or address' ;;
        esac
        grep -qF "$expected" "$dir/output" || {
            echo "embedded.sh: $name: $url: the program does not print: $expected"
            cat "$dir/output"
            exit 1
        }
    done
    echo "embedded: $name: its choices take a lock here"
done
