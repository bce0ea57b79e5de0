/* SPDX-License-Identifier: MIT */
/* any_lock.h - memory for one lock of any mode, for rules that hold in all of them. */
#ifndef RDL_TESTS_ANY_LOCK_H
#define RDL_TESTS_ANY_LOCK_H

#include "lock/lock.h"
#include "lock/lock_fenced.h"
#include "lock/lock_legacy.h"

enum any_mode { MODE_PLAIN, MODE_FENCED, MODE_LEGACY, MODE_LEGACY_INTEGER, MODE_LEGACY_SHORTEST };

union any_lock {
    struct rdl_lock lock; /* of any mode: the first member of the others */
    struct rdl_lock_fenced fenced;
    struct rdl_lock_legacy legacy;
};

static inline void any_lock_init(union any_lock *l, enum any_mode mode, const struct rdl_lock_options *opt,
                                 struct rdl_conn *conn, const void *name, size_t name_len)
{
    switch (mode) {
    case MODE_PLAIN:
        rdl_lock_init(&l->lock, opt, conn, name, name_len);
        break;
    case MODE_FENCED:
        rdl_lock_init_fenced(&l->fenced, opt, conn, name, name_len);
        break;
    case MODE_LEGACY:
        rdl_lock_init_legacy(&l->legacy, opt, conn, name, name_len, RDL_LEGACY);
        break;
    case MODE_LEGACY_INTEGER:
        rdl_lock_init_legacy(&l->legacy, opt, conn, name, name_len, RDL_LEGACY_INTEGER);
        break;
    case MODE_LEGACY_SHORTEST:
        rdl_lock_init_legacy(&l->legacy, opt, conn, name, name_len, RDL_LEGACY_SHORTEST);
        break;
    }
}

#endif
