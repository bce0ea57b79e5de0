/* SPDX-License-Identifier: MIT */
/* resp_scan.c - the names of keys, a part at a time: asked for by the command alone (`redlock list`). */
#include "resp/resp_cmd_private.h"

int rdl_cmd_scan(struct rdl_writer *w, struct rdl_bytes cursor, struct rdl_bytes pattern)
{
    static const char head[] = "*6\r\n$4\r\nSCAN\r\n";
    static const char words[] = "MATCHCOUNT1000"; /* one text: that takes fewer bytes */
    const struct rdl_bytes argv[] = {cursor, {words, 5}, pattern, {words + 5, 5}, {words + 10, 4}};

    return rdl_write_command(w, head, sizeof head - 1, argv, 5);
}
