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
/* Returns whether a thread renews the lock. */
int rdl_easy_has_thread(const struct rdl_easy *e);

#endif
