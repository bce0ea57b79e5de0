/* SPDX-License-Identifier: MIT */
/* image_writer.c - the writer and the templates of one plain lock, and nothing else; measured, never run. */
#include "lock/lock_commands.h"

void _start(void);

volatile uint32_t device; /* in place of clock and wire */

static uint8_t chunk[64];
static struct rdl_script script; /* its text is not counted: it is the same whoever sends it */

void _start(void)
{
    static const char *const templates[] = {rdl_wire_auth,           rdl_wire_auth_user,  rdl_wire_select,
                                            rdl_wire_client_setname, rdl_wire_set_nx_px,  rdl_wire_pttl,
                                            rdl_wire_call_release,   rdl_wire_call_extend};
    struct rdl_bytes arg[3];
    const struct rdl_args args = {"kcs", arg, 3};
    struct rdl_slice w = {chunk, sizeof chunk, 0, 0};

    for (;;) {
        arg[0].data = chunk;
        arg[0].len = device;
        rdl_script_call(&script, device != 0, &arg[1], &arg[2]);
        rdl_slice_write(&w, templates[device], &args);
        device = (uint32_t)w.total;
    }
}
