/* SPDX-License-Identifier: MIT */
/* port_rules.c - the rules of a driver, by the words of net/PORTING.md (port.sh compares them). */
#include "tests/port/port.h"

static const char *const texts[PORT_RULES] = {
    [PORT_OPENS] = "What wants to be opened is opened, and told so once, when the transport is there.",
    [PORT_REFUSED] = "What cannot be opened is told to be closed, with a negative error.",
    [PORT_GIVEN_UP] =
        "A conn may give up while it is being opened: it is told to be closed, and then nothing.",
    [PORT_ENDS] = "When the transport ends the conn is told so, once, with a negative error.",
    [PORT_CLOSES] = "What wants to be closed is closed at once, and told so; the peer sees it.",
    [PORT_WANTED] = "A conn gets no call that it did not want.",
    [PORT_CHUNK] =
        "rdl_conn_tx has room for one byte or more, and tx_done follows it with no more than it put.",
    [PORT_NOTHING] = "rdl_conn_tx may put nothing: that is no end, and no reason to wait for ever.",
    [PORT_SENDS] = "What was put is sent whole, once and in order, however little is taken at a time.",
    [PORT_RECEIVES] =
        "What was received is handed over whole, once and in order, and before the end is told.",
    [PORT_OLD_IN] = "Nothing received over one connection is handed over after the next one is opened.",
    [PORT_OLD_OUT] = "Nothing put for one connection is sent over the next.",
    [PORT_UNTIL] = "poll returns at until_ms, whatever does not come.",
    [PORT_WAKES] = "poll returns when something came, however far until_ms is.",
    [PORT_TURNS] = "A conn whose peer never stops talking does not keep the others waiting.",
    [PORT_OTHERS] =
        "A conn that cannot be opened is its own trouble: the others go on, and poll returns RDL_OK.",
    [PORT_LEAKS] = "Nothing is left behind by a connection that ended.",
    [PORT_SIGNALS] = "No signal comes of it.",
    [PORT_CLOCK] = "now_ms never goes back.",
    [PORT_RANDOM] =
        "random fills all that it was asked for, and never repeats itself, in another process neither.",
};

const char *port_rule_text(enum port_rule rule)
{
    return texts[rule];
}
