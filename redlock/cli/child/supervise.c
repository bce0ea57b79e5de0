/* SPDX-License-Identifier: MIT */
/*
 * Supervises the command: this loop renews the lease and forwards signals. If the lease is not renewed, it
 * stops the command before the lease ends:
 *
 *     ... renewals ...   until - grace      until - margin       until
 *                        TERM to the group  KILL to the group    another client may hold the lock
 *
 * The lock belongs to the command. When the command exits, the rest of its process group gets TERM and,
 * after the grace period, KILL. Only then the lock is released, or left for the rest of --keep. flock, with
 * its inherited descriptor, holds the lock as long as any process of the group lives. Then one forgotten
 * helper would keep the lock for ever.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/child/child.h"
#include "redlock/cli/child/command.h"
#include "redlock/cli/child/descendants.h"
#include "redlock/cli/child/guardian.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/output/output.h"
#include "redlock/cli/process/process.h"
#include "redlock/cli/servers/servers.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LOOK_MS = 50,        /* how often to check what no signal reports: an empty group, the terminal */
    UNKILLABLE_MS = 5000 /* how long to wait for a killed group, not for the command itself */
};

enum phase {
    RUNNING,  /* the command runs */
    LEFTOVER, /* it exited; the rest of its group got TERM */
    STOPPING, /* the lease will end: the group got TERM */
    KILLED    /* the group was killed */
};

/* Events, from the clock and from the command. */
enum event {
    LEASE_OVER,  /* until - margin */
    PHASE_OVER,  /* the time of the phase is over */
    LEASE_SHORT, /* until - grace */
    EXITED       /* the command exited; its group is not empty */
};

struct run {
    struct rdl_cli_lock *lock;
    struct rdl_cli_guardian guardian;
    struct rdl_cli_held held;
    uint64_t next_ms; /* when the phase is over; RUNNING has no end */
    pid_t child;      /* and its process group */
    int status;       /* the child's status, when it exited */
    int exited;
    int stopped; /* the signal that stopped it, or 0 */
    int suspend; /* SIGTSTP was forwarded, and no SIGCONT since */
    int spent;   /* the command was stopped because --max-hold was over */
    int immune;  /* the rest of the group belongs to another user */
    enum phase phase;
    uint64_t strays_ms; /* when to read the strays next */
    int is_ahead;       /* the lease ends, and the descendants were read */
    int strays;         /* it was printed that some left the group */
};

/* ---------------------------------------------------------------- the lease */

/*
 * Records that the lease ends soon. With --max-hold that is intended, and no loss, even if redlock was
 * stopped when a renewal was due.
 */
static void expire(struct run *r)
{
    char time[RDL_CLI_DURATION_MAX];

    if (!rdl_cli_lease_is_capped(r->lock, rdl_cli_now(r->lock)) || r->held.until_ms == 0) {
        rdl_cli_held_lose(&r->held, "the lease could not be renewed; stopping the command");
        return;
    }
    if (!r->spent && !r->exited) {
        rdl_cli_print_error("%s has reached --max-hold (%s): stopping the command", r->lock->o->lock,
                            rdl_cli_duration_text(r->lock->o->max_hold_ms, time));
        rdl_cli_event(r->lock, RDL_CLI_LOSING, "--max-hold is over", -1);
    }
    r->spent |= !r->exited;
}

static void renew(struct run *r)
{
    if (rdl_cli_held_renew(&r->held) && !r->exited) /* its pid may be another process's by now */
        rdl_cli_guardian_update(&r->guardian, -r->child, r->held.until_ms);
}

/* ---------------------------------------------------------------- the processes */

/*
 * Records that the group cannot be signaled: a process that changed its real user accepts no signal from us.
 * kill() fails only if the group has no other process, so it is tried again when the others are gone.
 */
static void immune(struct run *r)
{
    const char *name = r->lock->o->lock;

    if (r->phase == RUNNING) {
        rdl_cli_print_warning("cannot send a signal to the command: it runs as another user");
        return;
    }
    if (r->immune)
        return;
    r->immune = 1;
    if (r->exited)
        rdl_cli_print_error("cannot stop processes that the command started: they run as another user and "
                            "continue without %s",
                            name);
    else
        rdl_cli_print_error(
            "cannot stop the command: it runs as another user and continues without %s; stop it by hand",
            name);
}

static void tell_group(struct run *r, int sig)
{
    int is_asleep = r->stopped != 0 || r->suspend;

    if (!rdl_cli_child_kill(r->child, sig))
        immune(r);
    if (is_asleep && sig != SIGTSTP && sig != SIGCONT)
        rdl_cli_child_kill(r->child, SIGCONT); /* or a stopped process gets sig only later */
    r->suspend = sig == SIGTSTP;
}

static void forward(struct run *r)
{
    for (int sig = rdl_cli_signals_next(); sig != 0; sig = rdl_cli_signals_next()) {
        if (sig == SIGCHLD || r->exited)
            continue;
        if (sig == SIGTSTP &&
            (r->stopped != 0 || r->suspend)) /* the only key left: it continues what it stopped */
            sig = SIGCONT;
        rdl_cli_print_verbose("signal %d forwarded", sig);
        tell_group(r, sig);
    }
}

static int child_status(const struct run *r)
{
    return WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);
}

static void child_changed(struct run *r, int status)
{
    r->stopped = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
    if (r->stopped != 0)
        rdl_cli_child_stopped(r->child, r->stopped);
    if (WIFCONTINUED(status))
        r->suspend = 0;
    if (!WIFEXITED(status) && !WIFSIGNALED(status))
        return;
    r->exited = 1;
    r->status = status;
    rdl_cli_event(r->lock, RDL_CLI_CHILD_EXIT, NULL, child_status(r));
    rdl_cli_child_take_terminal(r->child);
}

/*
 * Handles the guardian's end. It ends by itself only half a margin before the end of the lease. Before the
 * kill this is a loss: we were stopped, and the guardian did our work. After the kill it is none, and
 * came_late decides: with --max-hold nothing renews the lease, so the guardian ends while the processes do. A
 * guardian that was killed is replaced at once, while the lease lasts.
 */
static void guardian_ended(struct run *r, int status)
{
    r->guardian.pid = 0;
    if (WIFEXITED(status) && r->phase == KILLED)
        return;
    if (WIFEXITED(status)) {
        r->held.until_ms = 0;
        rdl_cli_held_lose(&r->held, "its lease has expired");
        return;
    }
    rdl_cli_guardian_replace(&r->guardian, r->lock->o->ttl_ms, -r->child, r->held.until_ms);
}

/* Handles the end of a helper process. */
static void helper_reaped(pid_t pid, int status)
{
    rdl_cli_lookup_reaped(pid);
    rdl_cli_connect_reaped(pid, status);
}

static void reap(struct run *r)
{
    int is_to_reap = rdl_cli_signals_is_child(), status;
    pid_t pid;

    while (is_to_reap && (pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0) {
        if (pid == r->child)
            child_changed(r, status);
        else if (pid == r->guardian.pid && (WIFEXITED(status) || WIFSIGNALED(status)))
            guardian_ended(r, status);
        else if (WIFEXITED(status) || WIFSIGNALED(status))
            helper_reaped(pid, status);
    }
    if (r->stopped == SIGTTIN ||
        r->stopped == SIGTTOU) /* the terminal may be ours by now (fg): no signal reports it */
        rdl_cli_child_stopped(r->child, r->stopped);
}

/* ---------------------------------------------------------------- strays */

enum {
    READINGS = 4,  /* readings of /proc until two agree: with constant forks they never do */
    WARN_MS = 1000 /* how long they may take when the lease is no longer at stake */
};

/* Returns 1 if strays must end with the group: the lease ends. Otherwise they were left on purpose. */
static int are_strays_stopped(const struct run *r)
{
    return r->held.lost || r->spent;
}

static void print_strays(struct run *r)
{
    char names[400] = "";
    struct rdl_cli_text t = {names, sizeof names, 0};

    if (r->strays || !rdl_cli_descendants_names(&t))
        return;
    r->strays = 1;
    rdl_cli_print_warning("also stopping processes that left the command's process group: %s", names);
}

/* Signals the known strays that did not get this signal before. */
static void signal_strays(struct run *r, int sig)
{
    if (are_strays_stopped(r) && rdl_cli_descendants_signal(sig) > 0)
        print_strays(r);
}

static void warn_of_strays(struct run *r)
{
    char names[400] = "";
    struct rdl_cli_text t = {names, sizeof names, 0};

    rdl_cli_descendants_read(r->child, READINGS, rdl_cli_now(r->lock) + WARN_MS);
    if (!rdl_cli_descendants_names(&t))
        return;
    if (are_strays_stopped(r))
        rdl_cli_print_error(
            "cannot stop processes that left the command's process group; they continue without %s: %s",
            r->lock->o->lock, names);
    else
        rdl_cli_print_warning(
            "the command has ended, but processes that left its process group continue without %s: "
            "%s; let the command wait for them",
            r->lock->o->lock, names);
}

/* ---------------------------------------------------------------- phases */

static void leave_behind(struct run *r)
{
    rdl_cli_print_warning(
        "the command has ended, but not all its processes: stopping them before %s is released",
        r->lock->o->lock);
}

/* All decisions: in a phase, an event leads to a next phase, with a signal and a message. */
static const struct step {
    enum phase in;
    enum event when;
    enum phase to;
    int sig;
    void (*say)(struct run *);
} steps[] = {
    /* clang-format off: a table */
    {RUNNING, LEASE_OVER, KILLED, SIGKILL, expire},     {RUNNING, LEASE_SHORT, STOPPING, SIGTERM, expire},
    {RUNNING, EXITED, LEFTOVER, SIGTERM, leave_behind}, {LEFTOVER, LEASE_OVER, KILLED, SIGKILL, expire},
    {LEFTOVER, PHASE_OVER, KILLED, SIGKILL, NULL},      {STOPPING, LEASE_OVER, KILLED, SIGKILL, expire},
    {STOPPING, PHASE_OVER, KILLED, SIGKILL, NULL},
    /* clang-format on */
};

enum { STEPS = sizeof steps / sizeof steps[0] };

/* Returns the time this many ms before the end of the lease; 0 if it is lost. */
static uint64_t before_end(const struct run *r, uint32_t ms)
{
    return r->held.until_ms > ms ? r->held.until_ms - ms : 0;
}

static uint64_t kill_at(const struct run *r)
{
    return before_end(r, rdl_cli_margin_ms(r->lock->o->ttl_ms));
}

static int has_come(const struct run *r, enum event event, uint64_t now)
{
    switch (event) {
    case LEASE_OVER:
        return now >= kill_at(r);
    case PHASE_OVER:
        return now >= r->next_ms;
    case LEASE_SHORT:
        return now >= before_end(r, r->lock->o->grace_ms);
    case EXITED:
        break;
    }
    return r->exited;
}

static uint64_t end_of(const struct run *r, enum phase phase, uint64_t now)
{
    return phase == LEFTOVER   ? now + r->lock->o->grace_ms
           : phase == STOPPING ? kill_at(r)
                               : now + UNKILLABLE_MS;
}

/*
 * Returns when a reading of the strays must end. It must not delay the kill and, after it, must leave time to
 * see the end of the group before that of the lease.
 */
static uint64_t reading_end(const struct run *r, uint64_t now)
{
    uint64_t end_ms = r->phase == KILLED ? r->held.until_ms : kill_at(r);

    if (r->phase == KILLED && now >= end_ms)
        return now + WARN_MS;
    return now < end_ms ? now + (end_ms - now) / 2 : now;
}

static void read_strays(const struct run *r, int most, uint64_t now)
{
    uint64_t end_ms = reading_end(r, now);

    if (are_strays_stopped(r) && now < end_ms)
        rdl_cli_descendants_read(r->child, most, end_ms);
}

/* Takes the first step of the table that applies. */
static void advance(struct run *r, uint64_t now)
{
    if (r->phase != RUNNING && !rdl_cli_child_kill(r->child, 0))
        immune(r);
    for (const struct step *step = steps; step < steps + STEPS; step++) {
        if (step->in != r->phase || !has_come(r, step->when, now))
            continue;
        if (step->say != NULL)
            step->say(r);
        r->phase = step->to;
        r->next_ms = end_of(r, step->to, now);
        if (step->sig != SIGKILL)
            read_strays(r, READINGS, now);
        tell_group(r, step->sig);
        signal_strays(r, step->sig);
        r->strays_ms = 0;
        if (step->sig == SIGKILL)
            return; /* reap what was killed before the next reading */
        break;
    }
    if (r->phase == RUNNING || now < r->strays_ms)
        return;
    read_strays(r, 1, now);
    signal_strays(r, r->phase == KILLED ? SIGKILL : SIGTERM);
    r->strays_ms = now + LOOK_MS;
}

/*
 * Returns when to read the strays. The kill of the group does not wait for a reading, and a reading must
 * show the descendants before their group is killed. So the last moment is one margin before the kill.
 */
static uint64_t read_at(const struct run *r)
{
    return before_end(r, 2 * rdl_cli_margin_ms(r->lock->o->ttl_ms));
}

static void look_ahead(struct run *r, uint64_t now)
{
    if (r->phase != RUNNING || r->exited || now < read_at(r)) {
        r->is_ahead = 0;
        return;
    }
    if (!r->is_ahead)
        rdl_cli_descendants_read(r->child, READINGS, kill_at(r));
    r->is_ahead = 1;
}

/* Returns 1 if the command and its group are gone, or cannot be ended. */
static int is_group_over(const struct run *r, uint64_t now)
{
    if (!r->exited)
        return 0;
    return rdl_cli_child_group_is_empty(r->child) || (r->phase == KILLED && now >= r->next_ms);
}

/* Returns 1 if the strays are gone, or need not end. */
static int are_strays_over(const struct run *r, uint64_t now)
{
    if (!are_strays_stopped(r) || (r->phase == KILLED && now >= r->next_ms))
        return 1;
    read_strays(r, 1, now);
    return rdl_cli_descendants_left() == 0;
}

/*
 * Records the loss of the lease if we were stopped until the guardian killed the group, or longer. Then it
 * is not known whether the command ended by itself, and when.
 */
static void came_late(struct run *r, uint64_t now)
{
    if (now >= before_end(r, r->phase <= LEFTOVER ? r->guardian.early_ms : 0))
        rdl_cli_held_lose(&r->held, "its lease expired before the command was seen to end");
}

/* Returns when to check again even if nothing happens. */
static uint64_t wake_ms(const struct run *r, uint64_t now)
{
    const struct rdl_cli_options *o = r->lock->o;
    uint64_t at = r->phase == RUNNING && r->stopped == 0 ? UINT64_MAX
                  : r->phase == KILLED                   ? now + rdl_cli_margin_ms(o->ttl_ms) / 4
                                                         : now + LOOK_MS;
    uint64_t renewal = rdl_cli_held_wake_ms(&r->held, now);

    if (renewal < at)
        at = renewal;
    if (r->phase == RUNNING && before_end(r, o->grace_ms) < at)
        at = before_end(r, o->grace_ms);
    if (r->phase == RUNNING && !r->is_ahead && read_at(r) < at)
        at = read_at(r);
    if (r->phase != RUNNING && r->next_ms > now && r->next_ms < at) /* killed, but not gone yet: LOOK_MS */
        at = r->next_ms;
    if (r->phase <= LEFTOVER &&
        r->held.until_ms - rdl_cli_margin_ms(o->ttl_ms) < at) /* no grace, or too short */
        at = r->held.until_ms - rdl_cli_margin_ms(o->ttl_ms);
    return at;
}

static void loop(struct run *r)
{
    for (;;) {
        forward(r);
        reap(r);
        uint64_t now = rdl_cli_now(r->lock);
        if (is_group_over(r, now)) {
            came_late(r, rdl_cli_now(r->lock));
            if (are_strays_over(r, now))
                return;
        }
        renew(r);
        now = rdl_cli_now(r->lock);
        look_ahead(r, now);
        advance(r, now);
        rdl_cli_lease_turn(r->lock, wake_ms(r, now), 1);
        rdl_cli_warn_servers(r->lock); /* about servers that replied late */
    }
}

/* ---------------------------------------------------------------- everything together */

/* Returns 1 if --keep applies: the command ran, and we did not have to stop it. */
static int is_kept(const struct run *r)
{
    return !r->held.lost && !r->spent && rdl_cli_child_was_run() &&
           rdl_cli_keep(r->lock, "the command has ended");
}

/* Returns 1 if --once has to record the tick, and could not. */
static int is_unrecorded(struct run *r)
{
    int is_success = WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0 && !r->held.lost && !r->spent;

    return r->lock->o->once != NULL && r->lock->o->once_at == RDL_CLI_ONCE_AT_SUCCESS && is_success &&
           !rdl_cli_once_record(&r->held);
}

int rdl_cli_supervise(struct rdl_cli_lock *l)
{
    struct run r;
    int status;

    memset(&r, 0, sizeof r);
    r.lock = l;
    rdl_cli_held_begin(&r.held, l);
    if (l->o->once != NULL && !rdl_cli_once_may_start(&r.held, &status))
        return status;
    rdl_cli_descendants_begin();
    if (rdl_cli_guardian_start(&r.guardian, l->o->ttl_ms, 0, 0) != 0)
        return rdl_cli_give_back_refused(l, "start the guardian process");
    r.child = rdl_cli_child_start(l, &r.guardian);
    if (r.child < 0) {
        int rc = rdl_cli_give_back_refused(l, "start a process for the command");
        rdl_cli_guardian_stop(&r.guardian);
        return rc;
    }
    loop(&r);
    rdl_cli_guardian_stop(&r.guardian);
    int unrecorded = is_unrecorded(&r);
    if (!is_kept(&r))
        r.held.lost |= rdl_cli_give_back(l, r.held.lost);
    warn_of_strays(&r);
    if (!r.held.lost && !r.spent && WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGINT)
        rdl_cli_signals_die(SIGINT); /* a shell also gets 130 from this, and ends its loop or script */
    return r.held.lost || unrecorded ? RDL_EXIT_LOST : r.spent ? RDL_EXIT_MAX_HOLD : child_status(&r);
}
