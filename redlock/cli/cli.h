/* SPDX-License-Identifier: MIT */
/*
 * cli.h - the command `redlock`. A file uses only those below it (make layers):
 *
 *     main.c               --help, --version, and which verb to run
 *     cli_run.c            verb: wait for the lock, run a command, release
 *     cli_acquire.c        verb: wait for the lock, print its token, exit and keep the lock
 *     cli_extend.c         verb: extend the lease of a token
 *     cli_release.c        verb: release the lock of a token
 *     cli_hold.c           verb: wait for the lock, print its token, renew it until standard input ends
 *     cli_status.c         verb: show who holds these locks
 *     cli_list.c           verb: list the locks
 *     cli_break.c          verb: delete a lock whose holder is gone
 *     cli_doctor.c         verb: check the servers, and suggest fixes
 *     cli_supervise.c      while the command runs: renew, forward signals, stop it in time
 *     cli_child.c          the command: its process group, environment, terminal
 *     cli_strays.c         processes of the command that left its process group
 *     cli_guardian.c       the process that kills the command if redlock dies
 *     cli_renew.c          renewals and the end of a held lease                    struct rdl_cli_held
 *     cli_wait.c           waiting for the lock: one acquire
 *     cli_self_deadlock.c  the check for a lock that an outer `redlock run` holds
 *     cli_probe.c          the check that the user may release and extend the lock
 *     cli_warn.c           warnings about a lock that was granted
 *     cli_event.c          events of the lock, for --log                           enum rdl_cli_event
 *     cli_report.c         servers' replies as text, and the exit status for them
 *     cli_trouble.c        kinds of failures of servers                            struct rdl_cli_troubles
 *     cli_reason.c         the system's or the connect command's reason for a failure
 *     cli_apart.c          settings that let two hosts hold one lock
 *     cli_risks.c          risks that the doctor reports and other verbs warn of
 *     cli_seen.c           the keys on the servers, as text and JSON               struct rdl_cli_verdict
 *     cli_findings.c       problems of servers, and their fixes                    struct rdl_cli_finding
 *     cli_permissions.c    the permissions that a user needs
 *     cli_checks.c         the doctor's checks of each server                      struct rdl_cli_checks
 *     cli_query.c          reading the keys on the servers                         struct rdl_cli_query
 *     cli_names.c          the names of locks under a prefix                       struct rdl_cli_names
 *     cli_canary.c         a canary's key that holds something else
 *     cli_start.c          the start of every verb: options, connections, a lock
 *     cli_help.c           names of verbs, --help, the line of usage after a mistake
 *     cli_lease.c          the lock on N servers, or one or several on one         struct rdl_cli_lock
 *     cli_info.c           more server info than the restart guard needs
 *     cli_lookup.c         looking names up again after a connection is lost
 *     cli_connect.c        --connect-command: processes that connect to rediss:// servers
 *     cli_trace.c          --trace
 *     cli_servers.c        URLs and connections                                    struct rdl_cli_servers
 *     cli_address.c        resolving names to addresses                            struct rdl_cli_ip
 *     cli_defaults.c       default options, and options that exclude each other
 *     cli_options.c        the command line                                        struct rdl_cli_options
 *     cli_url.c            schemes of URLs, and mistakes in them
 *     cli_program.c        the text of a connect command: words, %h and %p         struct rdl_cli_program
 *     cli_number.c         numbers, durations and ids
 *     cli_token.c          reading and writing tokens
 *     cli_secret.c         passwords: reading, hiding and removing them
 *     cli_process.c        processes that redlock starts: their descriptors and signals
 *     cli_signals.c        signals as bytes in a pipe
 *     cli_progress.c       the line that shows how long redlock has waited         struct rdl_cli_progress
 *     cli_output.c         messages and results
 *     cli_log.c            one line of --log
 *     cli_text.c           building text                                           struct rdl_cli_text
 *
 * One process, one thread, one loop. Nothing here is part of the library.
 */
#ifndef RDL_CLI_H
#define RDL_CLI_H

#include "lock/lock_op.h"
#include "redlock/redlock.h"

#include <signal.h>
#include <sys/types.h>

/* Exit statuses of redlock itself, after sysexits.h; any other is the command's. */
enum {
    RDL_EXIT_CONFLICT = 1,     /* another client holds the lock */
    RDL_EXIT_USAGE = 64,       /* bad command line */
    RDL_EXIT_DATA = 65,        /* bad URL, lock name or token */
    RDL_EXIT_NOINPUT = 66,     /* cannot read the password or the token */
    RDL_EXIT_NOHOST = 68,      /* names of a majority do not resolve, or one leads to several servers */
    RDL_EXIT_UNAVAILABLE = 69, /* no majority of the servers replied */
    RDL_EXIT_OS = 71,          /* fork, pipe, memory or random numbers failed */
    RDL_EXIT_CANTCREAT = 73,   /* the token could not be written: the lock was released, or not requested */
    RDL_EXIT_LOST = 75,        /* the lock was lost: the command was stopped, or ended too late */
    RDL_EXIT_PROTOCOL = 76,    /* no majority, and a server does not speak the Redis protocol */
    RDL_EXIT_NOPERM = 77,      /* no majority, and a server refused the login or a permission */
    RDL_EXIT_CONFIG = 78,      /* a server that cannot hold locks, or is listed twice */
    RDL_EXIT_MAX_HOLD = 124,   /* --max-hold was reached and the command was stopped; as in timeout(1) */
    RDL_EXIT_CANNOT_RUN = 126,
    RDL_EXIT_NOT_FOUND = 127
};

#define RDL_CLI_DEFAULT_URL "redis://127.0.0.1:6379" /* if no server is given */

enum {
    RDL_CLI_TTL_MS = 30000,     /* default of --ttl */
    RDL_CLI_MAX_TTL_MS = 30000, /* least default of --max-ttl */
    RDL_CLI_TTL_MIN_MS = 100,   /* with a shorter ttl, no process could be stopped in time */
    RDL_CLI_TRIAL_MAX = 16,     /* bytes after the lock's name, in the name of the doctor's test key */
    RDL_CLI_SECRET_MAX = 2048,
    RDL_CLI_SAID_MAX = 3 * RDL_TEXT_MAX + 8, /* bytes of a server's text, with stars for passwords */
    RDL_CLI_WHERE_MAX = 128,                 /* bytes of "host:port" for people, NUL included */
    RDL_CLI_ADDRESS_MAX = 64,                /* bytes of an address without a port */
    RDL_CLI_ADDRESSES_MAX = 400,             /* bytes of all addresses of a name; below any PIPE_BUF */
    RDL_CLI_LAST_WORDS_MS = 2000 /* how long redlock waits, before it exits, for readers of its messages */
};

#define RDL_CLI_FOREVER UINT64_MAX

#if defined(__GNUC__)
#define RDL_CLI_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define RDL_CLI_PRINTF(a, b)
#endif

enum rdl_cli_log { RDL_CLI_LOG_NONE, RDL_CLI_LOG_TEXT, RDL_CLI_LOG_JSON };

enum rdl_cli_legacy { RDL_CLI_LEGACY_NEVER, RDL_CLI_LEGACY_AUTO, RDL_CLI_LEGACY_ALWAYS };

/* ---------------------------------------------------------------- the verbs */

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

/* ---------------------------------------------------------------- the command line */

enum rdl_cli_verb {
    RDL_CLI_RUN = 1,
    RDL_CLI_ACQUIRE = 2,
    RDL_CLI_EXTEND = 4,
    RDL_CLI_RELEASE = 8,
    RDL_CLI_HOLD = 16,
    RDL_CLI_STATUS = 32,
    RDL_CLI_BREAK = 64,
    RDL_CLI_LIST = 128,
    RDL_CLI_DOCTOR = 256
};

struct rdl_cli_options {
    enum rdl_cli_verb verb;
    char *urls[RDL_SERVERS_MAX]; /* our own copies */
    size_t n_urls;
    const char *urls_from;       /* the variable that contained them; NULL: -u, or the default */
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
    uint32_t max_hold_ms; /* 0: as long as the command runs */
    uint32_t keep_ms;     /* the lock is held for this time even if the command ends sooner; 0: no longer */
    int guard;            /* enum rdl_guard */
    int conflict_status;
    int password_fd; /* -1: none */
    const char *password_file;
    int token_fd; /* -1: none */
    const char *token_file;
    const char *trace_file; /* with trace; NULL: standard error */
    int trace;
    int log;    /* enum rdl_cli_log */
    int log_fd; /* -1: standard error */
    int legacy; /* enum rdl_cli_legacy */
    int shortest_ttl;
    uint32_t clock_error_ms; /* 0: this host's wall clock is not used */
    int fence;
    int wake_hint;
    int canary;
    int any_address; /* all addresses of a name lead to one server, by the user's word */
    int help;        /* --help was given, */
    int help_all;    /* with "all" */
    int json;
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
/* Prints one line of usage after a syntax error; verb 0: of redlock itself. Returns the exit status. */
int rdl_cli_usage(unsigned verb);
const char *rdl_cli_verb_word(enum rdl_cli_verb verb);
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
/* Reads "30" (seconds), "1.5s", ".5m", "500ms", "2h". Returns 0, or -1: not a time, or above max_ms. */
int rdl_cli_duration(const char *text, uint64_t max_ms, uint64_t *ms);
/* Writes a duration as people do: "40s", "1500ms". Returns out. */
enum { RDL_CLI_DURATION_MAX = 24 };
const char *rdl_cli_duration_text(uint64_t ms, char out[RDL_CLI_DURATION_MAX]);
/* Reads digits only, 0 to max (at most INT_MAX / 10 - 1). Returns 0 or -1. */
int rdl_cli_number(const char *text, int max, int *out);
/* Converts a wall clock to ms. Returns 0 if it is not set, or if its 32-bit time_t has overflowed. */
uint64_t rdl_cli_wall_ms(int64_t s, long ns);

/* ---------------------------------------------------------------- the connect command */

enum { RDL_CLI_WORDS_MAX = 100, RDL_CLI_PROGRAM_MAX = 4096 };

/* The program that is run for a connection. */
struct rdl_cli_program {
    char *argv[RDL_CLI_WORDS_MAX + 1]; /* in text, with NULL after the last */
    char text[RDL_CLI_PROGRAM_MAX];
    size_t len;
    int is_shell; /* argv is /bin/sh -c text */
};

/* Makes it from --connect-command. Returns why it cannot be used, or NULL if it can. p points into itself. */
const char *rdl_cli_program_make(struct rdl_cli_program *p, const char *text, const char *host,
                                 unsigned port);
/* Returns its name for people, such as "openssl". */
const char *rdl_cli_program_name(const struct rdl_cli_program *p);

/* ---------------------------------------------------------------- URLs */

/* Returns 1 if the text begins as a server's URL does. */
int rdl_cli_url_is_one(const char *text);
/* Returns 1 for rediss:// and valkeys://, which use the connect command. */
int rdl_cli_url_is_tls(const char *url);
/* Changes any scheme to redis://, in the same memory. Leaves unix://, and text that is no URL. */
char *rdl_cli_url_plain(char *url);
/* Returns the likely mistake in a URL that the library refused; NULL: none of the usual ones. */
const char *rdl_cli_url_mistake(const char *url);

/* ---------------------------------------------------------------- secrets */

/*
 * Reads the password that all servers get instead of the one in their URL. It is the first that exists of
 * --password-file, --password-fd, $REDLOCK_PASSWORD, $REDISCLI_AUTH; if none does, *password has len 0. The
 * storage is static. Returns 0, or an exit status after it printed the reason.
 */
int rdl_cli_secret_read(const struct rdl_cli_options *o, struct rdl_bytes *password);
/*
 * Reads the same file again. Returns 1, with *password, if the password has changed. Returns 0 if it has not,
 * or if the file cannot be read or is no regular file; *password then stays.
 */
int rdl_cli_secret_reread(const char *path, struct rdl_bytes *password);
/* Overwrites user and password of a URL in place, with three stars. Returns 1 if there was one. */
int rdl_cli_secret_hide(char *url);
/*
 * Copies text to out and removes the password from it. It does so where the text repeats a server's error
 * (`said`, from rdl_conn_text), even if the password was cut off at the end. It adds "..." where the library
 * may have cut the error. redlock's own words around it stay as they are.
 */
void rdl_cli_secret_scrub(const char *text, const char *said, struct rdl_bytes secret, char *out, size_t cap);
/* Removes variables that hold a password from our environment, and so from the command's. */
void rdl_cli_secret_clean_env(void);
/*
 * Prevents core files of this process, and debuggers of the same user. unharden undoes it for the child,
 * before exec; exec ends the rest.
 */
void rdl_cli_harden(void);
void rdl_cli_unharden(void);

/* ---------------------------------------------------------------- tokens */

/*
 * Reads the token from --token-file, --token-fd or $REDLOCK_TOKEN: 40 hex digits, and what else acquire
 * wrote. If that is the names of several locks, the command line must have the same. Returns 0, or an exit
 * status after it printed the reason; no message contains the digits.
 */
int rdl_cli_token_read(const struct rdl_cli_options *o, char token[RDL_VALUE_MAX]);
/* Creates the file of --token-file, which must not exist. It is deleted again unless the token is written. */
int rdl_cli_token_create(const char *file);
/*
 * Writes the token, and a fence other than 0 or the names of several locks. It writes to that file, or to
 * standard output if there is none, until until_ms at most. Returns 0. Otherwise it prints the reason, and
 * that the lock is released for it; it returns RDL_EXIT_CANTCREAT, or 128 plus the number of a signal.
 */
int rdl_cli_token_write(const char token[RDL_VALUE_MAX], uint64_t fence, uint64_t until_ms,
                        const struct rdl_cli_options *o);
/* Deletes the file that was created, unless the token is in it. */
void rdl_cli_token_drop(void);

/* ---------------------------------------------------------------- servers */

/* The part of an endpoint that resolving its name changes. */
struct rdl_cli_ip {
    uint32_t scope;
    uint8_t family;
    uint8_t ip[16];
};

struct rdl_cli_servers {
    size_t n;
    struct rdl_server server[RDL_SERVERS_MAX];
    /* with --wake-hint there is one more connection, to the first server */
    struct rdl_conn conn[RDL_SERVERS_MAX + 1];
    struct rdl_conn *conns[RDL_SERVERS_MAX + 1];
    struct rdl_conn_config config[RDL_SERVERS_MAX + 1];
    struct rdl_endpoint endpoint[RDL_SERVERS_MAX + 1];
    unsigned char is_name[RDL_SERVERS_MAX]; /* its URL has a name instead of an address */
    /* rediss://: only the connect command can open its connections, because the endpoint has no address */
    unsigned char is_tls[RDL_SERVERS_MAX + 1];
    struct rdl_cli_ip tls_ip[RDL_SERVERS_MAX];  /* its address, as far as it is known here */
    int any_address;                            /* options.any_address */
    const char *unresolved[RDL_SERVERS_MAX];    /* why the name has no address, or NULL */
    unsigned char may_resolve[RDL_SERVERS_MAX]; /* a temporary failure: no name server replied */
    char *several[RDL_SERVERS_MAX];             /* doctor: the addresses of a name that has more than one */
    uint64_t queue[RDL_SERVERS_MAX + 1][1024 / 8];
    struct rdl_server_info server_info[RDL_SERVERS_MAX + 1];
    char text[RDL_SERVERS_MAX + 1][RDL_TEXT_MAX]; /* the text of each server's last error reply */
};

/*
 * Parses the URLs and resolves the names. Returns 0, or an exit status after it printed the reason. The
 * doctor continues despite problems with addresses.
 */
int rdl_cli_servers_init(struct rdl_cli_servers *s, const struct rdl_cli_options *o);
/*
 * Reads --password-file again where a login was refused, once for each refusal, so that the next login has
 * the current password. Call it in every turn of the loop. Returns 1 if such a login is still to come.
 */
int rdl_cli_servers_log_in_again(struct rdl_cli_servers *s, const struct rdl_cli_options *o);
/* Sets up a second connection to the first server, as conn[n]. */
void rdl_cli_servers_second(struct rdl_cli_servers *s);
/* Returns 1 if both servers have the same address. */
int rdl_cli_servers_is_same(const struct rdl_cli_servers *s, size_t i, size_t k);
/* Returns 1 if the server is on this host; counts these servers, and those known to be elsewhere. */
int rdl_cli_servers_is_own(const struct rdl_cli_servers *s, size_t i);
size_t rdl_cli_servers_own(const struct rdl_cli_servers *s);
size_t rdl_cli_servers_remote(const struct rdl_cli_servers *s);
/* Writes "host:port" of server i, or its socket's path. */
void rdl_cli_servers_where(const struct rdl_cli_servers *s, size_t i, char out[RDL_CLI_WHERE_MAX]);
/*
 * Sends a request with only a name to server i, if it is connected. The reply arrives in req as the
 * connections are serviced; UNSENT at once if nothing was sent. Never blocks. name and req remain the
 * caller's.
 */
void rdl_cli_servers_ask(struct rdl_cli_servers *s, size_t i, const struct rdl_op *op, const char *name,
                         struct rdl_req *req);

/* -------------------------------------------------- more server info than the restart guard reads */

/* Reads more of the replies to the guard's requests. Call it after the guard's set-up. Borrows s. */
void rdl_cli_info_watch(struct rdl_cli_servers *s);
int rdl_cli_info_is_sentinel(size_t i);
extern const char rdl_cli_sentinel[]; /* the message about a Sentinel */
/* Returns 1, with how far the server's clock is ahead of this host's. Old servers do not report it. */
int rdl_cli_info_ahead(size_t i, int64_t *ahead_ms);
/* Does the same with a line of INFO that was just read. Returns 0 if it is another line. */
int rdl_cli_info_clock(const char *line, int64_t *ahead_ms);

/* ---------------------------------------------------------------- names */

enum rdl_cli_address {
    RDL_CLI_ADDRESS_FOUND,
    RDL_CLI_ADDRESS_NONE,
    RDL_CLI_ADDRESS_LATER,
    RDL_CLI_ADDRESS_SEVERAL
};

/*
 * Resolves ep->host. FOUND: ep has the address. NONE: *why has the reason. LATER: the same, but the next try
 * may succeed. SEVERAL: the name has several addresses of one family, which `all` lists.
 *
 * All hosts must get the same result. So with two families, IPv4 is used. IPv6 is used only for loopback, if
 * no server listens on the IPv4 address. any: the first address that replies; if none does, the one that ep
 * had.
 */
enum rdl_cli_address rdl_cli_address_find(struct rdl_endpoint *ep, int any, const char **why,
                                          char all[RDL_CLI_ADDRESSES_MAX]);
struct rdl_cli_ip rdl_cli_address_of(const struct rdl_endpoint *ep);
void rdl_cli_address_take(struct rdl_endpoint *ep, const struct rdl_cli_ip *ip);
/* Returns 1 for the same address and port. Two unknown addresses are not the same. */
int rdl_cli_address_is_same(const struct rdl_endpoint *a, const struct rdl_endpoint *b);
/* Returns 1 for a unix socket or a loopback address: on each host it usually is another server. */
int rdl_cli_address_is_own(const struct rdl_endpoint *ep);
/* Writes the address, such as "192.0.2.1". */
void rdl_cli_address_words(const struct rdl_endpoint *ep, char out[RDL_CLI_ADDRESS_MAX]);

/*
 * Resolves the names of servers again that were lost or never reached. Call it in every turn of the loop; it
 * never waits. If a server has moved, it prints that and uses the new address from then on. It does not if
 * another server of the list has that address, or if the name has no address or several; it prints that, too.
 * Returns when to call it again at the latest. SIGCHLD signals that a result has arrived.
 */
uint64_t rdl_cli_lookup_turn(struct rdl_cli_servers *s, uint64_t now_ms);
/* Reports a child that was reaped elsewhere. */
void rdl_cli_lookup_reaped(pid_t pid);
/* Ends the lookups that are under way. */
void rdl_cli_lookup_end(void);

/*
 * Makes platform->poll open connections to rediss:// servers, each by a process of o->connect_command. It is
 * killed and reaped with its connection. Borrows s and o.
 */
void rdl_cli_connect_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o,
                          struct rdl_platform *platform);
/* Returns why the last connection to server i ended, in its process's words: "openssl: ..."; "": unknown. */
const char *rdl_cli_connect_said(size_t i);
/* Reports a child that was reaped elsewhere, and its status. */
void rdl_cli_connect_reaped(pid_t pid, int status);
/* Ends all of these processes. */
void rdl_cli_connect_end(void);

/* Sets config.trace of every server. Returns 0, or an exit status after it printed the reason. */
int rdl_cli_trace_open(struct rdl_cli_servers *s, const char *file);

/* ---------------------------------------------------------------- signals */

/*
 * Catches the signals that redlock forwards; *wake_fd is readable while there is one. Returns 0, or
 * RDL_EXIT_OS after it printed the reason.
 */
int rdl_cli_signals_open(int *wake_fd);
/* Returns the descriptor that is readable while there is a signal. */
int rdl_cli_signals_fd(void);
/* Returns the next caught signal, or 0. */
int rdl_cli_signals_next(void);
/* Restores, in the child before exec, the signals as they were at our start; SIGPIPE and SIGCHLD: default. */
void rdl_cli_signals_restore(void);
/* Sets what rdl_cli_signals_die does first; NULL: nothing. */
void rdl_cli_signals_last_act(void (*act)(void));
/* Ends the process by the signal, as if it had not been caught. */
void rdl_cli_signals_die(int sig);
/* Ends the process by a caught signal, except one that would only stop it: what redlock does is short. */
void rdl_cli_signals_obey(void);

/* ---------------------------------------------------------------- the lock */

/* As rdl_stats, with wider counters. */
struct rdl_cli_stats {
    uint32_t attempts, refused;
};

struct rdl_cli_lock {
    const struct rdl_cli_options *o;
    struct rdl_cli_servers *servers;
    struct rdl_redlock_options opt;
    struct rdl_redlock redlock;    /* with several locks: only its restart guard is used */
    struct rdl_lock_legacy single; /* used instead with is_single; only its .lock without is_legacy */
    struct rdl_hint hint;
    struct rdl_canary canaries[RDL_SERVERS_MAX];
    int is_single;                /* --legacy, or several locks */
    int is_legacy;                /* uses the old protocol now */
    uint64_t since_ms;            /* several locks: held since; 0: not held, or adopted */
    uint8_t packed[RDL_NAME_MAX]; /* several locks: their names */
    int is_acquiring;             /* the single lock's operation, and its result; RDL_PENDING: it goes on */
    int result;
    uint64_t reached_ms; /* while waiting: when a majority could last reply */
    uint64_t asked_ms;   /* for --log: waiting since, and held since; 0: never */
    uint64_t got_ms;
    struct rdl_cli_stats before; /* of all acquires before the last */
    size_t n_conns;              /* number of servers->conns: with a hint, one more than servers */
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_posix posix;
    struct rdl_platform platform;
    pid_t parent;  /* hold ends when this process ends; 0: none */
    int is_orphan; /* that process has ended */
};

/*
 * Reads a verb's options and sets their defaults. Returns 1 to continue. Returns 0 to exit with *status,
 * after --help or after it printed the reason.
 */
int rdl_cli_options_read(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv,
                         int *status);
/*
 * Sets up the servers, --trace and signals, and posix and platform for them. Returns 0, or an exit status
 * after it printed the reason.
 */
int rdl_cli_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o, struct rdl_posix *posix,
                 struct rdl_platform *platform);
/* Does the same, and sets up the lock. Returns 0, or an exit status after it printed the reason. */
int rdl_cli_start(struct rdl_cli_lock *l, const struct rdl_cli_options *o);
/* Sets up the lock. l->o, servers, opt and platform are set. */
void rdl_cli_lease_init(struct rdl_cli_lock *l);
/* Adopts the lock of this token, to extend or release it; not with the old protocol. */
void rdl_cli_lease_adopt(struct rdl_cli_lock *l, const char token[RDL_VALUE_MAX]);
/* Copies the token of the lease, 40 hex digits without a NUL. */
void rdl_cli_lease_token(const struct rdl_cli_lock *l, char out[RDL_VALUE_MAX]);
/*
 * Waits for servers that the majority did not wait for, after a release or when the lease is left to run out.
 * They have one attempt's time to reply, including the time to connect.
 */
void rdl_cli_lease_finish(struct rdl_cli_lock *l);
/* Operations of the lock. Their results are those of a redlock. */
int rdl_cli_lease_acquire(struct rdl_cli_lock *l);
int rdl_cli_lease_extend(struct rdl_cli_lock *l, uint64_t now_ms);
int rdl_cli_lease_release(struct rdl_cli_lock *l, uint64_t now_ms);
int rdl_cli_lease_step(struct rdl_cli_lock *l);
uint64_t rdl_cli_lease_wake_ms(const struct rdl_cli_lock *l);
uint64_t rdl_cli_lease_until_ms(const struct rdl_cli_lock *l);
/* Returns the cost so far, of all acquires together. */
struct rdl_cli_stats rdl_cli_lease_stats(const struct rdl_cli_lock *l);
/* Returns our id for people, as rdl_cli_seen.id. With the old protocol, each renewal changes it. */
uint32_t rdl_cli_lease_id(const struct rdl_cli_lock *l);
/* Returns when the rest of --keep is over; 0: the option is not given. */
uint64_t rdl_cli_lease_keep_ms(const struct rdl_cli_lock *l);
/* Returns the fencing token of the lease; 0: none, or not requested. */
uint64_t rdl_cli_lease_fence(const struct rdl_cli_lock *l);
/* Returns 1 if the last operation was a release. */
int rdl_cli_lease_is_releasing(const struct rdl_cli_lock *l);
/* Aborts the operation and releases the lock. Releases get a moment to be sent. */
void rdl_cli_lease_cancel(struct rdl_cli_lock *l);
/* Returns why server i gave no useful reply; RDL_OK: it did, or there is no reason. */
int rdl_cli_lease_error(const struct rdl_cli_lock *l, size_t i);
void rdl_cli_lease_report(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);
/* Returns "one of " if the lock's name in a message means several locks, otherwise "". */
const char *rdl_cli_one_of(const struct rdl_cli_options *o);
/* Returns the text that follows the lock's name if the key in the way never expires. */
const char *rdl_cli_lease_endless(const struct rdl_cli_lock *l);
/* Warns that the key stays after a release (RDL_OVERWRITTEN), and prints what to do. */
void rdl_cli_lease_overwritten(const struct rdl_cli_lock *l);

uint64_t rdl_cli_now(const struct rdl_cli_lock *l);
/*
 * Services the connections until until_ms, until something happened or, with can_wake, until a signal came;
 * then steps. A signal remains to be read: without can_wake it does not end every wait at once. Returns
 * RDL_PENDING or a result.
 */
int rdl_cli_lease_turn(struct rdl_cli_lock *l, uint64_t until_ms, int can_wake);
/*
 * Acquires the lock within o->wait_ms. Returns 1 if it is held. Returns 0 if not, after it printed the
 * reason, with the exit status in *status (which may be 0, by -E). Ends the process on a signal.
 */
int rdl_cli_wait(struct rdl_cli_lock *l, int *status);
/*
 * Waits until a majority is connected or cannot be any more; the others have an attempt's time. A signal ends
 * the process.
 */
void rdl_cli_wait_connected(struct rdl_cli_lock *l);
/* Waits for an operation that began with rc. Returns its result. A signal ends the process, not the lease. */
int rdl_cli_wait_for(struct rdl_cli_lock *l, int rc);
/* Writes in one line why servers made the operation end with rc: "127.0.0.1:6379: refused: ...; ..." */
void rdl_cli_lock_reports(const struct rdl_cli_lock *l, int rc, char *out, size_t cap);
/* Writes why the first server failed, for an acquire without a majority; "": none has failed yet. */
void rdl_cli_lock_first_report(const struct rdl_cli_lock *l, char *out, size_t cap);
/* Writes what server i did: "127.0.0.1:6379: confirmed in 1 ms"; the second function omits the address. */
void rdl_cli_lock_said(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);
void rdl_cli_lock_report(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);
/* Returns 1 if server i fails until an administrator fixes it; 0 if it is down, and may come back. */
int rdl_cli_lock_is_final(const struct rdl_cli_lock *l, size_t i);
/* Prints, with -v, what each server did, one line for each. */
void rdl_cli_lock_note_servers(const struct rdl_cli_lock *l);
/* Returns 1 if another client holds the lock on at least one server. */
int rdl_cli_lock_is_denied(const struct rdl_cli_lock *l);
/* Returns 1 if a server that got a request has not replied, and still may. */
int rdl_cli_lock_is_unanswered(const struct rdl_cli_lock *l);
/* Returns when a majority replied to the last attempt; 0: none did. */
uint64_t rdl_cli_lock_heard_ms(const struct rdl_cli_lock *l);
/* Prints why there is no majority, and returns the exit status; 0, printing nothing: it may still come. */
int rdl_cli_lock_verdict(const struct rdl_cli_lock *l);
/* Returns 1 if we may not open descriptors for a majority: that is permanent. */
int rdl_cli_lock_is_starved(const struct rdl_cli_lock *l);
/*
 * Prints why an extend or a release of a token ended with rc, and returns the exit status. done: "extended".
 */
int rdl_cli_lock_not_done(const struct rdl_cli_lock *l, int rc, const char *done);
/* Writes the fix for round trips that are too long for an attempt: "give --attempt 1.2s". */
void rdl_cli_attempt_remedy(uint64_t trip_ms, uint32_t ttl_ms, char *out, size_t cap);
/* Returns how long -n waits for the first reply of a server that connects. */
uint32_t rdl_cli_silence_ms(const struct rdl_cli_lock *l);
int rdl_cli_lock_no_quorum(const struct rdl_cli_lock *l, int status, uint64_t waited_ms);
/* Return in how many ms, and s, enough servers are out of quarantine. */
uint64_t rdl_cli_lock_quarantine_ms(const struct rdl_cli_lock *l);
unsigned long rdl_cli_lock_quarantine_s(const struct rdl_cli_lock *l);
/* Return why servers are in quarantine, and what to do if they need not be. */
const char *rdl_cli_lock_too_recently(const struct rdl_cli_lock *l);
const char *rdl_cli_lock_remedy(const struct rdl_cli_lock *l);
/* Prints all of that after `what`, which is what failed. */
void rdl_cli_lock_quarantined(const struct rdl_cli_lock *l, const char *what);

/*
 * Returns 1 if, with --canary, the canary's key holds something else on so many servers that no majority can
 * count. Warns of each of these servers once. Where the library found no canary, it queries the server, for
 * an attempt's time at most.
 */
int rdl_cli_canary_is_foreign(struct rdl_cli_lock *l);
/* The query of that key. NO: what it holds is no canary, and is not replaced. */
extern const struct rdl_op rdl_cli_op_canary;

/* ---------------------------------------------------------------- a lease that is held */

struct rdl_cli_held {
    struct rdl_cli_lock *lock;
    struct rdl_renewal renewal;
    uint64_t until_ms; /* end of the lease as last confirmed; 0: it is lost */
    int renewing;
    int is_renewed; /* the last operation was a renewal */
    int failures;   /* failed renewals in a row */
    int lost;       /* the lease is lost, and that was printed */
    int capped;     /* --max-hold: it is not renewed any more */
};

/* Begins to hold l, which was just granted. h is zero. */
void rdl_cli_held_begin(struct rdl_cli_held *h, struct rdl_cli_lock *l);
/* Reads the servers' replies, and begins the renewal that is due. Returns 1 if until_ms is later now. */
int rdl_cli_held_renew(struct rdl_cli_held *h);
/* Returns when the next renewal is due; UINT64_MAX: none, or one is under way. */
uint64_t rdl_cli_held_wake_ms(const struct rdl_cli_held *h, uint64_t now);
/* Records that the lease is lost, and prints it once. */
void rdl_cli_held_lose(struct rdl_cli_held *h, const char *why);
/*
 * Decides what to do with a lease that is no longer needed and not lost. Returns 1 if --keep is not over:
 * then the lease is left to run out, which is printed with `why`. Returns 0 to release it.
 */
int rdl_cli_keep(struct rdl_cli_lock *l, const char *why);
/*
 * Releases the lock, and warns if it was already gone. For a lost lease, it releases the keys that are left.
 * Returns 1 if another client held it within the validity, after it printed that.
 */
int rdl_cli_give_back(struct rdl_cli_lock *l, int lost);
/* Does the same after rdl_cli_token_write returned status, and returns that; a signal ends the process. */
int rdl_cli_give_back_unread(struct rdl_cli_lock *l, int status);

/* ---------------------------------------------------------------- building text */

/* A text, NUL-terminated. What does not fit is cut. */
struct rdl_cli_text {
    char *out;
    size_t cap, len;
};

void rdl_cli_add(struct rdl_cli_text *t, const char *format, ...) RDL_CLI_PRINTF(2, 3);
/* Counts letters to insert, delete or replace to turn a into b (Levenshtein); b: RDL_CLI_WORD_MAX at most. */
enum { RDL_CLI_WORD_MAX = 24 };
size_t rdl_cli_distance(const char *a, size_t a_len, const char *b);
/* Marks the end of t as cut, if it is full. */
void rdl_cli_mark_cut(struct rdl_cli_text *t);
/* Adds a duration such as "1.5 s". */
void rdl_cli_add_seconds(struct rdl_cli_text *t, uint64_t ms);
/*
 * Returns the bytes of the character here if it acts on a terminal instead of being shown. That is a control
 * character (also of C1), a line separator, or a mark of the writing direction. Returns 0 for any other.
 */
size_t rdl_cli_acting_len(const char *text);
/* Adds a JSON string with its quotes. A byte that is no UTF-8 becomes U+FFFD; what acts is escaped. */
void rdl_cli_add_json(struct rdl_cli_text *t, const char *s);
/* Adds a word for the shell, quoted if necessary. */
void rdl_cli_add_word(struct rdl_cli_text *t, const char *s);
/* Returns the length without the line end, if there is one. */
size_t rdl_cli_line_len(const char *text, size_t len);
/* Returns why a text from a file, without its line end, is not one line; NULL: it is. */
const char *rdl_cli_line_fault(const char *text, size_t len);
/* Adds "-l NAME", as the verbs accept it, after a space if there is one before. */
void rdl_cli_add_lock(struct rdl_cli_text *t, const char *name);

/* ---------------------------------------------------------------- JSON */

/*
 * A JSON object, or a text line of the log, written member by member. Strings are escaped; commas and
 * brackets are added automatically. A member that does not fit is omitted as a whole, and the object has
 * "cut":true. So it can always be parsed, whatever the names and the servers' texts are.
 */
struct rdl_cli_json {
    struct rdl_cli_text text;
    char close[6];     /* the closing brackets of what is open, outermost first */
    unsigned depth;    /* their number */
    unsigned left_out; /* number of open brackets that did not fit */
    int is_text;       /* NAME=VALUE */
    int is_cut;
};

/* Begins an object. cap is at least 64. */
void rdl_cli_json_begin(struct rdl_cli_json *j, char *out, size_t cap);
/* Opens an object or an array; bracket is { or [. In an array names are NULL. */
void rdl_cli_json_open(struct rdl_cli_json *j, const char *name, char bracket);
void rdl_cli_json_close(struct rdl_cli_json *j);
void rdl_cli_json_string(struct rdl_cli_json *j, const char *name, const char *value);
void rdl_cli_json_number(struct rdl_cli_json *j, const char *name, int64_t value);
void rdl_cli_json_bool(struct rdl_cli_json *j, const char *name, int value);
void rdl_cli_json_null(struct rdl_cli_json *j, const char *name);
/* Closes all that is open. */
void rdl_cli_json_end(struct rdl_cli_json *j);
/* Most bytes of the names of all locks that one command has, NUL included, if every byte needs quotes. */
enum { RDL_CLI_LOCKS_MAX = RDL_MULTI_MAX * 6 + RDL_NAME_MAX * 4 };

/* ---------------------------------------------------------------- the keys on the servers */

enum rdl_cli_what {
    RDL_CLI_SEEN_NOTHING,
    RDL_CLI_SEEN_FREE,
    RDL_CLI_SEEN_KEY,
    RDL_CLI_SEEN_ODD /* no lock: not a string, or a string too long for a lock */
};

/* Kinds of values: a lock's token; a deadline of the old protocol; neither, or a token without expiry. */
enum rdl_cli_kind { RDL_CLI_KIND_TOKEN, RDL_CLI_KIND_DEADLINE, RDL_CLI_KIND_FOREIGN };

/* A lock's key on one server. */
struct rdl_cli_seen {
    enum rdl_cli_what what;
    char value[RDL_NAME_MAX];
    size_t len;        /* its length; above RDL_NAME_MAX: at least this long; 0 and ODD: not a string */
    uint32_t id;       /* KEY: the holder's id for people: a hash of the whole value */
    int64_t pttl_ms;   /* -1: no expiry */
    int error;         /* NOTHING: why; RDL_OK: it changed while it was read */
    int is_unreadable; /* NOTHING: the user may not read values */
    char said[RDL_CLI_SAID_MAX];
};

/* What INFO reports, if it is permitted. */
struct rdl_cli_host {
    int has_info;
    int is_info_forbidden; /* the user may not use INFO */
    int has_clock;
    int64_t ahead_ms; /* how far its clock is ahead of this host's */
    int is_ancient;   /* INFO accepts no section: before Redis 2.6 */
    int is_valkey;
    char version[24];
    char role[24];
    int is_sentinel; /* it watches servers, and holds no keys */
    int has_uptime;
    int64_t uptime_s; /* negative: its clock was set back after it started */
    char run_id[41];
    int is_cluster;
    char master[64]; /* of a replica */
    unsigned master_port;
    /* for the doctor alone */
    int is_bounded; /* maxmemory is set, */
    char policy[24];
    int has_log; /* AOF */
};

/* Returns 1 if its role is that of a replica; so is that of KeyDB's active-replica. */
int rdl_cli_host_is_replica(const struct rdl_cli_host *h);

/* The names of locks under a prefix, each once; RDL_CLI_NAMES_MAX at most. */
enum { RDL_CLI_NAMES_MAX = 10000, RDL_CLI_PATTERN_MAX = 2 * RDL_NAME_MAX + 1 };
struct rdl_cli_names {
    char *name[RDL_CLI_NAMES_MAX];
    size_t n;
    int is_full; /* there are more */
    int has_nul; /* some contain a NUL, so they cannot be an argument */
};

/* Writes the pattern, as for KEYS, of all names with this prefix (RDL_NAME_MAX bytes). Returns its length. */
size_t rdl_cli_pattern(const char *prefix, char out[RDL_CLI_PATTERN_MAX]);
/* Adds a name, NUL-terminated. One that is longer than any lock's may be cut. One set for each process. */
void rdl_cli_names_add(struct rdl_cli_names *s, const char *name, size_t len);
void rdl_cli_names_sort(struct rdl_cli_names *s);

struct rdl_cli_query {
    const struct rdl_cli_options *o;
    struct rdl_cli_servers *servers;
    uint64_t until_ms; /* when to stop waiting */
    struct rdl_cli_host host[RDL_SERVERS_MAX];
    struct rdl_cli_seen seen[RDL_SERVERS_MAX];
    struct rdl_req req[RDL_SERVERS_MAX];
    unsigned char is_out[RDL_SERVERS_MAX]; /* it gets no more requests */
    /* for a search */
    struct rdl_bytes pattern;
    struct rdl_cli_names *names;
    unsigned char searched[RDL_SERVERS_MAX]; /* completely */
    int is_cut;                              /* there was no time, or no memory, for the rest */
    struct rdl_posix posix;
    struct rdl_platform platform;
};

/*
 * Connects: waits until a majority is connected or cannot be any more; the others have one attempt's time.
 * Returns 0, or an exit status after it printed the reason. Ends the process on a signal.
 */
int rdl_cli_query_begin(struct rdl_cli_query *l, const struct rdl_cli_options *o);
/* Do its first part, without connecting, and its second, which may be repeated after a disconnect. */
int rdl_cli_query_open(struct rdl_cli_query *l, const struct rdl_cli_options *o);
void rdl_cli_query_connect(struct rdl_cli_query *l);
/* Sends a request to server i; l->req[i] is idle or answered. UNSENT: the server is out or not connected. */
void rdl_cli_query_ask(struct rdl_cli_query *l, size_t i, const struct rdl_command *cmd);
/* Waits until all requests are answered or their time is over. Ends the process on a signal. */
void rdl_cli_query_await(struct rdl_cli_query *l);
/* Waits for this time. Ends the process on a signal. */
void rdl_cli_query_pause(struct rdl_cli_query *l, uint32_t ms);
/* Records in l->seen why server i gave no reply. */
void rdl_cli_query_unseen(struct rdl_cli_query *l, size_t i);
/* Reads this lock's key on each server into l->seen. Ends the process on a signal. */
void rdl_cli_query_at(struct rdl_cli_query *l, const char *name);
/*
 * Collects the names of all keys with this prefix, from every server. If a server could not be searched
 * completely, l->seen has the reason, unless is_cut is set. Ends the process on a signal.
 */
void rdl_cli_query_search(struct rdl_cli_query *l, const char *prefix, struct rdl_cli_names *names);
/* Deletes the keys with this id, if they are unchanged. Returns 1 if one of them had another value. */
int rdl_cli_query_break(struct rdl_cli_query *l, const char *name, uint32_t id);

/* Continues a hash (FNV-1a, 32 bits) with these bytes; it begins with RDL_CLI_ID_BASE. */
#define RDL_CLI_ID_BASE 2166136261u
uint32_t rdl_cli_id(uint32_t so_far, const void *data, size_t len);

/* Returns 1 if both have the same value, or none. */
int rdl_cli_seen_is_same(const struct rdl_cli_seen *a, const struct rdl_cli_seen *b);
enum rdl_cli_kind rdl_cli_seen_kind(const struct rdl_cli_seen *s);
/* Returns what an ODD value is: "not a string". */
const char *rdl_cli_seen_odd(const struct rdl_cli_seen *s);

enum rdl_cli_state { RDL_CLI_FREE, RDL_CLI_HELD, RDL_CLI_SPLIT, RDL_CLI_UNKNOWN };

/* The state of a lock, from all servers together. */
struct rdl_cli_verdict {
    enum rdl_cli_state what;
    unsigned of, quorum;
    /* servers without a result, because they refused or did not reply; servers that may have lost locks */
    unsigned refused, silent, young;
    /* held: the id, on how many, and when fewer than a majority have it at the latest; UINT64_MAX: never */
    uint32_t id;
    unsigned on;
    uint64_t ends_ms;
    enum rdl_cli_kind key;
    int is_odd; /* held: by keys that are no lock's, without an id */
    /* how many servers have another token, and its id */
    unsigned other_on;
    uint32_t other_id;
};

/* Computes the state. counts is 0 for a server that may have lost locks. */
void rdl_cli_verdict(const struct rdl_cli_seen *seen, const unsigned char *counts, size_t n,
                     struct rdl_cli_verdict *v);
void rdl_cli_query_verdict(const struct rdl_cli_query *l, struct rdl_cli_verdict *v);
/* Returns for how long a server does not count that started less than max_ttl ago and may have lost locks. */
uint64_t rdl_cli_quarantine_ms(const struct rdl_cli_options *o, const struct rdl_cli_host *h);
/* Returns 1 if the server did not start so recently that it may have lost locks. */
int rdl_cli_query_counts(const struct rdl_cli_query *l, size_t i);

/* ---------------------------------------------------------------- no useful reply */

enum rdl_cli_trouble {
    RDL_CLI_SILENT, /* another try may help */
    RDL_CLI_REFUSED,
    RDL_CLI_FOREIGN,
    RDL_CLI_HOPELESS,
    RDL_CLI_OURS, /* we may open no more descriptors */
    RDL_CLI_TROUBLE_KINDS
};

/* Counts n servers: those that gave a useful reply, and the others by kind of failure. */
struct rdl_cli_troubles {
    size_t n, useful, of[RDL_CLI_TROUBLE_KINDS];
};

/* Returns 1 if the error is an error reply, so that the server did reply. */
int rdl_cli_is_refusal(int error);
/* Returns why server i gave no reply, in the words of the connect command or the system; "": neither. */
const char *rdl_cli_cause(const struct rdl_cli_servers *s, size_t i, int error);
#define RDL_CLI_TLS_HINT "check the port; if it uses TLS, its URL must begin with rediss://"
/* Returns what to do about a refused login; `said` is the server's text. */
const char *rdl_cli_login_advice(const char *said);
int rdl_cli_may_be_tls(const struct rdl_cli_servers *s, size_t i, int error);

enum rdl_cli_trouble rdl_cli_trouble_of(const struct rdl_conn *c, int error);
/* Returns the exit status for a missing majority, by the failures that prevent it; 0: a retry may succeed. */
int rdl_cli_trouble_status(const struct rdl_cli_troubles *t);

/* Returns the exit status if a majority gave no reply to the last query. */
int rdl_cli_query_status(const struct rdl_cli_query *l);
/* Returns the exit status for several locks: a lock that is held outweighs an unknown one. */
int rdl_cli_worse(const struct rdl_cli_query *l, int status, enum rdl_cli_state state);
/* Writes why there is no result from server i. */
void rdl_cli_query_error(const struct rdl_cli_query *l, size_t i, char *out, size_t cap);
/* Prints the lock's state in one line. Returns 0 or an exit status. */
int rdl_cli_verdict_show(const struct rdl_cli_verdict *v, const char *name);
/* Prints a line for each server, and one for all. Returns 0 or an exit status. */
int rdl_cli_query_show(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);
/* Prints the same as one JSON object of a list. Returns 0 or an exit status. */
int rdl_cli_query_json(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name,
                       int is_first);

/* Adds a server's info, such as "redis 7.0.15, master, up 3 days". */
void rdl_cli_host_words(struct rdl_cli_text *t, const struct rdl_cli_host *h);
void rdl_cli_host_json(struct rdl_cli_json *j, const struct rdl_cli_options *o, const struct rdl_cli_host *h);

/* ------------------------------------------- two hosts that do not exclude each other */

/* Returns 1 if a key lives longer than --max-ttl: another host has other options. For the guard only. */
int rdl_cli_apart_is_long(const struct rdl_cli_options *o, int64_t pttl_ms);
/* Warns of such a key. */
void rdl_cli_apart_lease(const struct rdl_cli_options *o, const char *where, int64_t pttl_ms);
/* Warns if only some servers are on this host; with -v also if all are. */
void rdl_cli_apart_own(const struct rdl_cli_servers *s);
/* Warns if a server's clock differs from this host's by more than a minute. Returns 1 if it does. */
int rdl_cli_apart_clock(const char *where, int64_t ahead_ms);
int rdl_cli_seen_is_long(const struct rdl_cli_options *o, const struct rdl_cli_seen *s);
/* Warns of all that query->seen shows about one lock. */
void rdl_cli_query_apart(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);

/* ---------------------------------------------------------------- the doctor */

/* Features of a command line for which a server's user needs permissions. */
enum {
    RDL_CLI_NEED_PX = 1, /* a lock of the current protocol */
    RDL_CLI_NEED_FENCE = 2,
    RDL_CLI_NEED_HINT = 4,
    RDL_CLI_NEED_CANARY = 8,
    RDL_CLI_NEED_LEGACY = 16,
    RDL_CLI_NEED_INFO = 32,
    RDL_CLI_NEED_DB = 64,
    RDL_CLI_NEED_SEVERAL = 128, /* several locks at once */
    RDL_CLI_NEED_TIME = 256     /* the server's clock: --legacy without --clock-error */
};
unsigned rdl_cli_needs(const struct rdl_cli_options *o, const struct rdl_cli_servers *s);
/* Return the rights and the keys for these. */
unsigned rdl_cli_rights_for(unsigned needs);
unsigned rdl_cli_keys_for(const struct rdl_cli_options *o, unsigned needs);

/* Rights to use commands; a set of them is bits 1 << right. */
enum rdl_cli_right {
    RDL_CLI_RIGHT_SET,
    RDL_CLI_RIGHT_GET,
    RDL_CLI_RIGHT_GETRANGE, /* only for status, list and break */
    RDL_CLI_RIGHT_DEL,
    RDL_CLI_RIGHT_EVAL,
    RDL_CLI_RIGHT_EVALSHA,
    RDL_CLI_RIGHT_WATCH, /* these four: only without scripts */
    RDL_CLI_RIGHT_MULTI,
    RDL_CLI_RIGHT_EXEC,
    RDL_CLI_RIGHT_DISCARD,
    RDL_CLI_RIGHT_PTTL,
    RDL_CLI_RIGHT_PEXPIRE,
    RDL_CLI_RIGHT_PSETEX,
    RDL_CLI_RIGHT_TYPE,
    RDL_CLI_RIGHT_RPUSH,
    RDL_CLI_RIGHT_BLPOP,
    RDL_CLI_RIGHT_SETNX,
    RDL_CLI_RIGHT_TIME,
    RDL_CLI_RIGHT_INFO,
    RDL_CLI_RIGHT_SELECT,
    RDL_CLI_RIGHTS
};

#define RDL_CLI_NO_LOCK "redlock"  /* the lock's name if none was given */
#define RDL_CLI_TRIAL   ":doctor:" /* between a lock's name and 8 hex digits: the test key */

enum rdl_cli_key {
    RDL_CLI_KEY_LOCK,
    RDL_CLI_KEY_TRIAL,
    RDL_CLI_KEY_FENCE,
    RDL_CLI_KEY_TRIAL_FENCE,
    RDL_CLI_KEY_WAKE,
    RDL_CLI_KEY_TRIAL_WAKE,
    RDL_CLI_KEY_CANARY,
    RDL_CLI_KEY_OTHER, /* the second of several locks; the rest follow it */
    RDL_CLI_KEYS = RDL_CLI_KEY_OTHER + RDL_MULTI_MAX - 1
};

/* Returns the name of the lock that a key belongs to; for the test keys of several locks, the first. */
const char *rdl_cli_name_of(const struct rdl_cli_options *o, enum rdl_cli_key key);
/* Writes the key that belongs to a lock: {name} and the suffix. A name with a brace keeps its own tag. */
void rdl_cli_side_key(const char *name, const char *suffix, char *out, size_t cap);
void rdl_cli_key(enum rdl_cli_key key, const char *lock, const char *trial, char *out, size_t cap);
/* Adds " ~KEY +COMMAND ..." for these rights and keys. */
void rdl_cli_permissions_words(struct rdl_cli_text *t, const struct rdl_cli_options *o, unsigned rights,
                               unsigned keys);
/* Methods to release and to extend, as bits, in the order in which the library tries them. */
enum {
    RDL_CLI_BY_SCRIPT = 1,
    RDL_CLI_BY_DELEX = 2,
    RDL_CLI_BY_DELIFEQ = 4,
    RDL_CLI_BY_WATCH = 8,
    RDL_CLI_BY_DEL = 16
};

/* The results of the checks of one server, in addition to its rdl_cli_host. */
struct rdl_cli_checks {
    int is_there;               /* it replies */
    int is_tried;               /* and grants locks, as far as the user may test that */
    unsigned missing;           /* rights that its user lacks */
    unsigned unknown;           /* commands that it does not know */
    unsigned keys;              /* keys that its user may not use */
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

/* Returns 1 if it runs no scripts, and the options (rdl_cli_needs) work without them. */
int rdl_cli_is_scriptless(const struct rdl_cli_checks *x, unsigned needs);
/* Returns the rights that those options need on this server. */
unsigned rdl_cli_rights_on(const struct rdl_cli_checks *x, unsigned needs);
/* Returns 1 if one of the servers that reply may have ACLs, or if none replies. */
int rdl_cli_permissions_is_known(const struct rdl_cli_query *l,
                                 const struct rdl_cli_checks checks[RDL_SERVERS_MAX]);
/* Returns 1 if the text of an error means that the user may not use the database. */
int rdl_cli_permissions_is_database(const char *text);
/* Most bytes of the line: a byte of a name may take four, and a name occurs six times. */
enum { RDL_CLI_PERMISSIONS_MAX = 16384 };
/* Adds "ACL SETUSER ...": exactly what the options need on these servers. */
void rdl_cli_permissions_line(struct rdl_cli_text *t, const struct rdl_cli_options *o,
                              const struct rdl_cli_servers *s,
                              const struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

/* Checks all servers, and leaves nothing on them. Ends the process on a signal. */
void rdl_cli_run_checks(struct rdl_cli_query *l, struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

enum { RDL_CLI_FINDINGS_MAX = 100, RDL_CLI_FINDING_MAX = 640 };

/* A problem and its fix. A warning of another verb has only these two texts. */
struct rdl_cli_finding {
    const char *id; /* for programs, such as "replica" */
    int status;     /* RDL_EXIT_*; 1: a warning */
    int server;     /* -1: all servers together */
    char what[RDL_CLI_FINDING_MAX];
    char remedy[RDL_CLI_FINDING_MAX];
};

void rdl_cli_describe(struct rdl_cli_finding *f, const char *format, ...) RDL_CLI_PRINTF(2, 3);
void rdl_cli_advise(struct rdl_cli_finding *f, const char *format, ...) RDL_CLI_PRINTF(2, 3);
void rdl_cli_warn_of(const struct rdl_cli_finding *f);

/* Describe a risk. where: the server, or "it" if the line names it already. */
void rdl_cli_risk_own(struct rdl_cli_finding *f, const char *where);
void rdl_cli_risk_canary(struct rdl_cli_finding *f, const char *where);
void rdl_cli_risk_renewal(struct rdl_cli_finding *f, const char *where, uint32_t ttl_ms);
void rdl_cli_risk_lease(struct rdl_cli_finding *f, const char *where, const struct rdl_cli_options *o,
                        int64_t pttl_ms);
/* ahead_ms: how far the server's clock is ahead of this host's. */
void rdl_cli_risk_clock(struct rdl_cli_finding *f, const char *where, int64_t ahead_ms);
void rdl_cli_risk_holders(struct rdl_cli_finding *f, const char *name, const struct rdl_cli_verdict *v);

struct rdl_cli_findings {
    size_t n;
    struct rdl_cli_finding at[RDL_CLI_FINDINGS_MAX];
};

void rdl_cli_findings(const struct rdl_cli_query *l, const struct rdl_cli_checks *checks,
                      struct rdl_cli_findings *f);

/* ---------------------------------------------------------------- a run inside a run */

enum rdl_cli_self_deadlock {
    RDL_CLI_SELF_DEADLOCK_NOT,
    RDL_CLI_SELF_DEADLOCK,           /* it is: the run around us holds it, and waits for us */
    RDL_CLI_SELF_DEADLOCK_MAYBE,     /* the name is the same, and the holder could not be read */
    RDL_CLI_SELF_DEADLOCK_UNANSWERED /* the same, and a server has not replied to the query */
};

/*
 * Checks whether the `redlock run` around us holds the lock that we wait for. If the environment names this
 * lock, it queries the servers, for a second or an attempt's time at most.
 */
enum rdl_cli_self_deadlock rdl_cli_self_deadlock(struct rdl_cli_lock *l);

/* ---------------------------------------------------------------- warnings: each is printed once */

/* Warns of servers that are permanently not used though a majority is, and of servers that refuse INFO. */
void rdl_cli_warn_servers(const struct rdl_cli_lock *l);
/* Warns if the user may not release or extend the granted lock. Takes an attempt's time at most. */
void rdl_cli_probe(struct rdl_cli_lock *l);
/* Returns 1 if, with --canary, the canary of a majority can be read. */
int rdl_cli_lock_is_watched(const struct rdl_cli_lock *l);
/* Warns that the key in the way never expires. */
void rdl_cli_warn_endless(const struct rdl_cli_lock *l);
/* Warns after a renewal if another client holds the lock on one of the servers, again and again. */
void rdl_cli_warn_rival(const struct rdl_cli_lock *l);
/* Warns if the lease in the way shows that another host has other options. */
void rdl_cli_warn_long(const struct rdl_cli_lock *l);

/* ---------------------------------------------------------------- processes */

/*
 * The guardian: a process that only reads a pipe. It kills the command's process group when the pipe closes
 * without a goodbye (redlock died), or when the lease that was last reported to it ends (redlock hangs).
 */
struct rdl_cli_guardian {
    pid_t pid;
    int fd;            /* our end of the pipe; close-on-exec */
    int ready_fd;      /* closes when the guardian is set up; close-on-exec; -1: that has happened */
    uint32_t early_ms; /* half the margin of rdl_cli_margin_ms: the kill takes effect before the lease ends */
};

/* Returns how long before the end of the lease redlock kills the group: a couple of scheduling quanta. */
uint32_t rdl_cli_margin_ms(uint32_t ttl_ms);
/* Starts the guardian; ttl_ms is that of the lease. Returns 0, or -1 with errno. */
int rdl_cli_guardian_start(struct rdl_cli_guardian *g, uint32_t ttl_ms);
/*
 * Waits until the guardian is set up, until until_ms at most. On a busy host, a process in a new session may
 * not be scheduled for 400 ms (Linux groups tasks by session). Its kill would then be that late.
 */
void rdl_cli_guardian_wait(struct rdl_cli_guardian *g, uint64_t until_ms);
/* Reports which group to guard, and when its lease ends. The child also calls it before exec. */
void rdl_cli_guardian_update(const struct rdl_cli_guardian *g, pid_t group, uint64_t until_ms);
/* Says goodbye: the group is gone. Never waits for a guardian that was stopped. */
void rdl_cli_guardian_stop(struct rdl_cli_guardian *g);

/* Warns of a program that may switch to another user: it could not be stopped. */
void rdl_cli_child_check_program(const struct rdl_cli_options *o);
/* Starts the command in a process group of its own; the lock is held. Returns its pid, or -1 with errno. */
pid_t rdl_cli_child_start(const struct rdl_cli_lock *l, const struct rdl_cli_guardian *g);
/* Returns, when it has exited, whether it was run; 0: exec failed. */
int rdl_cli_child_was_run(void);
/* Signals the group. Returns 0 if none of its processes is ours to signal (sudo switched the user). */
int rdl_cli_child_kill(pid_t group, int sig);
int rdl_cli_child_group_is_empty(pid_t group);
/* Passes the terminal to a stopped command if it wanted that and we have it; otherwise takes it back. */
void rdl_cli_child_stopped(pid_t group, int sig);
void rdl_cli_child_take_terminal(pid_t group);

/*
 * The command's processes that left its process group, read from /proc if that exists. Call begin before the
 * guardian and the command are started. From then on orphans become our children, and redlock reaps them.
 */
void rdl_cli_strays_begin(void);
/*
 * Reads which processes are descendants of the command, or came to us as orphans. It reads until two readings
 * agree, `most` times and until until_ms at most.
 */
void rdl_cli_strays_read(pid_t group, int most, uint64_t until_ms);
/* Signals those outside the group that did not get this signal yet. Returns how many. */
size_t rdl_cli_strays_signal(int sig);
/* Returns how many were outside the group at the last reading, without those of another user. */
size_t rdl_cli_strays_left(void);
/* Adds their names: "1234 (timeout), 1235 (sleep)". Returns 0 if there are none. */
int rdl_cli_strays_names(struct rdl_cli_text *t);

/*
 * Forks a helper process. Until the calls below are done in it, it has our handlers and the pipe they write
 * to, so all signals are blocked in it. Output that we have not written yet is not the helper's.
 */
pid_t rdl_cli_process_fork(void);
/* Returns 1 if pid is one of the last 256 helpers, or the session that one leads. */
int rdl_cli_process_is_helper(pid_t pid);
/* Gives the helper a session of its own, and the name that ps shows (on Linux). Call it in the helper. */
void rdl_cli_process_lead(const char *name);
/* Does the same; the helper also resets our handlers and signals, and dies with its parent. */
void rdl_cli_process_ends_with(pid_t parent, const char *name);
/* Makes the helper run before all ordinary processes, if the user may request that (on Linux). */
void rdl_cli_process_goes_first(void);
/*
 * Opens a descriptor of any process, and signals the process by it. Its pid may become another process's; the
 * descriptor stays its own. Without such descriptors: -1 and ENOSYS; with fd -1, the pid is used. On errors
 * both return -1 with errno.
 */
int rdl_cli_process_open(pid_t pid);
int rdl_cli_process_signal(int fd, pid_t pid, int sig);
/* Closes in the helper all descriptors but this one, so that it keeps no pipe or terminal open. */
void rdl_cli_process_holds_only(int fd);
/* Does the same, but keeps standard input, output and error. */
void rdl_cli_process_holds_stdio(void);
/* Reaps the process if it has ended, and sets *pid to 0; does nothing if that is 0. */
void rdl_cli_process_reap(pid_t *pid);
/* Sends SIGKILL to it and its group. It may take time to end. */
void rdl_cli_process_kill(pid_t *pid);
/* Does the same, and waits for 100 ms: a frozen process does not end. */
void rdl_cli_process_end(pid_t *pid);
void rdl_cli_process_pause_1_ms(void);

/* Runs the command while the lock is held, and releases it. Returns the exit status of redlock. */
int rdl_cli_supervise(struct rdl_cli_lock *l);

/* ---------------------------------------------------------------- events of the lock, for --log */

/* Each is described in redlock.1, LOG. */
enum rdl_cli_event {
    RDL_CLI_WAITING,
    RDL_CLI_ACQUIRED,
    RDL_CLI_RENEWED,
    RDL_CLI_RENEW_FAILED,
    RDL_CLI_LOSING, /* it will not be renewed: work under the lock must end */
    RDL_CLI_LOST,
    RDL_CLI_RELEASED,
    RDL_CLI_KEPT,
    RDL_CLI_CHILD_EXIT,
    RDL_CLI_FAILED
};

/* Writes an event to the log, if there is one. reason NULL: none; status < 0: none. */
void rdl_cli_event(const struct rdl_cli_lock *l, enum rdl_cli_event event, const char *reason, int status);

/* ---------------------------------------------------------------- progress of a wait */

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

/* ---------------------------------------------------------------- messages */

/*
 * A line of the log: begin it, add its fields (rdl_cli_json_string, ...), end it. As text:
 * 2026-11-24T09:11:45.123Z acquired lock="nightly" id="8cf9df55" waited_ms=3 ...
 */
enum { RDL_CLI_LOG_MAX = 20480 };
void rdl_cli_log_open(int fd, enum rdl_cli_log how, const char *lock);
/* Sets the names of several locks, which the log also has as an array. Borrowed. */
void rdl_cli_log_several(const char *const *names, size_t n);
/* Returns its descriptor; -1: there is no log. */
int rdl_cli_log_fd(void);
int rdl_cli_log_is_json(void);
void rdl_cli_log_begin(struct rdl_cli_json *j, char *line, size_t cap, const char *event);
/* Ends the line, and writes it to the log. */
void rdl_cli_log_put(struct rdl_cli_json *j);
void rdl_cli_log_end(struct rdl_cli_json *j);

enum { RDL_CLI_QUIET = -1, RDL_CLI_NORMAL = 0, RDL_CLI_VERBOSE = 1, RDL_CLI_VERY_VERBOSE = 2 };

/*
 * Each prints one line on standard error. Bytes that would act on a terminal (rdl_cli_acting_len) become
 * question marks. If standard error is a log in JSON, the line is an event "message" there.
 *
 *     rdl_cli_print_error     redlock: ...            always
 *     rdl_cli_print_warning   redlock: warning: ...   not with -q; each warning once
 *     rdl_cli_print_info      redlock: ...            not with -q: what was requested, and its outcome
 *     rdl_cli_print_verbose   redlock: ...            with -v
 */
void rdl_cli_set_verbosity(int level);
int rdl_cli_is_verbose(void);
int rdl_cli_is_very_verbose(void); /* -v twice */
void rdl_cli_print_error(const char *format, ...) RDL_CLI_PRINTF(1, 2);
void rdl_cli_print_warning(const char *format, ...) RDL_CLI_PRINTF(1, 2);
void rdl_cli_print_warning_always(const char *format, ...) RDL_CLI_PRINTF(1, 2); /* with -q, too */
void rdl_cli_print_info(const char *format, ...) RDL_CLI_PRINTF(1, 2);
void rdl_cli_print_verbose(const char *format, ...) RDL_CLI_PRINTF(1, 2);
/* Prints a question on the terminal, without a line end. */
void rdl_cli_ask(const char *format, ...) RDL_CLI_PRINTF(1, 2);
/*
 * Shows a line on the terminal, not with -q, cut to this many columns. The next such line, or any message,
 * replaces it. unshow removes it.
 */
void rdl_cli_show(const char *text, size_t columns);
void rdl_cli_unshow(void);
/*
 * Prints a result on standard output. Returns 0, or RDL_EXIT_OS if it could not be written (--help
 * >/dev/full), after it printed the reason once. Ends the process by SIGPIPE if the reader is gone.
 */
int rdl_cli_print(const char *text);
/* Prints it as a line; what acts on a terminal is replaced. Returns the same. */
int rdl_cli_print_line(char *text);
/*
 * Writes a line to standard error, or to one of the other two files (--trace, --log-fd). A line of more than
 * 4096 bytes may be written in pieces. Does not wait for the reader.
 */
void rdl_cli_put(int fd, const char *line, size_t len);
/* Writes output that was kept back, for reply_timeout_ms at most. Returns 1 if some is left. */
int rdl_cli_flush(uint32_t reply_timeout_ms);
/* Writes all of that, also what could not be written to the log and the trace, before the process ends. */
void rdl_cli_last_words(void);
/* Drops output that was kept back, after fork: the parent writes it. */
void rdl_cli_forget_kept(void);

#endif
