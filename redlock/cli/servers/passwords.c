/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/servers/passwords.h"
#include "lock/lock_line.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/redlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    PATH_LEN = 4096,
    READ_MAX = RDL_CLI_SECRET_MAX + 3 /* with a line end, and one byte too many */
};

struct secret {
    char buffer[READ_MAX];
    const char *variable; /* the one that contained the password; NULL: none did */
    int is_regular_file;  /* the password came from a regular file */
};

static struct secret secrets[RDL_CLI_SECRETS];
static struct rlimit core_limit;
static int hardened;

/* ---------------------------------------------------------------- where from */

/* Reads all into text, without one line end. Returns the length; 0: `why` has the reason. */
static size_t read_all(int fd, char text[READ_MAX], const char **why)
{
    ssize_t n = rdl_cli_file_read_all(fd, text, READ_MAX);
    size_t len = rdl_cli_line_len(text, n > 0 ? (size_t)n : 0);

    *why = n < 0 ? strerror(errno) : NULL;
    if (*why == NULL && len > RDL_CLI_SECRET_MAX)
        *why = "it is longer than 8192 bytes";
    if (*why == NULL)
        *why = len == 0 ? "it is empty" : rdl_cli_line_fault(text, len);
    return *why == NULL ? len : 0;
}

/*
 * Closes a descriptor, but keeps the numbers of standard input, output and error in use. Otherwise the next
 * file would become the command's input, or our messages would go to a server.
 */
static void let_go(int fd)
{
    int null = fd > STDERR_FILENO ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0 || dup2(null, fd) != fd) /* the command inherits this copy */
        close(fd);
    if (null >= 0)
        close(null);
}

static int take_fd(struct secret *s, int fd, const char *what, struct rdl_bytes *password)
{
    const char *why;
    size_t len = read_all(fd, s->buffer, &why);

    let_go(fd);
    if (len == 0)
        return rdl_cli_fail(RDL_EXIT_NOINPUT, "cannot read the password from %s: %s", what, why);
    password->data = s->buffer;
    password->len = len;
    return 0;
}

static int take_file(struct secret *s, const struct rdl_cli_options *o, const char *path,
                     struct rdl_bytes *password)
{
    const char *why;
    struct stat st;
    int fd = rdl_cli_file_read(path, rdl_cli_options_fifo_until_ms(o), &why);

    if (fd < 0)
        return rdl_cli_fail(RDL_EXIT_NOINPUT, "cannot open the password file %s: %s", path, why);
    s->is_regular_file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (s->is_regular_file && (st.st_mode & S_IROTH) != 0)
        rdl_cli_print_warning("every user can read the password file %s: chmod 600 it", path);
    return take_fd(s, fd, path, password);
}

static int take_env(struct secret *s, const char *name, struct rdl_bytes *password)
{
    const char *value = getenv(name);
    size_t len = value == NULL ? 0 : rdl_cli_line_len(value, strlen(value));

    if (len > RDL_CLI_SECRET_MAX)
        return rdl_cli_fail(RDL_EXIT_NOINPUT, "the password in $%s is longer than %d bytes", name,
                            RDL_CLI_SECRET_MAX);
    if (len > 0) {
        memcpy(s->buffer, value, len);
        s->variable = name;
    }
    password->data = s->buffer;
    password->len = len;
    return 0;
}

static const char *file_of(const struct rdl_cli_options *o, enum rdl_cli_secret which)
{
    return which == RDL_CLI_OF_SERVERS ? o->password_file : o->sentinel_password_file;
}

int rdl_cli_secret_read(const struct rdl_cli_options *o, enum rdl_cli_secret which,
                        struct rdl_bytes *password)
{
    struct secret *s = &secrets[which];
    int rc;

    if (file_of(o, which) != NULL)
        return take_file(s, o, file_of(o, which), password);
    if (which == RDL_CLI_OF_SENTINELS)
        return take_env(s, "REDLOCK_SENTINEL_PASSWORD", password);
    if (o->password_fd >= 0)
        return take_fd(s, o->password_fd, "--password-fd", password);
    rc = take_env(s, "REDLOCK_PASSWORD", password);
    if (rc == 0 && password->len == 0)
        rc = take_env(s, "REDISCLI_AUTH", password);
    return rc;
}

int rdl_cli_secret_is_file(enum rdl_cli_secret which)
{
    return secrets[which].is_regular_file;
}

int rdl_cli_secret_reread(const char *path, struct rdl_bytes *password, char to[RDL_CLI_SECRET_MAX])
{
    static char text[READ_MAX];
    struct stat st;
    const char *why;
    size_t len = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may have become a FIFO */

    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        len = read_all(fd, text, &why);
    close(fd);
    int is_new = len > 0 && (len != password->len || memcmp(text, password->data, len) != 0);
    if (is_new && to != NULL) {
        memcpy(to, text, len);
        *password = (struct rdl_bytes){to, len};
    }
    memset(text, 0, sizeof text);
    return is_new;
}

/* ---------------------------------------------------------------- removing them */

/* Overwrites a variable and removes it. */
static void clean(const char *name)
{
    char *value = getenv(name);

    if (value == NULL)
        return;
    memset(value, 0, strlen(value));
    unsetenv(name);
}

void rdl_cli_secret_clean_env(const struct rdl_cli_options *o)
{
    const char *urls = o->urls_from != NULL ? getenv(o->urls_from + 1) : NULL;

    for (size_t k = 0; k < RDL_CLI_SECRETS; k++)
        if (secrets[k].variable != NULL)
            clean(secrets[k].variable);
    if (urls != NULL && strchr(urls, '@') != NULL)
        clean(o->urls_from + 1);
}

static void set_file(const char *name, const char *file, int is_regular_file)
{
    char path[2 * PATH_LEN];
    char here[PATH_LEN];

    if (file == NULL || !is_regular_file) {
        if (file != NULL) /* a FIFO has been read */
            unsetenv(name);
        return;
    }
    if (file[0] == '/')
        setenv(name, file, 1);
    else if (getcwd(here, sizeof here) != NULL &&
             snprintf(path, sizeof path, "%s/%s", here, file) < (int)sizeof path)
        setenv(name, path, 1);
}

void rdl_cli_secret_set_files(const struct rdl_cli_options *o)
{
    set_file("REDLOCK_PASSWORD_FILE", o->password_file, secrets[RDL_CLI_OF_SERVERS].is_regular_file);
    set_file("REDLOCK_SENTINEL_PASSWORD_FILE", o->sentinel_password_file,
             secrets[RDL_CLI_OF_SENTINELS].is_regular_file);
}

/* Returns a byte as rdl_conn_text shows it. */
static char shown(char c)
{
    return c < ' ' || c > '~' ? '?' : c;
}

static int is_at(const char *text, size_t left, struct rdl_bytes secret)
{
    const char *word = secret.data;
    size_t i = 0;
    /* a text that was cut may end inside the secret */
    size_t len = left < secret.len ? left : secret.len;
    if (word == NULL)
        return 0;
    while (i < len && text[i] == shown(word[i]))
        i++;
    return len > 0 && (len == secret.len || len >= 4) && i == len;
}

struct out {
    char *text;
    size_t cap;
    size_t n;
};

static void scrub(const char *text, size_t len, struct rdl_bytes secret, struct out *o)
{
    while (len > 0 && o->n + 4 < o->cap) {
        size_t n = 1;
        if (is_at(text, len, secret)) {
            n = len < secret.len ? len : secret.len;
            memcpy(o->text + o->n, "***", 3);
            o->n += 3;
        } else {
            o->text[o->n++] = *text;
        }
        text += n;
        len -= n;
    }
    o->text[o->n] = '\0';
}

void rdl_cli_secret_scrub(const char *text, const char *said, struct rdl_bytes secret, char *out, size_t cap)
{
    const struct rdl_bytes none = {NULL, 0};
    struct out o = {out, cap, 0};
    const char *from = said[0] != '\0' ? strstr(text, said) : NULL;
    size_t before = from != NULL ? (size_t)(from - text) : strlen(text);

    scrub(text, before, none, &o);
    if (from == NULL)
        return;
    scrub(from, strlen(said), rdl_line_is_own_text(said) ? none : secret, &o);
    if (strlen(said) == RDL_TEXT_MAX - 1) /* it may have been cut */
        scrub("...", 3, none, &o);
    scrub(from + strlen(said), strlen(from + strlen(said)), none, &o);
}

void rdl_cli_harden(void)
{
    struct rlimit none;

    if (hardened || getrlimit(RLIMIT_CORE, &core_limit) != 0)
        return;
    none = core_limit;
    none.rlim_cur = 0;
    hardened = setrlimit(RLIMIT_CORE, &none) == 0;
#ifdef __linux__
    prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
#endif
}

void rdl_cli_unharden(void)
{
    if (hardened)
        setrlimit(RLIMIT_CORE, &core_limit);
}
