/* SPDX-License-Identifier: MIT */
/*
 * net_way_script.c - extend and release by a script: compared on the server, in one step. It is not refused
 * under OOM, and no life is shortened.
 */
#include "net/net_private.h"

static const char *const extend_call[] = {rdl_wire_call_extend, NULL};
const struct rdl_way rdl_way_extend_script = {
    .commands = extend_call, .judge = rdl_script_judge, .script = &rdl_script_extend};

static const char *const release_call[] = {rdl_wire_call_release, NULL};
const struct rdl_way rdl_way_release_script = {
    .commands = release_call, .judge = rdl_script_judge, .script = &rdl_script_release};

static const struct rdl_way *const extend[] = {&rdl_way_extend_script, NULL};
static const struct rdl_way *const release[] = {&rdl_way_release_script, NULL};

const struct rdl_ways rdl_ways_script = {{extend, release}};
