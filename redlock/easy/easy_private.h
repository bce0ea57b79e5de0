/* SPDX-License-Identifier: MIT */
/* easy_private.h - for the files easy*.c only. */
#ifndef RDL_EASY_PRIVATE_H
#define RDL_EASY_PRIVATE_H

#include "redlock/easy.h"

/* Keeps rc's text for rdl_easy_error(), none if rc is not negative. Returns rc. */
int rdl_easy_explain(struct rdl_easy *e, int rc);
/* The same where an argument is wrong: `what` is the text, after the lock's name. */
int rdl_easy_refuse(struct rdl_easy *e, int rc, const char *what);
/* The same where URL i, from 0, is wrong. */
int rdl_easy_refuse_url(struct rdl_easy *e, int rc, size_t i, const char *why);
/* Returns RDL_OK if the lock is open. */
int rdl_easy_check_open(struct rdl_easy *e);
/*
 * Sets what other threads see of the lease. Only one thread at a time may call it: the one of
 * rdl_easy_start_thread() while it runs, otherwise the program's.
 */
void rdl_easy_publish(struct rdl_easy *e, uint64_t until_ms, uint64_t fence, uint32_t process);

#endif
