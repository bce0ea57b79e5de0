/* SPDX-License-Identifier: MIT */
/* options.h - the command line. */
#ifndef RDL_CLI_OPTIONS_OPTIONS_H
#define RDL_CLI_OPTIONS_OPTIONS_H

#include "lock/lock_multi.h"
#include "redlock/cli/options/connect_program.h"
#include "redlock/cli/options/numbers.h"
#include "redlock/cli/options/urls.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/slots.h"

#define RDL_CLI_DEFAULT_URL "redis://127.0.0.1:6379" /* if no server is given */

enum {
    RDL_CLI_TTL_MS = RDL_TTL_DEFAULT_MS,     /* default of --ttl */
    RDL_CLI_MAX_TTL_MS = RDL_TTL_DEFAULT_MS, /* least default of --max-ttl */
    RDL_CLI_TTL_MIN_MS = 100,                /* with a shorter ttl, no process could be stopped in time */
    RDL_CLI_TRIAL_MAX = 16 /* bytes after the lock's name, in the name of the doctor's test key */
};

/* --json, --format */
enum rdl_cli_format { RDL_CLI_FORMAT_TEXT, RDL_CLI_FORMAT_JSON, RDL_CLI_FORMAT_PROMETHEUS };

/* --once: the tick's key is {LOCK}:once:TICK. */
#define RDL_CLI_ONCE ":once:"
enum {
    RDL_CLI_TICK_MAX = 64,
    RDL_CLI_ONCE_KEY_MAX = RDL_NAME_MAX + 2 + sizeof RDL_CLI_ONCE + RDL_CLI_TICK_MAX, /* its NUL included */
    RDL_CLI_ONCE_KEEP_HOURS = 25,
    RDL_CLI_ONCE_KEEP_MAX_HOURS = 32 * 24,
    RDL_CLI_HOUR_MS = 3600000
};
enum rdl_cli_once_at { RDL_CLI_ONCE_AT_SUCCESS, RDL_CLI_ONCE_AT_START };
enum rdl_cli_legacy { RDL_CLI_LEGACY_NEVER, RDL_CLI_LEGACY_AUTO, RDL_CLI_LEGACY_ALWAYS };

struct rdl_cli_options {
    enum rdl_cli_verb verb;
    char *urls[RDL_SERVERS_MAX]; /* our own copies */
    size_t n_urls;
    const char *urls_from;       /* the variable that contained them; NULL: -u, or the default */
    int has_group;               /* one of them is a Sentinel group */
    uint64_t from_variables;     /* rows of the option table that a variable has set */
    int is_default_server;       /* none was given: RDL_CLI_DEFAULT_URL */
    int is_default_max_ttl;      /* --max-ttl was not given */
    const char *connect_command; /* NULL: none */
    uint64_t wait_ms;            /* 0: one attempt; RDL_CLI_FOREVER */
    int has_ttl;                 /* the verb accepts --ttl */
    int is_default_ttl;          /* --ttl was not given */
    uint32_t ttl_ms;
    uint32_t grace_ms;   /* 0: min(5 s, ttl/6) */
    uint32_t attempt_ms; /* 0: depends on the round trips */
    uint32_t max_ttl_ms;
    uint32_t max_hold_ms;  /* 0: as long as the command runs */
    uint32_t keep_ms;      /* the lock is held for this time even if the command ends sooner; 0: no longer */
    const char *once;      /* the tick; NULL: not given */
    uint64_t once_keep_ms; /* RDL_CLI_FOREVER: not given, until the defaults are set */
    int once_at;           /* enum rdl_cli_once_at; -1: not given, until the defaults are set */
    int guard;             /* enum rdl_guard */
    int conflict_status;
    int password_fd; /* -1: none */
    const char *password_file;
    const char *sentinel_password_file;
    int token_fd; /* -1: none */
    const char *token_file;
    const char *trace_file; /* "": standard error; NULL: no trace */
    int log;                /* enum rdl_cli_log */
    int log_fd;             /* -1: standard error */
    int legacy;             /* enum rdl_cli_legacy */
    int shortest_ttl;
    uint32_t clock_error_ms; /* 0: this host's wall clock is not used */
    int any_name;            /* a name may look like another */
    const char *owner;       /* of what is acquired; "": none; list: a pattern, NULL: not given */
    int no_owner;
    int metrics_owner;
    int yes;
    int fence;
    int wake_hint;
    int slots; /* --slots; 0: not given */
    int canary;
    int any_address;     /* all addresses of a name lead to one server, by the user's word */
    int help;            /* --help was given, */
    int help_all;        /* with "all" */
    int format;          /* enum rdl_cli_format */
    int with_legacy;     /* list: locks of the old protocol, too */
    const char *held_by; /* 8 hex digits; NULL: not given */
    const char *lock; /* its name; of several: their names as words; list: the prefix; doctor: NULL if none */
    const char *names[RDL_MULTI_MAX]; /* sorted, because their order means nothing */
    size_t n_names;                   /* more than one: they are held as one lock */
    const char *const *looked_at;     /* status: all of them */
    size_t n_looked_at;
    char **command; /* NULL-terminated */
    char *shell[4]; /* command, with -c */
};

/* Prints the help of a verb: its most used options, or all of them. Returns an exit status. */
int rdl_cli_help(enum rdl_cli_verb verb, int all);

/* Prints the options of all verbs. Returns an exit status. */
int rdl_cli_help_of_all(void);

/* Prints the verbs and examples. Returns an exit status. */
int rdl_cli_help_of_verbs(void);
/* Prints a completion script for bash, zsh or fish. Returns an exit status. */
int rdl_cli_completion(const char *shell);
/* Prints the candidates for the last of these words, which follow "redlock". Returns an exit status. */
int rdl_cli_complete(int argc, char **argv);

/*
 * Searches for --log json before anything is printed: from now on, messages on standard error are objects.
 * argv follows the verb.
 */
void rdl_cli_options_find_log(unsigned verb, int argc, char **argv);

/*
 * Parses argv, which follows the verb, and overwrites passwords in it. Returns 0, or an exit status after it
 * printed the reason.
 */
int rdl_cli_options_parse(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv);
int rdl_cli_options_add_url(struct rdl_cli_options *o, char *url);

/*
 * Sets the defaults after parsing, and finds options that exclude each other. Returns 0, or an exit status
 * after it printed the reason.
 */
int rdl_cli_options_settle(struct rdl_cli_options *o);

/* Returns the variable that has set this option ("--max-ttl"), or the option itself. */
const char *rdl_cli_options_origin(const struct rdl_cli_options *o, const char *option);

/* Returns why canaries are checked: "--canary", or words for a Sentinel group. */
const char *rdl_cli_canary_word(const struct rdl_cli_options *o);

/*
 * Returns until when to wait for the other end of a FIFO that is read or written: 10 s, or -w if that is
 * longer.
 */
uint64_t rdl_cli_options_fifo_until_ms(const struct rdl_cli_options *o);

#define RDL_CLI_NO_LOCK "redlock"  /* the lock's name if none was given */
#define RDL_CLI_TRIAL   ":doctor:" /* between a lock's name and 8 hex digits: the test key */

/* Does the same as rdl_side_key, for texts. A name for which there is no room is cut. */
void rdl_cli_side_key(const char *name, const char *suffix, char *out, size_t cap);

enum { RDL_CLI_SLOT_MAX = RDL_NAME_MAX + 1 };
/* Writes the name of a slot's lock. */
void rdl_cli_slot_name(const char *name, unsigned slot, char out[RDL_CLI_SLOT_MAX]);

#endif
