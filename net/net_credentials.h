/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief net_credentials.h - user and password from a function, for tokens that expire.
 *
 *     static const char *current(void *ctx, const struct rdl_endpoint *ep,
 *                                struct rdl_bytes *user, struct rdl_bytes *password)
 *     {
 *         *password = (struct rdl_bytes){latest, strlen(latest)}; // the program's current token
 *         return NULL;
 *     }
 *
 *     rdl_credentials_init(&credentials, &endpoint, current, NULL);
 *     config.login = &credentials.login;
 *
 * The conn calls the function before each login. If a token expires, an open connection stays as it is; if
 * the server ends it, the next one logs in with the current token. easy.h has the function in its options.
 * Only programs that call rdl_credentials_init() link it.
 */
#ifndef RDL_NET_CREDENTIALS_H
#define RDL_NET_CREDENTIALS_H

#include "net/net.h"

/** @addtogroup libredlock_net
 * @{ */

#ifdef __cplusplus
extern "C" {
#endif

/** Limits. */
enum {
    RDL_CREDENTIAL_MAX = 8192 /**< bytes of a user or a password from a function */
};

/**
 * Returns the user and the password for a login that begins now.
 *
 * It should return at once, from memory or a small file: meanwhile its thread serves no connection, and the
 * time of the attempt runs. It must not call functions of the library.
 *
 * The library copies none of the bytes. They must not change while a login with them may be under way, so
 * write a new token into other memory than the last one; two buffers in turn are enough. Keep the memory
 * until the conns are no longer used.
 *
 * @param ctx       as rdl_credentials_init() got it
 * @param ep        the conn's endpoint, with the server's host and port
 * @param user      has the user of the last login, or at first that of the endpoint; receives the user of
 *                  this one, at most RDL_CREDENTIAL_MAX bytes. It may stay. len 0: the default user
 * @param password  the same for the password. If both are empty, no AUTH is sent
 * @return NULL; or why there is no password: then the connection fails with RDL_E_AUTH and this text, of
 *         which up to RDL_TEXT_MAX - 1 bytes are kept. An acquire does not wait longer if too few other
 *         servers are left. If the error is temporary, return NULL and let the last password stay
 */
typedef const char *rdl_credentials_fn(void *ctx, const struct rdl_endpoint *ep, struct rdl_bytes *user,
                                       struct rdl_bytes *password);

/** @cond private */
struct rdl_handshake_ops; /* net_private.h */

struct rdl_login_ops {
    const struct rdl_handshake_ops *handshake; /* &rdl_handshake */
    /* Called on each new connection, before the others; it may end the connection. NULL: nothing to do. */
    void (*begin)(struct rdl_conn *c);
    /* Returns the index-th command that ep needs, a template; or NULL, with their number taken off *index. */
    const char *(*command_at)(const struct rdl_endpoint *ep, unsigned *index);
    /* Evaluates the reply to it. Returns RDL_OK, or the error that ends the connection. */
    int (*on_reply)(struct rdl_conn *c, const char *command);
};
/** @endcond */

/** A login whose user and password come from a function. Its other members are private. */
struct rdl_credentials {
    struct rdl_login_ops login; /**< for rdl_conn_config.login */
    /** @cond private */
    struct rdl_endpoint *endpoint;
    rdl_credentials_fn *get;
    void *ctx;
    /** @endcond */
};

/**
 * Sets up a login for one conn. Never blocks.
 *
 * @param cr   the login; it must stay valid as long as the conn exists, and belongs to no other conn
 * @param ep   the conn's endpoint, which no other conn may use. Each login sets ep->user and ep->password
 * @param get  the function
 * @param ctx  passed to it
 */
void rdl_credentials_init(struct rdl_credentials *cr, struct rdl_endpoint *ep, rdl_credentials_fn *get,
                          void *ctx);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
