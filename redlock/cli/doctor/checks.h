/* SPDX-License-Identifier: MIT */
/* checks.h - the doctor's checks of each server. */
#ifndef RDL_CLI_DOCTOR_CHECKS_H
#define RDL_CLI_DOCTOR_CHECKS_H

#include "redlock/cli/servers/servers.h"
#include "redlock/redlock.h"

/* The results of the checks of one server, in addition to its rdl_cli_host. */
struct rdl_cli_checks {
    int is_there;               /* it replies */
    int is_tried;               /* and its methods were tested: it granted a lock */
    unsigned missing;           /* rights that its user lacks */
    unsigned unknown;           /* commands that it does not know */
    unsigned keys;              /* keys that its user may not use */
    unsigned odd;               /* keys that hold a value of another type */
    int has_granted;            /* it has set the test key */
    unsigned releases, extends; /* methods */
    int is_db_refused;          /* its user may not use the database (Valkey 9.1) */
    int hints;                  /* it released a lock with a wake hint */
    int error;                  /* it refused something for another reason */
    char said[RDL_CLI_SAID_MAX];
    int has_foreign_canary; /* the canary's key holds something else */
    int canary;             /* enum rdl_answer: YES, it has a canary of this run; NO, ABSENT: none */
    uint64_t canary_age_s;
    int has_clock;
    uint32_t rtt_ms;
    int64_t clock_us;        /* its clock, as last read */
    int is_ticking;          /* its clock was read twice, and had moved */
    int64_t clock_ms;        /* its clock less ours, which starts at an arbitrary moment */
    int has_fsync, has_save; /* it reported these: */
    char fsync[12], save[40];
};

/* Checks all servers, and leaves nothing on them. Ends the process on a signal. */
void rdl_cli_run_checks(struct rdl_cli_query *l, struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

#endif
