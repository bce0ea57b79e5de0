/* SPDX-License-Identifier: MIT */
/* net_way_watch.c - extend and release for servers without scripts: WATCH..EXEC (net_watch.c). */
#include "net/net_private.h"

static int by_watch_judge(struct rdl_conn *c, struct rdl_record *r)
{
    return rdl_watch_judge(c, r, LETTER_V);
}

/*
 * What lives long enough anyway is looked at again and not lengthened: the PTTL of the look may have been
 * that of another's key already, set behind our GET. EXEC answers only if nothing has changed since.
 */
static const char *const extend[] = {rdl_wire_pexpire, rdl_wire_exec, NULL};
static const char *const keep[] = {rdl_wire_pttl, rdl_wire_exec, NULL};
static const char *const *const extend_rounds[] = {extend, keep, rdl_watch_discard};
const struct rdl_way rdl_way_extend_watch = {
    .commands = rdl_watch_look, .rounds = extend_rounds, .judge = by_watch_judge, .take = rdl_take_numbers};

static const char *const release[] = {rdl_wire_del, rdl_wire_exec, NULL};
static const char *const *const release_rounds[] = {release, release, rdl_watch_discard};
const struct rdl_way rdl_way_release_watch = {
    .commands = rdl_watch_look, .rounds = release_rounds, .judge = by_watch_judge, .take = rdl_take_numbers};
