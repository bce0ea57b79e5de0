/* SPDX-License-Identifier: MIT */
/* port_rules.c - the rules of a driver. net_stream.c keeps most of them for a stream (net/PORTING.md). */
#include "tests/port/port.h"

static const char *const texts[PORT_RULES] = {
    [PORT_OPENS] =
        "A conn that wants OPEN is opened, and rdl_conn_opened is called once, when the transport is ready.",
    [PORT_REFUSED] = "If a conn cannot be opened, rdl_conn_closed is called with a negative error.",
    [PORT_ABORTED] =
        "A conn may want CLOSE while it is being opened: call rdl_conn_closed, and report nothing more.",
    [PORT_ENDS] = "When the transport ends, rdl_conn_closed is called once, with a negative error.",
    [PORT_CLOSES] =
        "A conn that wants CLOSE is closed at once, and rdl_conn_closed is called; the peer sees the end.",
    [PORT_WANTED] = "A conn gets no call that it did not want, except rdl_conn_closed.",
    [PORT_CHUNK] =
        "rdl_conn_tx has room for one byte or more, and tx_done follows with no more than it returned.",
    [PORT_NOTHING] = "rdl_conn_tx may write nothing: this is neither an end nor a reason to wait for ever.",
    [PORT_SENDS] = "All bytes written are sent once and in order, however few the transport takes at a time.",
    [PORT_RECEIVES] = "All bytes received are passed on once and in order, and before the end is reported.",
    [PORT_OLD_IN] = "No byte received over one connection is passed on after the next one is opened.",
    [PORT_OLD_OUT] = "No byte written for one connection is sent over the next.",
    [PORT_UNTIL] = "poll returns at until_ms, even if nothing arrives.",
    [PORT_WAKES] = "poll returns when bytes arrive, however far away until_ms is.",
    [PORT_TURNS] = "A conn whose peer never stops sending does not delay the others.",
    [PORT_OTHERS] = "A conn that cannot be opened does not disturb the others, and poll returns RDL_OK.",
    [PORT_LEAKS] = "A connection that ended leaks nothing.",
    [PORT_SIGNALS] = "The driver causes no signal.",
    [PORT_CLOCK] = "now_ms never goes back.",
    [PORT_RANDOM] = "random fills the whole buffer and never repeats itself, not even in another process.",
};

const char *port_rule_text(enum port_rule rule)
{
    return texts[rule];
}
