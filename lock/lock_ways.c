/* SPDX-License-Identifier: MIT */
/* lock_ways.c - every way there is to extend and to release. */
#include "lock/lock_op.h"

static const struct rdl_way *const extend_all[] = {&rdl_way_extend_script, &rdl_way_extend_watch, NULL};
static const struct rdl_way *const release_all[] = {&rdl_way_release_script, &rdl_way_delex, &rdl_way_delifeq,
                                                    &rdl_way_release_watch, NULL};

const struct rdl_ways rdl_ways_all = {{extend_all, release_all}};
