/* SPDX-License-Identifier: MIT */
/* resp_strerror.c - the version, and a text for every result. */
#include "resp/resp.h"

#define RESULT_TEXTS(X)                                                                                      \
    X(RDL_REMOVED, "released; the value that a waiting client had written was deleted")                      \
    X(RDL_HELD_WITH_GAP, "held again after a gap")                                                           \
    X(RDL_ADOPTED, "adopted")                                                                                \
    X(RDL_REPAIRED, "extended, and restored on servers that had lost it")                                    \
    X(RDL_RECOVERED, "taken over from a holder whose lease had expired")                                     \
    X(RDL_PENDING, "not finished")                                                                           \
    X(RDL_OK, "done")                                                                                        \
    X(RDL_E_SYNTAX, "the server does not speak RESP2 (the Redis protocol)")                                  \
    X(RDL_E_LIMIT, "the reply is too large")                                                                 \
    X(RDL_E_SPACE, "the buffer is too small for the command")                                                \
    X(RDL_E_URL, "invalid URL or address")                                                                   \
    X(RDL_E_NO_ADDRESS, "the host name has no address yet")                                                  \
    X(RDL_E_CONNECT, "cannot connect")                                                                       \
    X(RDL_E_CLOSED, "the connection was closed before the reply")                                            \
    X(RDL_E_TIMEOUT, "timed out")                                                                            \
    X(RDL_E_UNEXPECTED, "unexpected reply from the server")                                                  \
    X(RDL_E_SYSTEM, "a system call failed")                                                                  \
    X(RDL_E_RANDOM, "no source of random numbers")                                                           \
    X(RDL_E_FORKED, "a forked child must not use its parent's connection (rdl_conn_init)")                   \
    X(RDL_E_INTERRUPTED, "interrupted (rdl_posix.wake_fd)")                                                  \
    X(RDL_E_ABANDONED, "not waited for")                                                                     \
    X(RDL_E_FULL, "the request queue is full")                                                               \
    X(RDL_E_CONFIG, "the program's set-up is wrong (rdl_conn_config_fault)")                                 \
    X(RDL_E_TLS, "the TLS handshake failed")                                                                 \
    X(RDL_E_AUTH, "the login failed")                                                                        \
    X(RDL_E_PERM, "the user lacks permission for a command or a key (ACL)")                                  \
    X(RDL_E_READONLY, "the server is a read-only replica")                                                   \
    X(RDL_E_TRY_LATER, "the server cannot do this now")                                                      \
    X(RDL_E_CLUSTER, "the server is a cluster node")                                                         \
    X(RDL_E_WRONGTYPE, "a key of the lock, or rdl:canary, holds another program's value")                    \
    X(RDL_E_UNSUPPORTED, "the server does not support the command")                                          \
    X(RDL_E_DB, "the server refused the database number")                                                    \
    X(RDL_E_SERVER, "the server replied with an error")                                                      \
    X(RDL_E_NAME, "a lock's name must have 1 to 128 bytes")                                                  \
    X(RDL_E_TTL, "invalid ttl: must be at least 4 x attempt_ms, at most RDL_TTL_MAX")                        \
    X(RDL_BUSY, "the lock is held by another client")                                                        \
    X(RDL_LOST, "the lock is lost")                                                                          \
    X(RDL_EXPIRED, "the lease has expired")                                                                  \
    X(RDL_UNKNOWN, "no reply: outcome unknown")                                                              \
    X(RDL_E_FOREIGN_VALUE, "the key holds a value that is not a lock of this kind")                          \
    X(RDL_OVERWRITTEN, "a waiting client overwrote the key; it stays until its value expires")               \
    X(RDL_E_FENCE_RANGE, "the fencing token is too large for scripts (2^53 or more)")                        \
    X(RDL_E_TOKEN, "not a token (40 hex digits); locks of the old protocol have none")                       \
    X(RDL_NO_QUORUM, "too few servers gave a useful reply")                                                  \
    X(RDL_E_QUARANTINE, "too many servers restarted recently and may have lost locks")                       \
    X(RDL_E_DUPLICATE, "another address leads to the same server")                                           \
    X(RDL_E_GAP, "the lock is lost: another client may have held it in between")                             \
    X(RDL_E_CAP, "max_hold_ms or max_extensions would be exceeded")                                          \
    X(RDL_E_SHARED, "another lock was set up with the same servers[] (rdl_redlock_init)")                    \
    X(RDL_E_HELD, "the lock is already held: release it first")
#define RESULT_CODE(code, text) code,
#define RESULT_TEXT(code, text) text "\0"

/* Without pointers: the i-th text belongs to the i-th code. */
static const signed char result_codes[] = {RESULT_TEXTS(RESULT_CODE)};
static const char result_texts[] = RESULT_TEXTS(RESULT_TEXT);

const char *rdl_version(void)
{
    return RDL_VERSION;
}

const char *rdl_strerror(int result)
{
    const char *text = result_texts;
    size_t i;

    for (i = 0; i < sizeof result_codes; i++) {
        if (result_codes[i] == result)
            return text;
        while (*text++ != '\0') {
        }
    }
    return "unknown result";
}
