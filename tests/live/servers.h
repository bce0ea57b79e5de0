/* SPDX-License-Identifier: MIT */
/*
 * servers.h - real servers for tests: start them, kill them, freeze them, look into them.
 *
 * Every server has a free port on the loopback addresses, a unix socket and a directory of its own below
 * build/, and keeps nothing on disk unless told to. It dies with the process that started it, however
 * that one ends. What cannot be done fails the test at once; nothing here returns an error.
 */
#ifndef RDL_TESTS_SERVERS_H
#define RDL_TESTS_SERVERS_H

#include <stddef.h>
#include <sys/types.h>

enum { LIVE_ARGS_MAX = 32, LIVE_REPLY_MAX = 16384, LIVE_PATH_MAX = 200 };

/* Zero-initialise, set what you like in the first part, live_start. */
struct live_server {
    const char *binary;      /* NULL: $RDL_SERVER, else redis-server, found by PATH */
    const char *const *args; /* more arguments, a NULL behind the last; NULL: none */
    int may_load;            /* live_start and live_restart do not wait until it has loaded its data */
    const char *password;    /* requirepass, letters and digits; live_command logs in with it */

    int port;                       /* on 127.0.0.1 and ::1 */
    char dir[LIVE_PATH_MAX];        /* absolute, without a slash at the end */
    char socket[LIVE_PATH_MAX + 4]; /* path of the unix socket */
    pid_t pid;                      /* 0: not running */
    char reply[LIVE_REPLY_MAX];
};

/* Start it and wait until it answers. */
void live_start(struct live_server *s);
/* SIGKILL, as a crash; SIGTERM, as an orderly shutdown. Both wait for its end. */
void live_kill(struct live_server *s);
void live_stop(struct live_server *s);
/* After live_kill or live_stop: the same port, directory and arguments. */
void live_restart(struct live_server *s);
/* SIGSTOP and SIGCONT; both return when every thread of it has stopped, or goes on. */
void live_freeze(struct live_server *s);
void live_thaw(struct live_server *s);
/* Kill it if it runs and remove its directory. */
void live_remove(struct live_server *s);

/* redis://127.0.0.1:PORT, redis://[::1]:PORT, unix://SOCKET; with the password if there is one (not unix). */
enum live_way { LIVE_V4, LIVE_V6, LIVE_UNIX };
const char *live_url(const struct live_server *s, enum live_way way, char *out, size_t cap);

/*
 * Ask it something in the inline form ("GET nightly"; quotes as in redis-cli), over a connection of its
 * own that has nothing to do with the library. Returns the raw reply as text ("$-1\r\n"), valid until
 * the next one.
 */
__attribute__((format(printf, 2, 3))) const char *live_command(struct live_server *s, const char *format,
                                                               ...);

/* fork; the child is killed when the calling thread ends. */
pid_t live_fork(void);
/* The child must be gone: waits for it. */
void live_reap(pid_t pid);
/* Descriptors open in this process. */
int live_count_fds(void);

#endif
