/* SPDX-License-Identifier: MIT */
/* guardian.h - the process that kills the command if redlock dies, and a `redlock hold` that was stopped. */
#ifndef RDL_CLI_CHILD_GUARDIAN_H
#define RDL_CLI_CHILD_GUARDIAN_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The guardian: a process that only reads a pipe. It kills its target when the pipe closes without a goodbye
 * (redlock died), or when the lease that was last reported to it ends (redlock hangs). The target is as for
 * kill(2): the command's process group, or the `redlock hold` that started the guardian.
 */
struct rdl_cli_guardian {
    pid_t pid;
    int fd;            /* our end of the pipe; close-on-exec */
    int ready_fd;      /* closes when the guardian is set up; close-on-exec; -1: that has happened */
    uint32_t early_ms; /* half the margin of rdl_cli_margin_ms: the kill takes effect before the lease ends */
};

/* Returns how long before the end of the lease redlock kills the group: a couple of scheduling quanta. */
uint32_t rdl_cli_margin_ms(uint32_t ttl_ms);

/*
 * Starts the guardian; ttl_ms is that of the lease. It knows the target from its first moment; a target of 0
 * is reported later. Returns 0, or -1 with errno.
 */
int rdl_cli_guardian_start(struct rdl_cli_guardian *g, uint32_t ttl_ms, pid_t target, uint64_t until_ms);

/*
 * Waits until the guardian is set up, until until_ms at most. On a busy host, a process in a new session may
 * not be scheduled for 400 ms (Linux groups tasks by session). Its kill would then be that late.
 */
void rdl_cli_guardian_wait(struct rdl_cli_guardian *g, uint64_t until_ms);

/* Reports the target, and when its lease ends. The child also calls it before exec. */
void rdl_cli_guardian_update(const struct rdl_cli_guardian *g, pid_t target, uint64_t until_ms);

/* Replaces a guardian that was killed, unless the lease has ended. Prints it. */
void rdl_cli_guardian_replace(struct rdl_cli_guardian *g, uint32_t ttl_ms, pid_t target, uint64_t until_ms);

/* Says goodbye: the target is gone, or holds nothing. Never waits for a guardian that was stopped. */
void rdl_cli_guardian_stop(struct rdl_cli_guardian *g);

#endif
