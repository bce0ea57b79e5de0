/* SPDX-License-Identifier: MIT */
/** @file
 * @brief redlock_owner.h - a lock on N servers whose value names its owner (redlock_owner.c). */
#ifndef RDL_REDLOCK_OWNER_H
#define RDL_REDLOCK_OWNER_H

#include "lock/lock_owner.h"
#include "redlock/redlock.h"

/** @addtogroup libredlock_redlock
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gives a lock an owner, from the next acquire on (struct rdl_owner, rdl_lock_set_owner()).
 *
 * Call it after rdl_redlock_init(), and whenever the lock is not in use.
 *
 * @param r      the lock
 * @param o      receives the owner; it must stay valid as long as the lock is used
 * @param owner  the owner; copied; no NUL is needed
 * @param len    its bytes; 0: none
 * @return RDL_OK. RDL_E_CONFIG: the owner is too long or has other bytes. Nothing changed.
 */
int rdl_redlock_set_owner(struct rdl_redlock *r, struct rdl_owner *o, const char *owner, size_t len);

/**
 * Adopts a lock by its whole value: a token, or a token and its owner (rdl_redlock_adopt()).
 *
 * Use it for a lock that has an owner. rdl_redlock_adopt() accepts only a token without an owner.
 *
 * @param r     the lock
 * @param o     the object of rdl_redlock_set_owner(), whose owner later acquires write; or a new one, which
 *              must stay valid as long as the lock is used: then they write none
 * @param text  as rdl_redlock_token() writes it; copied; no NUL is needed
 * @param len   its bytes
 * @return as rdl_redlock_adopt()
 */
int rdl_redlock_adopt_owner(struct rdl_redlock *r, struct rdl_owner *o, const char *text, size_t len);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
