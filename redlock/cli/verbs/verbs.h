/* SPDX-License-Identifier: MIT */
/* verbs.h - the verbs. */
#ifndef RDL_CLI_VERBS_VERBS_H
#define RDL_CLI_VERBS_VERBS_H

/* Run a verb; argv is what follows it on the command line. They return the exit status. */
int rdl_cli_run(int argc, char **argv);
int rdl_cli_acquire(int argc, char **argv);
int rdl_cli_extend(int argc, char **argv);
int rdl_cli_release(int argc, char **argv);
int rdl_cli_hold(int argc, char **argv);
int rdl_cli_status(int argc, char **argv);
int rdl_cli_break(int argc, char **argv);
int rdl_cli_list(int argc, char **argv);
int rdl_cli_doctor(int argc, char **argv);

#endif
