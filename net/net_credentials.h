/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief net_credentials.h - user and password from a function, for tokens that expire.
 *
 *     static struct rdl_credentials credentials;
 *
 *     rdl_credentials_init(&credentials, &endpoint, read_token, "/run/token");
 *     config.login = &credentials.login;
 *
 * The conn calls the function before each login, so a new connection has the current password. Only programs
 * that call rdl_credentials_init() link it.
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
 * It must not block for long: the conn's other requests wait, and on a host with one thread those of all
 * servers. It must not call functions of the library.
 *
 * The bytes must not change before the login is over. They must stay readable until a later call for this
 * conn replaces them, or until the conn is no longer used: the library copies none of them, and removes the
 * password from the texts of later errors. So use a buffer for each conn.
 *
 * @param ctx       as rdl_credentials_init() got it
 * @param ep        the server
 * @param user      the user of the endpoint, or of the last login. Replace it, or leave it; at most
 *                  RDL_CREDENTIAL_MAX bytes. len 0: the default user
 * @param password  the same for the password. If both are empty, no AUTH is sent
 * @return NULL; or why there is no password: then the connection fails with RDL_E_AUTH and this text, of
 *         which up to RDL_TEXT_MAX - 1 bytes are kept. That error ends an acquire that waits. So if the
 *         reason may pass soon, leave the last password
 */
typedef const char *rdl_credentials_fn(void *ctx, const struct rdl_endpoint *ep, struct rdl_bytes *user,
                                       struct rdl_bytes *password);

/** @cond private */
struct rdl_slice; /* resp_template.h */

struct rdl_login_ops {
    /* Called on each new connection, before the others; it may end the connection. NULL: nothing to do. */
    void (*begin)(struct rdl_conn *c);
    /* Returns the index-th command that ep needs, a template; or NULL, with their number taken off *index. */
    const char *(*command_at)(const struct rdl_endpoint *ep, unsigned *index);
    /* Writes it. */
    void (*write)(struct rdl_slice *w, const char *command, const struct rdl_endpoint *ep);
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
 * @param ep   the endpoint of this conn and of no other. Each login sets its user and password
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
