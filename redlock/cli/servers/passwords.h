/* SPDX-License-Identifier: MIT */
/* passwords.h - reading, hiding and removing passwords. */
#ifndef RDL_CLI_SERVERS_PASSWORDS_H
#define RDL_CLI_SERVERS_PASSWORDS_H

#include "redlock/cli/options/options.h"
#include "redlock/redlock.h"

/* Whose password it is. */
enum rdl_cli_secret { RDL_CLI_OF_SERVERS, RDL_CLI_OF_SENTINELS, RDL_CLI_SECRETS };

/*
 * Reads the password that all servers get instead of the one in their URL, or all sentinels. It is the first
 * that exists of --password-file or $REDLOCK_PASSWORD_FILE, --password-fd, $REDLOCK_PASSWORD, $REDISCLI_AUTH;
 * or of --sentinel-password-file or $REDLOCK_SENTINEL_PASSWORD_FILE, $REDLOCK_SENTINEL_PASSWORD. If none
 * does, *password has len 0. The storage is static. Returns 0, or an exit status after it printed the reason.
 */
int rdl_cli_secret_read(const struct rdl_cli_options *o, enum rdl_cli_secret which,
                        struct rdl_bytes *password);

/* Returns 1 if the password came from a regular file, which is read again at each login. */
int rdl_cli_secret_is_file(enum rdl_cli_secret which);

/*
 * Reads the file again. Returns 1 if the password has changed; it is then copied to `to`, if that is not
 * NULL, and *password is set. Returns 0 if it has not, or if the file cannot be read or is not regular.
 */
int rdl_cli_secret_reread(const char *path, struct rdl_bytes *password, char to[RDL_CLI_SECRET_MAX]);

/*
 * Copies text to out and removes the password from it. It does so where the text repeats a server's error
 * (`said`, from rdl_conn_text), even if the password was cut off at the end. It adds "..." where the library
 * may have cut the error. redlock's own words around it stay as they are.
 */
void rdl_cli_secret_scrub(const char *text, const char *said, struct rdl_bytes secret, char *out, size_t cap);

/*
 * Removes the variables whose passwords were used from our environment, and so from the command's. What
 * redlock did not use is another program's, and stays.
 */
void rdl_cli_secret_clean_env(const struct rdl_cli_options *o);

/*
 * Sets $REDLOCK_PASSWORD_FILE and $REDLOCK_SENTINEL_PASSWORD_FILE for the command, as absolute paths, if the
 * passwords came from regular files.
 */
void rdl_cli_secret_set_files(const struct rdl_cli_options *o);

/*
 * Prevents core files of this process, and debuggers of the same user. unharden undoes it for the child,
 * before exec; exec ends the rest.
 */
void rdl_cli_harden(void);
void rdl_cli_unharden(void);

#endif
