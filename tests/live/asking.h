/* SPDX-License-Identifier: MIT */
/* asking.h - one client and one real server, and what it says to a request. */
#ifndef RDL_TESTS_ASKING_H
#define RDL_TESTS_ASKING_H

#include "tests/live/client.h"
#include "tests/live/servers.h"

/* Zero it, set its arguments, asking_begin; live_remove at the end. */
extern struct live_server asked;
extern struct client asking;

/* A client that has not connected yet, for this login ("user:password@" or ""); the server runs. */
void asking_begin(const char *login);
enum rdl_answer asking_ask(const struct rdl_op *op, const char *name);
/* The client's lock `name` as it stands on the server. */
void asking_plant(const char *name);
/* The answer must be this error; and what the user is shown begins with text. */
void asking_refused(const struct rdl_op *op, const char *name, int code, const char *text);
/* Of redis_version. */
int asking_major(void);

#endif
