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
 *     cli_doctor.c         verb: report what is wrong with the servers, and what to do about it
 *     cli_supervise.c      while the command runs: renew, forward signals, stop it in time
 *     cli_child.c          the command: its process group, environment, terminal
 *     cli_strays.c         processes of the command that left its process group
 *     cli_guardian.c       the process that kills the command if redlock dies
 *     cli_renew.c          a lease that is held: its renewals and its end          struct rdl_cli_held
 *     cli_wait.c           waiting for the lock: one acquire
 *     cli_self_deadlock.c  whether the lock is that of a `redlock run` around this one
 *     cli_probe.c          whether the user may release and extend it
 *     cli_warn.c           warnings about a lock that was granted
 *     cli_event.c          what happened to the lock, for --log                    enum rdl_cli_event
 *     cli_report.c         the servers' replies in words, and the exit status they lead to
 *     cli_trouble.c        why servers gave no answer                              struct rdl_cli_troubles
 *     cli_reason.c         the server's or the system's own words, if they are the reason
 *     cli_apart.c          settings that let two hosts hold one lock
 *     cli_risks.c          risks that the doctor reports and other verbs warn of
 *     cli_seen.c           the keys on the servers, in words and JSON              struct rdl_cli_verdict
 *     cli_findings.c       what is wrong with a server, and its remedy             struct rdl_cli_finding
 *     cli_permissions.c    the permissions that a user needs
 *     cli_checks.c         the doctor's checks of each server                      struct rdl_cli_checks
 *     cli_query.c          reading the keys on the servers                         struct rdl_cli_query
 *     cli_names.c          the names of locks under a prefix                       struct rdl_cli_names
 *     cli_canary.c         a canary's key that holds something else
 *     cli_start.c          how every verb begins: options, connections, a lock
 *     cli_help.c           the verbs' words and --help, the line of usage after a mistake
 *     cli_lease.c          the lock on N servers, or one or several on one         struct rdl_cli_lock
 *     cli_info.c           what servers report about themselves, beside the restart guard
 *     cli_lookup.c         looking names up again when a connection is lost
 *     cli_connect.c        --connect-command: processes that connect to rediss:// servers
 *     cli_trace.c          --trace
 *     cli_servers.c        URLs and connections                                    struct rdl_cli_servers
 *     cli_address.c        from a name to an address                               struct rdl_cli_ip
 *     cli_defaults.c       default options, and options that do not go together
 *     cli_options.c        the command line                                        struct rdl_cli_options
 *     cli_url.c            schemes of URLs, and mistakes in them
 *     cli_program.c        the text of a connect command: words, %h and %p         struct rdl_cli_program
 *     cli_number.c         numbers, durations and ids
 *     cli_token.c          reading and writing tokens
 *     cli_secret.c         passwords: where they come from, and who must not see them
 *     cli_process.c        what every process that redlock starts must close and reset
 *     cli_signals.c        signals as bytes in a pipe
 *     cli_progress.c       the line that says how long we have waited              struct rdl_cli_progress
 *     cli_output.c         messages, and the results that were asked for
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

/* Exit statuses of our own, after sysexits.h; anything else is the command's. */
enum {
    RDL_EXIT_CONFLICT = 1, /* somebody else holds the lock */
    RDL_EXIT_USAGE = 64,   /* the command line */
    RDL_EXIT_DATA = 65,    /* a URL, the lock's name, a token */
    RDL_EXIT_NOINPUT = 66, /* the file or descriptor of the password, or of the token */
    RDL_EXIT_NOHOST = 68,  /* the names of a majority cannot be resolved, or one leads to several servers */
    RDL_EXIT_UNAVAILABLE = 69, /* no majority of servers could be asked */
    RDL_EXIT_OS = 71,          /* fork, pipe, memory, random numbers */
    RDL_EXIT_CANTCREAT = 73,   /* the token could not be written: the lock was released, or not asked for */
    RDL_EXIT_LOST = 75,        /* the lock was lost: the command was stopped, or had ended too late */
    RDL_EXIT_PROTOCOL = 76,    /* no majority, and a server does not speak Redis' protocol */
    RDL_EXIT_NOPERM = 77,      /* no majority, and a server refused the password or the permission */
    RDL_EXIT_CONFIG = 78,      /* a server that is not for locks, or is listed twice */
    RDL_EXIT_MAX_HOLD = 124,   /* --max-hold was over and the command stopped; as of timeout(1) */
    RDL_EXIT_CANNOT_RUN = 126,
    RDL_EXIT_NOT_FOUND = 127
};

#define RDL_CLI_DEFAULT_URL "redis://127.0.0.1:6379" /* if no server is named */

enum {
    RDL_CLI_TTL_MS = 30000,     /* --ttl where it is not given */
    RDL_CLI_MAX_TTL_MS = 30000, /* --max-ttl of clients that do not give it, at least */
    RDL_CLI_TTL_MIN_MS = 100,   /* under this nobody could promise to stop a process in time */
    RDL_CLI_TRIAL_MAX = 16,     /* bytes behind a lock's name in that of the key the doctor tries */
    RDL_CLI_SECRET_MAX = 2048,
    RDL_CLI_SAID_MAX = 3 * RDL_TEXT_MAX + 8, /* of what a server said, with three stars for each password */
    RDL_CLI_WHERE_MAX = 128,                 /* bytes of "host:port" for people, NUL included */
    RDL_CLI_ADDRESS_MAX = 64,                /* of an address without a port */
    RDL_CLI_ADDRESSES_MAX = 400, /* and of all addresses of a name; below PIPE_BUF wherever that is least */
    RDL_CLI_LAST_WORDS_MS = 2000 /* so long we wait at our end for whoever reads our messages */
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

/* argv is what stands behind the verb. The exit status of all of it. */
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
    const char *urls_from;       /* the variable they are from; NULL: -u, or the default */
    int is_default_server;       /* none was named: RDL_CLI_DEFAULT_URL */
    int is_default_max_ttl;      /* --max-ttl was not given */
    const char *connect_command; /* NULL: none */
    uint64_t wait_ms;            /* 0: one attempt; RDL_CLI_FOREVER */
    int has_ttl;                 /* the verb takes --ttl */
    int is_default_ttl;          /* --ttl was not given */
    uint32_t ttl_ms;
    uint32_t grace_ms;   /* 0: min(5 s, ttl/6) */
    uint32_t attempt_ms; /* 0: by the round trips */
    uint32_t max_ttl_ms;
    uint32_t max_hold_ms; /* 0: as long as the command runs */
    uint32_t keep_ms;     /* the lock is held for so long though the command has ended; 0: released then */
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
    int any_address; /* a name's addresses are known to lead to one server */
    int help;        /* --help was given, */
    int help_all;    /* with "all" */
    int json;
    int with_legacy;     /* list: locks of the old protocol, too */
    const char *held_by; /* 8 hex digits; NULL: not given */
    const char *lock; /* its name; of several their words; list: the prefix; doctor: NULL, none was named */
    const char *names[RDL_MULTI_MAX]; /* sorted: their order means nothing */
    size_t n_names;                   /* more than one: they are held as one lock */
    const char *const *looked_at;     /* status: all of them */
    size_t n_looked_at;
    char **command; /* NULL-terminated */
    char *shell[4]; /* command, with -c */
};

/* Print the help of a verb: its most used options, or all of them. An exit status. */
int rdl_cli_help(enum rdl_cli_verb verb, int all);
/* Print the options of all verbs. An exit status. */
int rdl_cli_help_of_all(void);
/* Print one line of usage after a mistake in the syntax; verb 0: of redlock itself. The exit status. */
int rdl_cli_usage(unsigned verb);
const char *rdl_cli_verb_word(enum rdl_cli_verb verb);
/* argv stands behind the verb; passwords in it are overwritten. 0 or an exit status, the reason said. */
int rdl_cli_options_parse(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv);
int rdl_cli_options_add_url(struct rdl_cli_options *o, char *url);
/* Behind it: the defaults, and what does not go together. 0 or an exit status, the reason said. */
int rdl_cli_options_settle(struct rdl_cli_options *o);
/* "30" (seconds), "1.5s", ".5m", "500ms", "2h", to ms. 0, or -1: not a time, or above max_ms. */
int rdl_cli_duration(const char *text, uint64_t max_ms, uint64_t *ms);
/* And back, as one writes it: "40s", "1500ms". Returns out. */
enum { RDL_CLI_DURATION_MAX = 24 };
const char *rdl_cli_duration_text(uint64_t ms, char out[RDL_CLI_DURATION_MAX]);
/* Digits only, 0 to max (at most INT_MAX / 10 - 1). 0 or -1. */
int rdl_cli_number(const char *text, int max, int *out);
/* A wall clock in ms. 0: it is not set, or its time_t has 32 bits and has run over. */
uint64_t rdl_cli_wall_ms(int64_t s, long ns);

/* ---------------------------------------------------------------- the connect command */

enum { RDL_CLI_WORDS_MAX = 100, RDL_CLI_PROGRAM_MAX = 4096 };

/* What is run for a connection. */
struct rdl_cli_program {
    char *argv[RDL_CLI_WORDS_MAX + 1]; /* in text, NULL behind the last */
    char text[RDL_CLI_PROGRAM_MAX];
    size_t len;
    int is_shell; /* argv is /bin/sh -c text */
};

/* From the text of --connect-command. Why it cannot be used; NULL: it can. p points into itself. */
const char *rdl_cli_program_make(struct rdl_cli_program *p, const char *text, const char *host,
                                 unsigned port);
/* "openssl", for people. */
const char *rdl_cli_program_name(const struct rdl_cli_program *p);

/* ---------------------------------------------------------------- URLs */

/* It begins as a server's URL does. */
int rdl_cli_url_is_one(const char *text);
/* rediss:// or valkeys://, so the connect command is for it. */
int rdl_cli_url_is_tls(const char *url);
/* As redis://, whatever the scheme was, in the same memory; unix:// and what is no URL as it is. */
char *rdl_cli_url_plain(char *url);
/* Of one that the library refused: what people write instead of a URL. NULL: none of that. */
const char *rdl_cli_url_mistake(const char *url);

/* ---------------------------------------------------------------- secrets */

/*
 * The password all servers get instead of the one in their URL: --password-file, --password-fd,
 * $REDLOCK_PASSWORD, $REDISCLI_AUTH, the first that is there; else *password has len 0. Static storage.
 * 0 or an exit status, the reason said.
 */
int rdl_cli_secret_read(const struct rdl_cli_options *o, struct rdl_bytes *password);
/*
 * The same file again: 1 and *password, if it holds another password by now. 0: it does not, or cannot be
 * read, or is no ordinary file, and the old one stays.
 */
int rdl_cli_secret_reread(const char *path, struct rdl_bytes *password);
/* Overwrite user and password of a URL in place, by three stars. 1 if there was one. */
int rdl_cli_secret_hide(char *url);
/*
 * Copy text to out; where it repeats what a server said (rdl_conn_text) without the password, even one that
 * was cut off at the end, and with "..." where the library may have cut it. The words around that are ours,
 * and stay as they are.
 */
void rdl_cli_secret_scrub(const char *text, const char *said, struct rdl_bytes secret, char *out, size_t cap);
/* Take the variables that hold a password out of our environment, and so out of the command's. */
void rdl_cli_secret_clean_env(void);
/*
 * No core files of this process, and no debugger of the same user. unharden: for the child, before exec
 * (the rest of it ends with exec).
 */
void rdl_cli_harden(void);
void rdl_cli_unharden(void);

/* ---------------------------------------------------------------- tokens */

/*
 * --token-file, --token-fd or $REDLOCK_TOKEN: 40 hex digits, and what may follow of what acquire wrote: where
 * that are the words of several locks the command line has to name the same. 0 or an exit status, the reason
 * said; no word says the digits.
 */
int rdl_cli_token_read(const struct rdl_cli_options *o, char token[RDL_VALUE_MAX]);
/* Make the file of --token-file, which must not exist; it is deleted again unless the token is written. */
int rdl_cli_token_create(const char *file);
/*
 * Write the token, and a fence other than 0 or the words of several locks, to that file, or to standard
 * output if there is none, until until_ms at most. 0; or the reason said, and that the lock is released for
 * that: RDL_EXIT_CANTCREAT, or 128 and the number of a signal that came.
 */
int rdl_cli_token_write(const char token[RDL_VALUE_MAX], uint64_t fence, uint64_t until_ms,
                        const struct rdl_cli_options *o);
/* Delete the file that was made, unless the token is in it. */
void rdl_cli_token_drop(void);

/* ---------------------------------------------------------------- servers */

/* What looking up its name changes of an endpoint. */
struct rdl_cli_ip {
    uint32_t scope;
    uint8_t family;
    uint8_t ip[16];
};

struct rdl_cli_servers {
    size_t n;
    struct rdl_server server[RDL_SERVERS_MAX];
    /* with --wake-hint there is one more, to the first server */
    struct rdl_conn conn[RDL_SERVERS_MAX + 1];
    struct rdl_conn *conns[RDL_SERVERS_MAX + 1];
    struct rdl_conn_config config[RDL_SERVERS_MAX + 1];
    struct rdl_endpoint endpoint[RDL_SERVERS_MAX + 1];
    unsigned char is_name[RDL_SERVERS_MAX]; /* its URL has a name in the place of an address */
    /* rediss://: the connect command opens its connections; without an address nobody else can */
    unsigned char is_tls[RDL_SERVERS_MAX + 1];
    struct rdl_cli_ip tls_ip[RDL_SERVERS_MAX];  /* where that leads, as far as it is known here */
    int any_address;                            /* options.any_address */
    const char *unresolved[RDL_SERVERS_MAX];    /* why the name has no address, else NULL */
    unsigned char may_resolve[RDL_SERVERS_MAX]; /* that passes: its name server could not be asked */
    char *several[RDL_SERVERS_MAX];             /* doctor: the addresses of a name that has more than one */
    uint64_t queue[RDL_SERVERS_MAX + 1][1024 / 8];
    struct rdl_server_info server_info[RDL_SERVERS_MAX + 1];
    char text[RDL_SERVERS_MAX + 1][RDL_TEXT_MAX]; /* what each last said in an error reply */
};

/*
 * Parse the URLs and resolve the names. 0 or an exit status, the reason said. The doctor goes on with what is
 * wrong with their addresses.
 */
int rdl_cli_servers_init(struct rdl_cli_servers *s, const struct rdl_cli_options *o);
/*
 * Call it at every turn of the loop. Where a login was refused --password-file is read again, once for each
 * refusal, so that the next login has the password that is valid by now. 1: such a login is still to come.
 */
int rdl_cli_servers_log_in_again(struct rdl_cli_servers *s, const struct rdl_cli_options *o);
/* A second connection to the first server, as conn[n]. */
void rdl_cli_servers_second(struct rdl_cli_servers *s);
/* They are one address. */
int rdl_cli_servers_is_same(const struct rdl_cli_servers *s, size_t i, size_t k);
/* It is this host's own; how many are, and how many are known to be none. */
int rdl_cli_servers_is_own(const struct rdl_cli_servers *s, size_t i);
size_t rdl_cli_servers_own(const struct rdl_cli_servers *s);
size_t rdl_cli_servers_remote(const struct rdl_cli_servers *s);
/* "host:port" of server i, or its socket's path. */
void rdl_cli_servers_where(const struct rdl_cli_servers *s, size_t i, char out[RDL_CLI_WHERE_MAX]);
/*
 * Send a request with a name alone to server i, if it is connected. The answer comes into req as the
 * connections are driven on; UNSENT at once if nothing was sent. Never blocks. name and req stay yours.
 */
void rdl_cli_servers_ask(struct rdl_cli_servers *s, size_t i, const struct rdl_op *op, const char *name,
                         struct rdl_req *req);

/* -------------------------------------------------- what INFO says, beside the restart guard */

/* The guard has set its questions: read what these servers answer. Borrows s. */
void rdl_cli_info_watch(struct rdl_cli_servers *s);
int rdl_cli_info_is_sentinel(size_t i);
extern const char rdl_cli_sentinel[]; /* what is said of one */
/* 1: its clock is so far ahead of this host's. Old servers do not show it. */
int rdl_cli_info_ahead(size_t i, int64_t *ahead_ms);
/* The same of a line of INFO that was read now; 0: the line is another one. */
int rdl_cli_info_clock(const char *line, int64_t *ahead_ms);

/* ---------------------------------------------------------------- names */

enum rdl_cli_address {
    RDL_CLI_ADDRESS_FOUND,
    RDL_CLI_ADDRESS_NONE,
    RDL_CLI_ADDRESS_LATER,
    RDL_CLI_ADDRESS_SEVERAL
};

/*
 * Look up ep->host. FOUND: ep has the address; NONE: *why says why; LATER: the same, and it may have one the
 * next time; SEVERAL: of one family, all of them stand in all. All hosts must come to the same: of two
 * families IPv4 is taken, the other one only of loopback, where nobody listens on the first. any: the first
 * that answers. Where none does, the one that ep had.
 */
enum rdl_cli_address rdl_cli_address_find(struct rdl_endpoint *ep, int any, const char **why,
                                          char all[RDL_CLI_ADDRESSES_MAX]);
struct rdl_cli_ip rdl_cli_address_of(const struct rdl_endpoint *ep);
void rdl_cli_address_take(struct rdl_endpoint *ep, const struct rdl_cli_ip *ip);
/* The same address, and port. Two of which nothing is known are not. */
int rdl_cli_address_is_same(const struct rdl_endpoint *a, const struct rdl_endpoint *b);
/* A unix socket, or a loopback address: on each host it is another server, as a rule. */
int rdl_cli_address_is_own(const struct rdl_endpoint *ep);
/* "192.0.2.1" */
void rdl_cli_address_words(const struct rdl_endpoint *ep, char out[RDL_CLI_ADDRESS_MAX]);

/*
 * Look names up again, of those servers that were lost or never reached; call it at every turn of the loop.
 * It never waits. A server that is somewhere else now is told, and connected to there from then on; not where
 * another one of them is, and not if its name leads nowhere or to several, which is told, too. Returns when
 * to call it again at the latest; a signal (SIGCHLD) tells that an answer is there.
 */
uint64_t rdl_cli_lookup_turn(struct rdl_cli_servers *s, uint64_t now_ms);
/* Somebody else waited for our children, and had this one. */
void rdl_cli_lookup_reaped(pid_t pid);
/* Those that are under way end. */
void rdl_cli_lookup_end(void);

/*
 * From now on platform->poll also opens connections to rediss:// servers: by a process of o->connect_command
 * each, killed and reaped with its connection. Borrows s and o.
 */
void rdl_cli_connect_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o,
                          struct rdl_platform *platform);
/* Why the last connection to server i ended, in words of its process: "openssl: ..."; "": it had none. */
const char *rdl_cli_connect_said(size_t i);
/* Somebody else waited for our children, and had this one, which ended with status. */
void rdl_cli_connect_reaped(pid_t pid, int status);
/* All of them end. */
void rdl_cli_connect_end(void);

/* Sets config.trace of every server. 0 or an exit status, the reason said. */
int rdl_cli_trace_open(struct rdl_cli_servers *s, const char *file);

/* ---------------------------------------------------------------- signals */

/* Catch the signals we forward; *wake_fd is readable when there is one. 0 or RDL_EXIT_OS, the reason said. */
int rdl_cli_signals_open(int *wake_fd);
/* Readable when there is a signal. */
int rdl_cli_signals_fd(void);
/* The next signal caught, or 0. */
int rdl_cli_signals_next(void);
/* In the child, before exec: everything as it was when we were started, and SIGPIPE, SIGCHLD at their
 * default. */
void rdl_cli_signals_restore(void);
/* What is still to be done before that: NULL, nothing. */
void rdl_cli_signals_last_act(void (*act)(void));
/* End ourselves by the signal, as if it had not been caught. */
void rdl_cli_signals_die(int sig);
/* End by a signal that was caught; not by one that would only stop us: what we do is short. */
void rdl_cli_signals_obey(void);

/* ---------------------------------------------------------------- the lock */

/* As rdl_stats, without an end. */
struct rdl_cli_stats {
    uint32_t attempts, refused;
};

struct rdl_cli_lock {
    const struct rdl_cli_options *o;
    struct rdl_cli_servers *servers;
    struct rdl_redlock_options opt;
    struct rdl_redlock redlock;    /* of several locks its restart guard alone */
    struct rdl_lock_legacy single; /* instead, with is_single; its .lock alone, without is_legacy */
    struct rdl_hint hint;
    struct rdl_canary canaries[RDL_SERVERS_MAX];
    int is_single;                /* --legacy, or several locks */
    int is_legacy;                /* speaks the old protocol, by now */
    uint64_t since_ms;            /* several: held since; 0: not, or adopted */
    uint8_t packed[RDL_NAME_MAX]; /* their names */
    int is_acquiring;             /* the single lock's operation, and its result; RDL_PENDING: it goes on */
    int result;
    uint64_t reached_ms; /* while it is asked for: when a majority could answer last */
    uint64_t asked_ms;   /* for --log: since when it is asked for, and held; 0: it never was */
    uint64_t got_ms;
    struct rdl_cli_stats before; /* of all acquisitions before the last */
    size_t n_conns;             /* of servers->conns: with a hint there is one more than servers */
    uint8_t entropy[RDL_ENTROPY_LEN];
    struct rdl_posix posix;
    struct rdl_platform platform;
    pid_t parent;  /* hold ends with this process; 0: with none */
    int is_orphan; /* it has ended */
};

/*
 * What every verb begins with: its options, with their defaults. 1: go on; 0: *status is what to exit with,
 * after --help or the reason why not.
 */
int rdl_cli_options_read(struct rdl_cli_options *o, enum rdl_cli_verb verb, int argc, char **argv,
                         int *status);
/* Servers, --trace and signals: posix and platform wait for them. 0 or an exit status, the reason said. */
int rdl_cli_open(struct rdl_cli_servers *s, const struct rdl_cli_options *o, struct rdl_posix *posix,
                 struct rdl_platform *platform);
/* That, and the lock. 0 or an exit status, the reason said. */
int rdl_cli_start(struct rdl_cli_lock *l, const struct rdl_cli_options *o);
/* l->o, servers, opt and platform are set. */
void rdl_cli_lease_init(struct rdl_cli_lock *l);
/* The lock of this token is ours to extend or release; not of the old protocol. */
void rdl_cli_lease_adopt(struct rdl_cli_lock *l, const char token[RDL_VALUE_MAX]);
/* The token of what is held, 40 hex digits; not terminated. */
void rdl_cli_lease_token(const struct rdl_cli_lock *l, char out[RDL_VALUE_MAX]);
/*
 * It is left to run, or was released: those servers that the majority did not wait for have one attempt's
 * time to answer, connecting included.
 */
void rdl_cli_lease_finish(struct rdl_cli_lock *l);
/* Operations as those of a redlock, with its results. */
int rdl_cli_lease_acquire(struct rdl_cli_lock *l);
int rdl_cli_lease_extend(struct rdl_cli_lock *l, uint64_t now_ms);
int rdl_cli_lease_release(struct rdl_cli_lock *l, uint64_t now_ms);
int rdl_cli_lease_step(struct rdl_cli_lock *l);
uint64_t rdl_cli_lease_wake_ms(const struct rdl_cli_lock *l);
uint64_t rdl_cli_lease_until_ms(const struct rdl_cli_lock *l);
/* What it took so far, of all acquisitions together. */
struct rdl_cli_stats rdl_cli_lease_stats(const struct rdl_cli_lock *l);
/* Who we are on the servers, for people: as rdl_cli_seen.id. Of the old protocol it changes by a renewal. */
uint32_t rdl_cli_lease_id(const struct rdl_cli_lock *l);
/* When what is left of --keep is over; 0: it is not given. */
uint64_t rdl_cli_lease_keep_ms(const struct rdl_cli_lock *l);
/* The number of the lease held; 0: none, or not asked for. */
uint64_t rdl_cli_lease_fence(const struct rdl_cli_lock *l);
/* The last operation was a release. */
int rdl_cli_lease_is_releasing(const struct rdl_cli_lock *l);
/* Give up what is held or asked for; releases have a moment to go out. */
void rdl_cli_lease_cancel(struct rdl_cli_lock *l);
/* Why server i gave no useful answer; RDL_OK: it did, or there is no reason. */
int rdl_cli_lease_error(const struct rdl_cli_lock *l, size_t i);
void rdl_cli_lease_report(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);
/* "one of ", before the name of what somebody else holds, where that stands for several; else "". */
const char *rdl_cli_one_of(const struct rdl_cli_options *o);
/* Of a key in the way that does not end by itself: what is to be said behind the lock's name. */
const char *rdl_cli_lease_endless(const struct rdl_cli_lock *l);
/* Released, and the key stays (RDL_OVERWRITTEN): warn, and say what to do. */
void rdl_cli_lease_overwritten(const struct rdl_cli_lock *l);

uint64_t rdl_cli_now(const struct rdl_cli_lock *l);
/*
 * Let the connections work until until_ms, until something happened or, with can_wake, until a signal came;
 * then take it in. A signal stays to be taken: without can_wake it does not end every wait at once.
 * RDL_PENDING or a result.
 */
int rdl_cli_lease_turn(struct rdl_cli_lock *l, uint64_t until_ms, int can_wake);
/*
 * Get the lock within o->wait_ms. 1: it is held; 0: not, the reason said, and *status is what to exit with
 * (which may be 0, by -E). Ends the process on a signal.
 */
int rdl_cli_wait(struct rdl_cli_lock *l, int *status);
/* Until a majority is connected, or can be no more; the others have an attempt. A signal ends the process. */
void rdl_cli_wait_connected(struct rdl_cli_lock *l);
/* An operation that began with rc: its result. A signal ends the process, and leaves what is held. */
int rdl_cli_wait_for(struct rdl_cli_lock *l, int rc);
/* What those servers had to say that made it end with rc, in one line: "127.0.0.1:6379: refused: ...; ..." */
void rdl_cli_lock_reports(const struct rdl_cli_lock *l, int rc, char *out, size_t cap);
/* Of an acquisition without a majority: why the first of them failed; "": none has failed yet. */
void rdl_cli_lock_first_report(const struct rdl_cli_lock *l, char *out, size_t cap);
/* What server i did, for people: "127.0.0.1:6379: confirmed in 1 ms"; and without who it is. */
void rdl_cli_lock_said(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);
void rdl_cli_lock_report(const struct rdl_cli_lock *l, size_t i, char *out, size_t cap);
/* Server i failed in a way that lasts until somebody mends it; one that is down may come back by itself. */
int rdl_cli_lock_is_final(const struct rdl_cli_lock *l, size_t i);
/* With -v: what each server did, a line for each. */
void rdl_cli_lock_note_servers(const struct rdl_cli_lock *l);
/* Somebody else has it, on one of the servers at least. */
int rdl_cli_lock_is_denied(const struct rdl_cli_lock *l);
/* A server that was asked has not answered, and may do it still. */
int rdl_cli_lock_is_unanswered(const struct rdl_cli_lock *l);
/* When a majority answered the last attempt; 0: none did. */
uint64_t rdl_cli_lock_heard_ms(const struct rdl_cli_lock *l);
/* The exit status for the lack of a majority, the reason said; 0, and nothing said: it may come yet. */
int rdl_cli_lock_verdict(const struct rdl_cli_lock *l);
/* We may open no descriptors for a majority: that will not pass. */
int rdl_cli_lock_is_starved(const struct rdl_cli_lock *l);
/* Extend or release of a token ended with rc: the exit status, the reason said. done: "extended". */
int rdl_cli_lock_not_done(const struct rdl_cli_lock *l, int rc, const char *done);
/* Of round trips that are too long for an attempt: "give --attempt 1.2s". */
void rdl_cli_attempt_remedy(uint64_t trip_ms, uint32_t ttl_ms, char *out, size_t cap);
/* -n: so long a server that connects may say nothing. */
uint32_t rdl_cli_silence_ms(const struct rdl_cli_lock *l);
int rdl_cli_lock_no_quorum(const struct rdl_cli_lock *l, int status, uint64_t waited_ms);
/* In how many ms, and s, so many servers are out of quarantine that it is no hindrance. */
uint64_t rdl_cli_lock_quarantine_ms(const struct rdl_cli_lock *l);
unsigned long rdl_cli_lock_quarantine_s(const struct rdl_cli_lock *l);
/* Why they are in it; and what to do if they need not be. */
const char *rdl_cli_lock_too_recently(const struct rdl_cli_lock *l);
const char *rdl_cli_lock_remedy(const struct rdl_cli_lock *l);
/* All of that, behind what did not come of it. */
void rdl_cli_lock_quarantined(const struct rdl_cli_lock *l, const char *what);

/*
 * --canary: something else has its key, on so many servers that no majority can count. Those are warned of,
 * each once. Asks them, for an attempt's time at most, where the library found no canary.
 */
int rdl_cli_canary_is_foreign(struct rdl_cli_lock *l);
/* Query that key. NO: what is there is no canary, and will not be replaced. */
extern const struct rdl_op rdl_cli_op_canary;

/* ---------------------------------------------------------------- a lease that is held */

struct rdl_cli_held {
    struct rdl_cli_lock *lock;
    struct rdl_renewal renewal;
    uint64_t until_ms; /* its end as last confirmed; 0: it is lost */
    int renewing;
    int is_renewed; /* the last operation was a renewal */
    int failures;   /* renewals in a row */
    int lost;       /* and that was said */
    int capped;     /* --max-hold: it is not renewed any more */
};

/* h is zero; l was granted just now. */
void rdl_cli_held_begin(struct rdl_cli_held *h, struct rdl_cli_lock *l);
/* Take in what the servers said, and begin the renewal that is due. 1: until_ms is later now. */
int rdl_cli_held_renew(struct rdl_cli_held *h);
/* When the next renewal is due; UINT64_MAX: none, or one is on its way. */
uint64_t rdl_cli_held_wake_ms(const struct rdl_cli_held *h, uint64_t now);
/* It is lost: that is said, once. */
void rdl_cli_held_lose(struct rdl_cli_held *h, const char *why);
/*
 * What it was held for has ended, and it is not lost. 1: --keep is not over, so the lease is left to run out,
 * which is noted with why; 0: give it back.
 */
int rdl_cli_keep(struct rdl_cli_lock *l, const char *why);
/*
 * Give it back; a warning is said if it was gone already. For a lease that was lost: what is left of it. 1:
 * somebody else had it inside the validity, the reason said.
 */
int rdl_cli_give_back(struct rdl_cli_lock *l, int lost);
/* The same, where rdl_cli_token_write ended with that status, which is returned; by a signal we end. */
int rdl_cli_give_back_unread(struct rdl_cli_lock *l, int status);

/* ---------------------------------------------------------------- words put together */

/* Zero-terminated; what does not fit is cut. */
struct rdl_cli_text {
    char *out;
    size_t cap, len;
};

void rdl_cli_add(struct rdl_cli_text *t, const char *format, ...) RDL_CLI_PRINTF(2, 3);
/* Letters to insert, delete or replace to turn a into b (Levenshtein); b has at most RDL_CLI_WORD_MAX. */
enum { RDL_CLI_WORD_MAX = 24 };
size_t rdl_cli_distance(const char *a, size_t a_len, const char *b);
/* If t is full, its end says that it was cut. */
void rdl_cli_mark_cut(struct rdl_cli_text *t);
/* "1.5 s" */
void rdl_cli_add_seconds(struct rdl_cli_text *t, uint64_t ms);
/*
 * What begins here is not shown by a terminal but acts on it: a control character, also one of C1, a line
 * separator, a mark of the direction of writing. Its bytes; 0: it is none of these.
 */
size_t rdl_cli_acting_len(const char *text);
/* As a string of JSON, quotes and all; a byte that is no UTF-8 becomes U+FFFD, and what acts is escaped. */
void rdl_cli_add_json(struct rdl_cli_text *t, const char *s);
/* As a word of the shell: in quotes where it is not plain. */
void rdl_cli_add_word(struct rdl_cli_text *t, const char *s);
/* Without a line end, if one is there. */
size_t rdl_cli_line_len(const char *text, size_t len);
/* Of what was read from a file and should be one line, without its end: why it is not; NULL: it is. */
const char *rdl_cli_line_fault(const char *text, size_t len);
/* "-l NAME", as the verbs take it; behind another one with a blank. */
void rdl_cli_add_lock(struct rdl_cli_text *t, const char *name);

/* ---------------------------------------------------------------- JSON */

/*
 * An object of JSON, or a line of the log as text, written member by member: strings are escaped, and commas
 * and brackets come by themselves. A member that does not fit is left out, whole, and the object says so by
 * "cut":true. So it can be read whatever names and servers' texts are, and however long.
 */
struct rdl_cli_json {
    struct rdl_cli_text text;
    char close[6];     /* the brackets that end what is open, the outermost first */
    unsigned depth;    /* so many */
    unsigned left_out; /* so many more are open that did not fit */
    int is_text;       /* NAME=VALUE */
    int is_cut;
};

/* cap: 64 at least. */
void rdl_cli_json_begin(struct rdl_cli_json *j, char *out, size_t cap);
/* bracket: { or [. In an array names are NULL. */
void rdl_cli_json_open(struct rdl_cli_json *j, const char *name, char bracket);
void rdl_cli_json_close(struct rdl_cli_json *j);
void rdl_cli_json_string(struct rdl_cli_json *j, const char *name, const char *value);
void rdl_cli_json_number(struct rdl_cli_json *j, const char *name, int64_t value);
void rdl_cli_json_bool(struct rdl_cli_json *j, const char *name, int value);
void rdl_cli_json_null(struct rdl_cli_json *j, const char *name);
/* All that is open is closed. */
void rdl_cli_json_end(struct rdl_cli_json *j);
/* Bytes of that for all locks there may be at once, NUL included: every byte of a name a quote. */
enum { RDL_CLI_LOCKS_MAX = RDL_MULTI_MAX * 6 + RDL_NAME_MAX * 4 };

/* ---------------------------------------------------------------- what stands on the servers */

enum rdl_cli_what {
    RDL_CLI_SEEN_NOTHING,
    RDL_CLI_SEEN_FREE,
    RDL_CLI_SEEN_KEY,
    RDL_CLI_SEEN_ODD /* no lock: not a string, or a longer one than a lock has */
};

/* Of a value: the token of a lock; a deadline of the old protocol; neither, or a token that never ends. */
enum rdl_cli_kind { RDL_CLI_KIND_TOKEN, RDL_CLI_KIND_DEADLINE, RDL_CLI_KIND_FOREIGN };

/* A lock's key on one server. */
struct rdl_cli_seen {
    enum rdl_cli_what what;
    char value[RDL_NAME_MAX];
    size_t len;        /* more than that: at least so many; 0 and ODD: not a string */
    uint32_t id;       /* KEY: who holds it, for people: a hash of the whole value */
    int64_t pttl_ms;   /* -1: no expiry */
    int error;         /* nothing was seen: why; RDL_OK: it changed while it was looked at */
    int is_unreadable; /* nothing was seen: the user may not read values */
    char said[RDL_CLI_SAID_MAX];
};

/* What INFO says, where it may be asked for. */
struct rdl_cli_host {
    int is_told;
    int is_info_forbidden; /* INFO is refused for want of a right */
    int has_clock;
    int64_t ahead_ms; /* its clock of this host's */
    int is_ancient;   /* INFO takes no section: before Redis 2.6 */
    int is_valkey;
    char version[24];
    char role[24];
    int is_sentinel; /* it watches servers, and holds no keys */
    int has_uptime;
    int64_t uptime_s; /* negative: its clock was set back since it started */
    char run_id[41];
    int is_cluster;
    char master[64]; /* of a replica */
    unsigned master_port;
    /* for the doctor alone */
    int is_bounded; /* maxmemory is set, */
    char policy[24];
    int has_log; /* AOF */
};

/* By its role it follows another server; KeyDB's active-replica does, too. */
int rdl_cli_host_is_replica(const struct rdl_cli_host *h);

/* Names under a prefix, each once; as many as that at most. */
enum { RDL_CLI_NAMES_MAX = 10000, RDL_CLI_PATTERN_MAX = 2 * RDL_NAME_MAX + 1 };
struct rdl_cli_names {
    char *name[RDL_CLI_NAMES_MAX];
    size_t n;
    int is_full; /* there are more */
    int has_nul; /* there are some that no argument can be */
};

/* The pattern, as of KEYS, of all names that begin so (RDL_NAME_MAX bytes at most). Its length. */
size_t rdl_cli_pattern(const char *prefix, char out[RDL_CLI_PATTERN_MAX]);
/* name is terminated; of one that is longer than any lock's the end may lack. One set a process. */
void rdl_cli_names_add(struct rdl_cli_names *s, const char *name, size_t len);
void rdl_cli_names_sort(struct rdl_cli_names *s);

struct rdl_cli_query {
    const struct rdl_cli_options *o;
    struct rdl_cli_servers *servers;
    uint64_t until_ms; /* nothing is waited for longer */
    struct rdl_cli_host host[RDL_SERVERS_MAX];
    struct rdl_cli_seen seen[RDL_SERVERS_MAX];
    struct rdl_req req[RDL_SERVERS_MAX];
    unsigned char is_out[RDL_SERVERS_MAX]; /* it is not asked any more */
    /* of a search */
    struct rdl_bytes pattern;
    struct rdl_cli_names *names;
    unsigned char searched[RDL_SERVERS_MAX]; /* to the end */
    int is_cut;                              /* there was no time, or no room, for the rest */
    struct rdl_posix posix;
    struct rdl_platform platform;
};

/*
 * Connect: until a majority is connected, or can be no more; the others have one attempt's time. 0 or an exit
 * status, the reason said. Ends the process on a signal.
 */
int rdl_cli_query_begin(struct rdl_cli_query *l, const struct rdl_cli_options *o);
/* Its first part, without a connection; and its second, which may be repeated when some were lost. */
int rdl_cli_query_open(struct rdl_cli_query *l, const struct rdl_cli_options *o);
void rdl_cli_query_connect(struct rdl_cli_query *l);
/* Ask server i; l->req[i] is idle or answered. UNSENT: it is out, or not connected. */
void rdl_cli_query_ask(struct rdl_cli_query *l, size_t i, const struct rdl_command *cmd);
/* Until all who were asked have answered, or had the time for it. Ends the process on a signal. */
void rdl_cli_query_await(struct rdl_cli_query *l);
/* Wait. Ends the process on a signal. */
void rdl_cli_query_pause(struct rdl_cli_query *l, uint32_t ms);
/* Server i gave no answer: why, into l->seen. */
void rdl_cli_query_unseen(struct rdl_cli_query *l, size_t i);
/* What this lock's key is on each server, into l->seen. Ends the process on a signal. */
void rdl_cli_query_at(struct rdl_cli_query *l, const char *name);
/*
 * Names of all keys that begin with prefix, of every server. Of a server that could not be searched to the
 * end l->seen says why, unless is_cut does. Ends the process on a signal.
 */
void rdl_cli_query_search(struct rdl_cli_query *l, const char *prefix, struct rdl_cli_names *names);
/* Delete what was seen there of this id, if it is still that. 1: it was another value on one of them. */
int rdl_cli_query_break(struct rdl_cli_query *l, const char *name, uint32_t id);

/* FNV-1a, 32 bits: of bytes behind those whose hash is so_far. */
#define RDL_CLI_ID_BASE 2166136261u
uint32_t rdl_cli_id(uint32_t so_far, const void *data, size_t len);

/* The same value on both, or none. */
int rdl_cli_seen_is_same(const struct rdl_cli_seen *a, const struct rdl_cli_seen *b);
enum rdl_cli_kind rdl_cli_seen_kind(const struct rdl_cli_seen *s);
/* Of an ODD one what it is: "not a string". */
const char *rdl_cli_seen_odd(const struct rdl_cli_seen *s);

enum rdl_cli_state { RDL_CLI_FREE, RDL_CLI_HELD, RDL_CLI_SPLIT, RDL_CLI_UNKNOWN };

/* What the servers come to together. */
struct rdl_cli_verdict {
    enum rdl_cli_state what;
    unsigned of, quorum;
    /* of whom nothing was seen, because they refused, or did not answer; who may have forgotten */
    unsigned refused, silent, young;
    /* held: by whom, on how many, and when fewer than a majority have it at the latest; UINT64_MAX: never */
    uint32_t id;
    unsigned on;
    uint64_t ends_ms;
    enum rdl_cli_kind key;
    int is_odd; /* held: by keys that are no lock's, without an id */
    /* another token is there as well, on so many */
    unsigned other_on;
    uint32_t other_id;
};

/* counts: not of a server that may have forgotten. */
void rdl_cli_verdict(const struct rdl_cli_seen *seen, const unsigned char *counts, size_t n,
                     struct rdl_cli_verdict *v);
void rdl_cli_query_verdict(const struct rdl_cli_query *l, struct rdl_cli_verdict *v);
/* Of a server that came up less than max_ttl ago, and may have forgotten: how long it does not count. */
uint64_t rdl_cli_quarantine_ms(const struct rdl_cli_options *o, const struct rdl_cli_host *h);
/* It did not come up so recently that it may have forgotten locks. */
int rdl_cli_query_counts(const struct rdl_cli_query *l, size_t i);
/* ---------------------------------------------------------------- no useful answer */

enum rdl_cli_trouble {
    RDL_CLI_SILENT, /* worth another try */
    RDL_CLI_REFUSED,
    RDL_CLI_FOREIGN,
    RDL_CLI_HOPELESS,
    RDL_CLI_OURS, /* we may open no more descriptors */
    RDL_CLI_TROUBLE_KINDS
};

/* Of n servers: how many gave a useful answer, and what was wrong with the others. */
struct rdl_cli_troubles {
    size_t n, useful, of[RDL_CLI_TROUBLE_KINDS];
};

/* It is an error reply, so there was an answer. */
int rdl_cli_is_refusal(int error);
/* Why server i gave no answer, in the words of the connect command or the system; "": it was neither. */
const char *rdl_cli_cause(const struct rdl_cli_servers *s, size_t i, int error);
#define RDL_CLI_TLS_HINT "check the port; if it uses TLS, its URL must begin with rediss://"
/* What to do about a refused login: `said` is the server's text. */
const char *rdl_cli_login_advice(const char *said);
int rdl_cli_may_be_tls(const struct rdl_cli_servers *s, size_t i, int error);

enum rdl_cli_trouble rdl_cli_trouble_of(const struct rdl_conn *c, int error);
/* The exit status for the lack of a majority: what would have made one? 0: the next try may. */
int rdl_cli_trouble_status(const struct rdl_cli_troubles *t);

/* Of what was seen last: the exit status if a majority gave no answer. */
int rdl_cli_query_status(const struct rdl_cli_query *l);
/* The exit status of several: one that is held outweighs one of which nobody knows. */
int rdl_cli_worse(const struct rdl_cli_query *l, int status, enum rdl_cli_state state);
/* Why nothing was seen on server i. */
void rdl_cli_query_error(const struct rdl_cli_query *l, size_t i, char *out, size_t cap);
/* Print what all come to, a line. 0 or an exit status. */
int rdl_cli_verdict_show(const struct rdl_cli_verdict *v, const char *name);
/* Print a line a server, and one of all. 0 or an exit status. */
int rdl_cli_query_show(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);
/* The same as one object of a list. 0 or an exit status. */
int rdl_cli_query_json(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name,
                       int is_first);

/* "redis 7.0.15, master, up 3 days" */
void rdl_cli_host_words(struct rdl_cli_text *t, const struct rdl_cli_host *h);
void rdl_cli_host_json(struct rdl_cli_json *j, const struct rdl_cli_options *o, const struct rdl_cli_host *h);

/* ------------------------------------------- two hosts that do not exclude each other */

/* A key that lives longer than --max-ttl: another host has other options. It matters to the guard alone. */
int rdl_cli_apart_is_long(const struct rdl_cli_options *o, int64_t pttl_ms);
/* Warn of it. */
void rdl_cli_apart_lease(const struct rdl_cli_options *o, const char *where, int64_t pttl_ms);
/* Warn of servers of this host alone beside others; with -v also where there are no others. */
void rdl_cli_apart_own(const struct rdl_cli_servers *s);
/* Warn of a server's clock that is more than a minute off this host's. 1: it is. */
int rdl_cli_apart_clock(const char *where, int64_t ahead_ms);
int rdl_cli_seen_is_long(const struct rdl_cli_options *o, const struct rdl_cli_seen *s);
/* All that query->seen shows of one lock, as warnings. */
void rdl_cli_query_apart(const struct rdl_cli_query *l, const struct rdl_cli_verdict *v, const char *name);

/* ---------------------------------------------------------------- the doctor */

/* What a command line needs of a server's user. */
enum {
    RDL_CLI_NEED_PX = 1, /* a lock of today */
    RDL_CLI_NEED_FENCE = 2,
    RDL_CLI_NEED_HINT = 4,
    RDL_CLI_NEED_CANARY = 8,
    RDL_CLI_NEED_LEGACY = 16,
    RDL_CLI_NEED_INFO = 32,
    RDL_CLI_NEED_DB = 64,
    RDL_CLI_NEED_SEVERAL = 128, /* locks at once */
    RDL_CLI_NEED_TIME = 256     /* the server's: --legacy without --clock-error */
};
unsigned rdl_cli_needs(const struct rdl_cli_options *o, const struct rdl_cli_servers *s);
/* The rights, and the keys, for that. */
unsigned rdl_cli_rights_for(unsigned needs);
unsigned rdl_cli_keys_for(const struct rdl_cli_options *o, unsigned needs);

/* Commands and keys; a set of them is bits 1 << right. */
enum rdl_cli_right {
    RDL_CLI_RIGHT_SET,
    RDL_CLI_RIGHT_GET,
    RDL_CLI_RIGHT_GETRANGE, /* of status, list and break alone */
    RDL_CLI_RIGHT_DEL,
    RDL_CLI_RIGHT_EVAL,
    RDL_CLI_RIGHT_EVALSHA,
    RDL_CLI_RIGHT_WATCH, /* these four: only where there are no scripts */
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

#define RDL_CLI_NO_LOCK "redlock"  /* in the place of the lock's name where none was given */
#define RDL_CLI_TRIAL   ":doctor:" /* between a lock's name and 8 hex digits: the key that is tried */

enum rdl_cli_key {
    RDL_CLI_KEY_LOCK,
    RDL_CLI_KEY_TRIAL,
    RDL_CLI_KEY_FENCE,
    RDL_CLI_KEY_TRIAL_FENCE,
    RDL_CLI_KEY_WAKE,
    RDL_CLI_KEY_TRIAL_WAKE,
    RDL_CLI_KEY_CANARY,
    RDL_CLI_KEY_OTHER, /* the second of several locks; those behind it follow */
    RDL_CLI_KEYS = RDL_CLI_KEY_OTHER + RDL_MULTI_MAX - 1
};

/* Whose key it is, or whose it stands beside; of several locks that are tried the first. */
const char *rdl_cli_name_of(const struct rdl_cli_options *o, enum rdl_cli_key key);
/* The key beside a lock's: {name} and the suffix; a name with a brace keeps its own tag. */
void rdl_cli_side_key(const char *name, const char *suffix, char *out, size_t cap);
void rdl_cli_key(enum rdl_cli_key key, const char *lock, const char *trial, char *out, size_t cap);
/* " ~KEY +COMMAND ..." for these. */
void rdl_cli_permissions_words(struct rdl_cli_text *t, const struct rdl_cli_options *o, unsigned rights,
                               unsigned keys);
/* Ways to release and to extend, as bits: in the order in which the library tries them. */
enum {
    RDL_CLI_BY_SCRIPT = 1,
    RDL_CLI_BY_DELEX = 2,
    RDL_CLI_BY_DELIFEQ = 4,
    RDL_CLI_BY_WATCH = 8,
    RDL_CLI_BY_DEL = 16
};

/* What was found out about one server, besides its rdl_cli_host. */
struct rdl_cli_checks {
    int is_there;               /* it answers */
    int is_tried;               /* and takes locks, as far as we may try */
    unsigned missing;           /* rights that its user has not */
    unsigned unknown;           /* commands that it does not know */
    unsigned keys;              /* keys that its user may not use */
    unsigned releases, extends; /* methods */
    int is_db_refused;          /* its user may not use the database (Valkey 9.1) */
    int hints;                  /* it released a lock of those with a hint */
    int error;                  /* it refused something for another reason */
    char said[RDL_CLI_SAID_MAX];
    int has_foreign_canary; /* something else has its key */
    int canary;             /* enum rdl_answer: YES, it has a canary of this run; NO, ABSENT: none */
    uint64_t canary_age_s;
    int has_clock;
    uint32_t rtt_ms;
    int64_t clock_us;        /* as it was read last */
    int is_ticking;          /* it was read twice, and had moved */
    int64_t clock_ms;        /* its clock less ours, which counts from some moment on */
    int has_fsync, has_save; /* it told: */
    char fsync[12], save[40];
};

/* It runs no scripts, and what these options need (rdl_cli_needs) works without. */
int rdl_cli_is_scriptless(const struct rdl_cli_checks *x, unsigned needs);
/* The rights that those options need on this server. */
unsigned rdl_cli_rights_on(const struct rdl_cli_checks *x, unsigned needs);
/* One of the servers that answer may have ACLs; or none answers. */
int rdl_cli_permissions_is_known(const struct rdl_cli_query *l,
                                 const struct rdl_cli_checks checks[RDL_SERVERS_MAX]);
/* Of an error: the user may not use the database. */
int rdl_cli_permissions_is_database(const char *text);
/* Bytes of the line: every byte of a name may take four there, and a name stands in it six times. */
enum { RDL_CLI_PERMISSIONS_MAX = 16384 };
/* "ACL SETUSER ...": what the options need on these servers, no more. */
void rdl_cli_permissions_line(struct rdl_cli_text *t, const struct rdl_cli_options *o,
                              const struct rdl_cli_servers *s,
                              const struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

/* Ask all servers, and leave nothing there. Ends the process on a signal. */
void rdl_cli_run_checks(struct rdl_cli_query *l, struct rdl_cli_checks checks[RDL_SERVERS_MAX]);

enum { RDL_CLI_FINDINGS_MAX = 100, RDL_CLI_FINDING_MAX = 640 };

/* What is wrong, and the remedy. A warning of another verb has no more than these two. */
struct rdl_cli_finding {
    const char *id; /* for programs: "replica" */
    int status;     /* RDL_EXIT_*; 1: a warning */
    int server;     /* -1: all of them together */
    char what[RDL_CLI_FINDING_MAX];
    char remedy[RDL_CLI_FINDING_MAX];
};

void rdl_cli_describe(struct rdl_cli_finding *f, const char *format, ...) RDL_CLI_PRINTF(2, 3);
void rdl_cli_advise(struct rdl_cli_finding *f, const char *format, ...) RDL_CLI_PRINTF(2, 3);
void rdl_cli_warn_of(const struct rdl_cli_finding *f);

/* where: the server, or "it" where the line names it already. */
void rdl_cli_risk_own(struct rdl_cli_finding *f, const char *where);
void rdl_cli_risk_canary(struct rdl_cli_finding *f, const char *where);
void rdl_cli_risk_renewal(struct rdl_cli_finding *f, const char *where, uint32_t ttl_ms);
void rdl_cli_risk_lease(struct rdl_cli_finding *f, const char *where, const struct rdl_cli_options *o,
                        int64_t pttl_ms);
/* This host's clock: how far that of server `where` is ahead of it. */
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
    RDL_CLI_SELF_DEADLOCK,           /* it is: who waits for it waits for himself */
    RDL_CLI_SELF_DEADLOCK_MAYBE,     /* the name is the same, and by whom it is held could not be seen */
    RDL_CLI_SELF_DEADLOCK_UNANSWERED /* the same, and a server has not answered that question */
};

/*
 * Somebody else has the lock: is it the `redlock run` around us? Asks the servers if the environment names
 * this lock, which takes a second or an attempt at most.
 */
enum rdl_cli_self_deadlock rdl_cli_self_deadlock(struct rdl_cli_lock *l);

/* ---------------------------------------------------------------- warnings: each is said once */

/* Who takes no part for good though a majority does; who refuses INFO, so that much is not seen. */
void rdl_cli_warn_servers(const struct rdl_cli_lock *l);
/* It was granted: warn where the user may not release or extend it. Takes an attempt's time at most. */
void rdl_cli_probe(struct rdl_cli_lock *l);
/* With --canary: a majority of the servers may be watched by it. */
int rdl_cli_lock_is_watched(const struct rdl_cli_lock *l);
/* The key in our way never ends by itself. */
void rdl_cli_warn_endless(const struct rdl_cli_lock *l);
/* A renewal is over: another client has it on one of the servers, again and again. */
void rdl_cli_warn_rival(const struct rdl_cli_lock *l);
/* The lease in our way shows that another host has other options. */
void rdl_cli_warn_long(const struct rdl_cli_lock *l);

/* ---------------------------------------------------------------- processes */

/*
 * The guardian: a process that does nothing but read a pipe. It kills the command's process group when
 * the pipe ends without a goodbye (we died), or when the lease it was last told of ends (we hang).
 */
struct rdl_cli_guardian {
    pid_t pid;
    int fd;            /* our end of the pipe; close-on-exec */
    int ready_fd;      /* ends when it has set itself up; close-on-exec; -1: that was waited for */
    uint32_t early_ms; /* half the margin of rdl_cli_margin_ms: the kill takes effect before the lease ends */
};

/* How long before the end of the lease redlock itself kills the group: a couple of scheduling quanta. */
uint32_t rdl_cli_margin_ms(uint32_t ttl_ms);
/* ttl_ms: of the lease. 0 or -1 with errno. */
int rdl_cli_guardian_start(struct rdl_cli_guardian *g, uint32_t ttl_ms);
/*
 * Wait until it has set itself up, until_ms at most. A process that has just made a session of its own can
 * get no turn for 400 ms on a busy host (Linux groups tasks by sessions), and would kill that much too late.
 */
void rdl_cli_guardian_wait(struct rdl_cli_guardian *g, uint64_t until_ms);
/* Which group to guard, and when its lease ends. Also called by the child before exec. */
void rdl_cli_guardian_update(const struct rdl_cli_guardian *g, pid_t group, uint64_t until_ms);
/* Goodbye: the group is gone. Never waits for a guardian that somebody stopped. */
void rdl_cli_guardian_stop(struct rdl_cli_guardian *g);

/* Warn of a program that may make itself another user's: that one could not be stopped. */
void rdl_cli_child_check_program(const struct rdl_cli_options *o);
/* Start the command of the lock that is held in a process group of its own. Its pid, or -1 with errno. */
pid_t rdl_cli_child_start(const struct rdl_cli_lock *l, const struct rdl_cli_guardian *g);
/* It has exited. 0: it was never run, because exec failed. */
int rdl_cli_child_was_run(void);
/* 0: nobody of it is ours to signal (sudo made it another user's). */
int rdl_cli_child_kill(pid_t group, int sig);
int rdl_cli_child_group_is_empty(pid_t group);
/* It stopped: hand it the terminal if it asked for that and we have it, else take the terminal back. */
void rdl_cli_child_stopped(pid_t group, int sig);
void rdl_cli_child_take_terminal(pid_t group);

/*
 * What the command started and what left its process group: read from /proc, if there is one. begin: before
 * the guardian and the command are started; from then on orphans become our children, which we reap.
 */
void rdl_cli_strays_begin(void);
/*
 * Which processes are below the command now, or came to us as orphans: read until two readings agree, but so
 * many times and until until_ms at most.
 */
void rdl_cli_strays_read(pid_t group, int most, uint64_t until_ms);
/* Signal those outside the group that did not get that signal yet. How many that were. */
size_t rdl_cli_strays_signal(int sig);
/* How many ran outside the group when that was last read, but for those that are another user's. */
size_t rdl_cli_strays_left(void);
/* "1234 (timeout), 1235 (sleep)". 0: there were none. */
int rdl_cli_strays_names(struct rdl_cli_text *t);

/*
 * fork for a process beside us: until it has done what follows it has our handlers, and the pipe they write
 * to, so all signals are blocked in it. What we keep to be written is not its own.
 */
pid_t rdl_cli_process_fork(void);
/* One of those, of the last 256; or the session of one: it leads it. */
int rdl_cli_process_is_helper(pid_t pid);
/* In it: a session of its own, and the name that ps shows (on Linux). */
void rdl_cli_process_lead(const char *name);
/* The same; our handlers and signals are not for it, and it dies with parent, who forked it. */
void rdl_cli_process_ends_with(pid_t parent, const char *name);
/* In it: it runs before all usual processes, where the user may ask for that (on Linux). */
void rdl_cli_process_goes_first(void);
/*
 * A descriptor of any process, where the system has them, else -1 and ENOSYS: its number may become another
 * process's, the descriptor stays its own. Signal it by that, or by its number if fd is -1. -1 and errno.
 */
int rdl_cli_process_open(pid_t pid);
int rdl_cli_process_signal(int fd, pid_t pid, int sig);
/* In it: close all descriptors but this one. Not to be a second holder of anybody's pipe or terminal. */
void rdl_cli_process_holds_only(int fd);
/* The same, but standard input, output and error. */
void rdl_cli_process_holds_stdio(void);
/* *pid is 0 when it has ended, and then this does nothing. */
void rdl_cli_process_reap(pid_t *pid);
/* It gets SIGKILL, with its group. Ends do not come at once. */
void rdl_cli_process_kill(pid_t *pid);
/* The same, and it is waited for, for 100 ms: one that is frozen does not even die. */
void rdl_cli_process_end(pid_t *pid);
void rdl_cli_process_pause_1_ms(void);

/* Run the command while holding the lock, and release it. The exit status of all of it. */
int rdl_cli_supervise(struct rdl_cli_lock *l);

/* ---------------------------------------------------------------- what became of the lock, for --log */

/* Each has its row in redlock.1, LOG. */
enum rdl_cli_event {
    RDL_CLI_WAITING,
    RDL_CLI_ACQUIRED,
    RDL_CLI_RENEWED,
    RDL_CLI_RENEW_FAILED,
    RDL_CLI_LOSING, /* it will not be renewed: whoever works under it is to end */
    RDL_CLI_LOST,
    RDL_CLI_RELEASED,
    RDL_CLI_KEPT,
    RDL_CLI_CHILD_EXIT,
    RDL_CLI_FAILED
};

/* Write it to the log, if there is one. reason NULL: none; status < 0: none. */
void rdl_cli_event(const struct rdl_cli_lock *l, enum rdl_cli_event event, const char *reason, int status);

/* ---------------------------------------------------------------- while we wait */

struct rdl_cli_progress {
    const char *lock;
    const char *one_of; /* rdl_cli_one_of */
    uint64_t waited_ms;
    uint64_t left_ms; /* RDL_CLI_FOREVER: as long as it takes */
    int is_held;      /* by somebody else; else it is not known why there is no lock */
    int64_t key_ms;   /* what the key in our way has to live; 0 and less: no word about that */
    const char *why;  /* if it is not held: the reason, or "" */
};

enum {
    RDL_CLI_WHY_MAX = RDL_CLI_WHERE_MAX + 300,
    RDL_CLI_PROGRESS_MAX = 300 + RDL_CLI_LOCKS_MAX + RDL_CLI_WHY_MAX
};

/* All of it in a line; is_short: for a terminal. */
void rdl_cli_progress_text(const struct rdl_cli_progress *p, int is_short, char out[RDL_CLI_PROGRESS_MAX]);
/* Show it, if that is due; rdl_cli_unshow when the wait is over. */
void rdl_cli_progress_show(const struct rdl_cli_progress *p);
/* It is, when so much has been waited. */
uint64_t rdl_cli_progress_due_ms(void);

/* ---------------------------------------------------------------- messages */

/*
 * A line of the log: how it begins, its fields (rdl_cli_json_string, ...), how it ends. As text:
 * 2026-11-24T09:11:45.123Z acquired lock="nightly" id="8cf9df55" waited_ms=3 ...
 */
enum { RDL_CLI_LOG_MAX = 20480 };
void rdl_cli_log_open(int fd, enum rdl_cli_log how, const char *lock);
/* More than one: they are an array besides. Borrowed. */
void rdl_cli_log_several(const char *const *names, size_t n);
/* -1: there is no log. */
int rdl_cli_log_fd(void);
int rdl_cli_log_is_json(void);
void rdl_cli_log_begin(struct rdl_cli_json *j, char *line, size_t cap, const char *event);
/* End it, and put it where the log goes. */
void rdl_cli_log_put(struct rdl_cli_json *j);
void rdl_cli_log_end(struct rdl_cli_json *j);

enum { RDL_CLI_QUIET = -1, RDL_CLI_NORMAL = 0, RDL_CLI_VERBOSE = 1, RDL_CLI_VERY_VERBOSE = 2 };

/*
 * Each prints one line on standard error. Bytes that would act on a terminal (rdl_cli_acting_len) become
 * question marks. If standard error is a log in JSON, the line is an event "message" there.
 *
 *     rdl_cli_print_error     redlock: ...            always
 *     rdl_cli_print_warning   redlock: warning: ...   not with -q; each warning once
 *     rdl_cli_print_info      redlock: ...            not with -q: what was asked for, and how it went
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
/* A question, on the terminal: its line is not ended. */
void rdl_cli_ask(const char *format, ...) RDL_CLI_PRINTF(1, 2);
/*
 * On the terminal, not with -q: a line in place of the one that was shown before, cut to so many columns; any
 * message takes its place, too. unshow: it is gone.
 */
void rdl_cli_show(const char *text, size_t columns);
void rdl_cli_unshow(void);
/*
 * On standard output, what was asked for. 0, or RDL_EXIT_OS, the reason said, once: it could not be written
 * (--help >/dev/full). Ends the process by SIGPIPE if nobody reads it any more.
 */
int rdl_cli_print(const char *text);
/* That as a line, what acts on a terminal replaced. */
int rdl_cli_print_line(char *text);
/*
 * A line to standard error or to one of the two other files there are (--trace, --log-fd); one of more than
 * 4096 bytes may be written in pieces. Waits for no reader.
 */
void rdl_cli_put(int fd, const char *line, size_t len);
/* Write what was kept, for reply_timeout_ms at most. 1: some of it is left. */
int rdl_cli_flush(uint32_t reply_timeout_ms);
/* Write all that, with what could not be written to the log and the trace, before the process ends. */
void rdl_cli_last_words(void);
/* After fork: it is our parent who writes it. */
void rdl_cli_forget_kept(void);

#endif
