/* SPDX-License-Identifier: MIT */
/* progress.h - the line that shows how long redlock has waited. */
#ifndef RDL_CLI_OUTPUT_PROGRESS_H
#define RDL_CLI_OUTPUT_PROGRESS_H

#include "redlock/cli/output/text.h"

#define RDL_CLI_FOREVER UINT64_MAX

struct rdl_cli_progress {
    const char *lock;
    const char *one_of; /* rdl_cli_one_of */
    uint64_t waited_ms;
    uint64_t left_ms; /* RDL_CLI_FOREVER: no limit */
    int is_held;      /* by another client; 0: the reason is not known */
    int64_t key_ms;   /* remaining time of the key in the way; 0 and less: not shown */
    const char *why;  /* with is_held 0: the reason, or "" */
};

enum {
    RDL_CLI_WHY_MAX = RDL_CLI_WHERE_MAX + 300,
    RDL_CLI_PROGRESS_MAX = 300 + RDL_CLI_LOCKS_MAX + RDL_CLI_WHY_MAX
};

/* Writes all of it in one line; is_short: for a terminal. */
void rdl_cli_progress_text(const struct rdl_cli_progress *p, int is_short, char out[RDL_CLI_PROGRESS_MAX]);

/* Shows it, if that is due. Call rdl_cli_unshow when the wait is over. */
void rdl_cli_progress_show(const struct rdl_cli_progress *p);

/* Returns after which time of waiting it is due. */
uint64_t rdl_cli_progress_due_ms(void);

#endif
