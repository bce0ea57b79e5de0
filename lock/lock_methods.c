/* SPDX-License-Identifier: MIT */
/* lock_methods.c - the lists of all methods to extend and to release. */
#include "lock/lock_op.h"

static const struct rdl_method *const extend_all[] = {&rdl_method_extend_script, &rdl_method_extend_watch,
                                                      NULL};
static const struct rdl_method *const release_all[] = {&rdl_method_release_script, &rdl_method_delex,
                                                       &rdl_method_delifeq, &rdl_method_release_watch, NULL};

const struct rdl_methods rdl_methods_all = {{extend_all, release_all}};
