/* SPDX-License-Identifier: MIT */
/*
 * descendants.c - processes of the command that left its process group, so that no signal to the group
 * reaches them: timeout(1), setsid(1) and a shell's `set -m` make such processes.
 *
 * /proc shows the descendants of each process. It is read process by process while others start and end, so
 * it is read until two readings agree. Orphans become our children (PR_SET_CHILD_SUBREAPER), so they can
 * still be signaled. If redlock had children before the command, or is process 1, an orphan may belong to
 * another program. Then only those count that a reading showed as descendants of the command.
 *
 * Without /proc, none are found. A /proc of another PID namespace is not used: its numbers are those of
 * other processes here.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/child/descendants.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/redlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { NAMED_MAX = 8, TICK = 16 /* TICK: processes between two readings of the clock */ };

struct process {
    pid_t pid, parent, group, session;
    unsigned long long start; /* in ticks since the host's start: with the pid it identifies the process */
    char state;
    char program[20];
    unsigned char is_below; /* a reading showed it as the command or its descendant */
    unsigned char is_signaled, is_killed, is_immune;
};

struct list {
    struct process *at; /* sorted by pid */
    size_t n, cap;
};

static struct list all;   /* all processes of this host, as last read */
static struct list below; /* the command and its descendants */
static pid_t command;     /* and its process group */
static int is_strict;     /* orphans may belong to another program */
static int is_reaper;     /* orphans of the command become our children */
static pid_t own;         /* our process id */

/* ---------------------------------------------------------------- one reading */

/* Positions of the numbers after the state in /proc/PID/stat. */
enum { PARENT, GROUP, SESSION, START = 18, NUMBERS };

static int parse_numbers(const char *at, long long out[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        out[i] = strtoll(at, &end, 10);
        if (end == at)
            return -1;
        at = end;
    }
    return 0;
}

/* Parses /proc/PID/stat. A program's name may contain anything, so it ends at the last parenthesis. */
static int parse(const char *line, struct process *p)
{
    const char *name = strchr(line, '('), *end = strrchr(line, ')');
    long long number[NUMBERS];

    memset(p, 0, sizeof *p);
    if (name == NULL || end == NULL || end < name || strlen(end) < 4 || parse_numbers(end + 3, number) != 0)
        return -1;
    p->pid = (pid_t)strtol(line, NULL, 10);
    p->state = end[2];
    p->parent = (pid_t)number[PARENT];
    p->group = (pid_t)number[GROUP];
    p->session = (pid_t)number[SESSION];
    p->start = (unsigned long long)number[START];
    snprintf(p->program, sizeof p->program, "%.*s", (int)(end - name) - 1, name + 1);
    return 0;
}

/* Returns 0, or -1 if the process has ended. */
static int read_process(long pid, struct process *p)
{
    char path[40], line[1024];

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, line, sizeof line - 1);
    close(fd);
    if (n <= 0)
        return -1;
    line[n] = '\0';
    return parse(line, p);
}

/* Adds an entry to the list. NULL: no memory. */
static struct process *add(struct list *l)
{
    if (l->n == l->cap) {
        size_t cap = l->cap == 0 ? 256 : 2 * l->cap;
        struct process *more = realloc(l->at, cap * sizeof *more);
        if (more == NULL)
            return NULL;
        l->at = more;
        l->cap = cap;
    }
    return &l->at[l->n++];
}

static int by_pid(const void *a, const void *b)
{
    const struct process *one = a, *other = b;

    return one->pid < other->pid ? -1 : one->pid > other->pid;
}

static struct process *find(const struct list *l, pid_t pid)
{
    const struct process key = {.pid = pid};

    return l->n > 0 ? bsearch(&key, l->at, l->n, sizeof *l->at, by_pid) : NULL;
}

static int is_same(const struct process *a, const struct process *b)
{
    return a->pid == b->pid && a->start == b->start;
}

/*
 * Returns how many numbers the line "NSpid:" of /proc/self/status has, one for each namespace below that of
 * /proc.
 */
static int count_namespaces(void)
{
    char text[4096];
    const char *at;
    int n = 0, fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        close(fd);
    if (len < 0)
        return 0;
    text[len] = '\0';
    at = strstr(text, "\nNSpid:");
    if (at == NULL)
        return 1; /* Linux before 4.1 */
    for (at += strlen("\nNSpid:"); *(at += strspn(at, "\t ")) >= '0' && *at <= '9'; n++)
        at += strspn(at, "0123456789");
    return n;
}

/* Returns 1 if the numbers in /proc are those of our PID namespace. */
static int is_proc_ours(void)
{
    char self[24] = "";
    ssize_t len = readlink("/proc/self", self, sizeof self - 1);

    return len > 0 && strtol(self, NULL, 10) == (long)getpid() && count_namespaces() == 1;
}

/* Opens /proc. NULL: there is none, or it is that of another namespace, which is reported once. */
static DIR *open_proc(void)
{
    static enum { NOT_CHECKED, OURS, FOREIGN } state;
    DIR *proc = state != FOREIGN ? opendir("/proc") : NULL;

    if (proc == NULL || state == OURS)
        return proc;
    if (is_proc_ours()) {
        state = OURS;
        return proc;
    }
    closedir(proc);
    state = FOREIGN;
    rdl_cli_print_warning_always(
        "/proc is that of another PID namespace: processes that leave the command's process "
        "group cannot be found, and continue when the lease ends; mount a /proc of this "
        "namespace (unshare --mount-proc)");
    return NULL;
}

/* Reads all processes of this host. Returns 0, or -1: no /proc, time or memory. */
static int read_all(uint64_t until_ms)
{
    DIR *proc = open_proc();
    size_t seen = 0;
    int rc = proc != NULL ? 0 : -1;

    all.n = 0;
    for (struct dirent *d = rc == 0 ? readdir(proc) : NULL; d != NULL && rc == 0; d = readdir(proc)) {
        struct process p, *next;
        if (d->d_name[0] < '1' || d->d_name[0] > '9')
            continue;
        if (++seen % TICK == 0 && rdl_posix_now_ms() >= until_ms)
            rc = -1;
        if (read_process(strtol(d->d_name, NULL, 10), &p) != 0)
            continue;
        next = add(&all);
        if (next != NULL)
            *next = p;
        else
            rc = -1;
    }
    if (proc != NULL)
        closedir(proc);
    if (all.at != NULL)
        qsort(all.at, all.n, sizeof *all.at, by_pid);
    return rc;
}

/* ---------------------------------------------------------------- descendants of the command */

/* Returns 1 for redlock itself and its helpers. */
static int is_ours(const struct process *p)
{
    return p->pid == own || rdl_cli_process_is_helper(p->pid) || rdl_cli_process_is_helper(p->session);
}

static int is_known(const struct process *p)
{
    const struct process *known = find(&below, p->pid);

    return known != NULL && is_same(known, p);
}

/* Returns 1 if the process, or its parent, belongs to the command. */
static int is_to_be_marked(const struct process *p)
{
    const struct process *parent = find(&all, p->parent);

    return (p->pid == command && p->parent == own) || is_known(p) || (parent != NULL && parent->is_below) ||
           (!is_strict && p->parent == own);
}

/* Marks the command's descendants. Returns how many there are. */
static size_t mark(void)
{
    size_t n = 0, before;

    do {
        before = n;
        for (size_t i = 0; i < all.n; i++) {
            if (all.at[i].is_below || is_ours(&all.at[i]) || !is_to_be_marked(&all.at[i]))
                continue;
            all.at[i].is_below = 1;
            n++;
        }
    } while (n != before);
    return n;
}

/* Stores the reading. Returns 1 if it equals the last one. */
static int take(size_t n)
{
    struct list last = below;
    int is_new = n != last.n;

    memset(&below, 0, sizeof below);
    for (size_t i = 0; i < all.n; i++) {
        struct process *p = all.at[i].is_below ? add(&below) : NULL;
        if (p == NULL)
            continue;
        *p = all.at[i];
        const struct process *known = find(&last, p->pid);
        if (known == NULL || !is_same(known, p)) {
            is_new = 1;
            continue;
        }
        p->is_signaled = known->is_signaled;
        p->is_killed = known->is_killed;
        p->is_immune = known->is_immune;
    }
    free(last.at);
    return !is_new;
}

static int has_children(void)
{
    siginfo_t info;

    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

/* Each descendant has an ancestor that is our child, as orphans become our children. */
void rdl_cli_descendants_read(pid_t group, int most, uint64_t until_ms)
{
    own = getpid();
    command = group;
    if (is_reaper && !has_children()) {
        below.n = 0;
        return;
    }
    for (int i = 0; i < most; i++)
        if (read_all(until_ms) != 0 || take(mark()))
            return;
}

void rdl_cli_descendants_begin(void)
{
#ifdef __linux__
    is_reaper = prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0;
#endif
    own = getpid();
    is_strict = own == 1;
    if (!has_children() || read_all(UINT64_MAX) != 0)
        return;
    for (size_t i = 0; i < all.n; i++)
        is_strict |= all.at[i].parent == own && !is_ours(&all.at[i]);
}

/* ---------------------------------------------------------------- signals */

/* Returns 1 if the process left the group and runs. */
static int is_stray(const struct process *p)
{
    return p->group != command && p->state != 'Z' && p->state != 'X';
}

/*
 * Returns 1 if it is still the process that was read: its parent is the same, or the command's, or redlock.
 */
static int is_unchanged(const struct process *p)
{
    struct process now;

    return read_process(p->pid, &now) == 0 && is_same(&now, p) && is_stray(&now) &&
           (now.parent == p->parent || now.parent == own || find(&below, now.parent) != NULL);
}

static void signal_one(struct process *p, int sig)
{
    int fd = rdl_cli_process_open(p->pid);

    if ((fd >= 0 || errno == ENOSYS || errno == EPERM) && is_unchanged(p)) {
        p->is_immune = rdl_cli_process_signal(fd, p->pid, sig) != 0 && errno == EPERM;
        if (p->state == 'T' && sig != SIGKILL)
            rdl_cli_process_signal(fd, p->pid, SIGCONT); /* or it gets sig only when it is continued */
    }
    if (fd >= 0)
        close(fd);
}

size_t rdl_cli_descendants_signal(int sig)
{
    size_t n = 0;

    for (size_t i = 0; i < below.n; i++) {
        struct process *p = &below.at[i];
        unsigned char *done = sig == SIGKILL ? &p->is_killed : &p->is_signaled;
        if (!is_stray(p) || *done || p->is_killed)
            continue;
        signal_one(p, sig);
        *done = 1;
        n++;
    }
    return n;
}

size_t rdl_cli_descendants_left(void)
{
    size_t n = 0;

    for (size_t i = 0; i < below.n; i++)
        n += is_stray(&below.at[i]) && !below.at[i].is_immune;
    return n;
}

int rdl_cli_descendants_names(struct rdl_cli_text *t)
{
    size_t n = 0;

    for (size_t i = 0; i < below.n; i++) {
        if (!is_stray(&below.at[i]))
            continue;
        if (n++ < NAMED_MAX)
            rdl_cli_add(t, "%s%ld (%s)", n > 1 ? ", " : "", (long)below.at[i].pid, below.at[i].program);
    }
    if (n > NAMED_MAX)
        rdl_cli_add(t, " and %zu more", n - NAMED_MAX);
    return n > 0;
}
