/* SPDX-License-Identifier: MIT */
/* Directed scenarios: servers that lose their data but keep their run and their connections. Rule R28. */
#include "tests/sim/scene.h"

#include <string.h>

typedef void lose_fn(struct world *w, unsigned s);

static lose_fn *const losses[] = {host_flush, host_promote};

/* A holds all five. The clients use this guard and, with a canary, the servers have had one for long. */
static struct world *held_by_a(enum rdl_guard guard, int has_canary)
{
    struct world *w = scene(2, 5, 3000);
    scene_guard(w, guard, 3000);
    w->has_canary = (uint8_t)has_canary;
    for (unsigned s = 0; s < 5 && has_canary; s++)
        host_canary(w, s, 3600, 0);
    for (int c = 0; c < 2; c++)
        handle_init(w, scene_lock(w, c));
    if (guard == RDL_GUARD_STRICT)
        for (int i = 0; i < 3; i++) { /* runs and canaries that the client does not know yet */
            for (int c = 0; c < 2; c++)
                scene_do(w, scene_lock(w, c), ACQUIRING, 0);
            scene_go(w, 4100);
        }
    if (guard == RDL_GUARD_STRICT)
        scene_go(w, 4100);
    scene_held(w, scene_lock(w, 0));
    scene_go(w, 10);
    return w;
}

static void majority_loses_its_data(int i)
{
    struct world *w = held_by_a(i < 2 ? RDL_GUARD_REQUIRED : RDL_GUARD_STRICT, 1);
    struct handle *b = scene_lock(w, 1);
    for (unsigned s = 0; s < 3; s++)
        losses[i % 2](w, s);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    EXPECT(w, rdl_redlock_counts_at(&b->m->redlock, 0) > clock_ms(&w->client[1].clock, w->now) + 3000);
    scene_go(w, 2500);
    EXPECT(w, scene_left(w, scene_lock(w, 0)) > 0);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    scene_go(w, 2000);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK); /* it has a canary again, old enough */
    EXPECT(w, scene_do(w, b, RELEASING, 0) == RDL_OK);
}

/* A client that comes later reads the canary's age, and waits less. */
static void age_is_read(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 1);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    for (unsigned s = 0; s < 5; s++)
        host_promote(w, s);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_E_QUARANTINE); /* this creates it */
    scene_go(w, 4100);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK); /* and B has never seen it */
}

static void holder_learns_of_the_loss(int i)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 1);
    struct handle *a = scene_lock(w, 0);
    for (unsigned s = 0; s < 3; s++)
        losses[i](w, s);
    EXPECT(w, scene_do(w, a, EXTENDING, 3000) == RDL_LOST);
    EXPECT(w, scene_left(w, a) == 0);
}

/*
 * The servers no longer know the script, so it is sent twice. In between they lose all data, including A's
 * keys. The canary check after the first script proves nothing about the second.
 */
static void lost_between_two_sends(int i)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 1);
    struct handle *b = scene_lock(w, 1);
    b->opt.fencing = &rdl_fencing;
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_BUSY); /* by EVALSHA from here on */
    scene_go(w, 10);
    for (unsigned s = 0; s < 5; s++) {
        w->host[s].model.scripts = 0;
        w->link[1][s].gap_before = "EVAL";
        w->link[1][s].gap_until = w->now + 20 * MS;
    }
    scene_begin(w, b, ACQUIRING, 0);
    scene_go(w, 10);
    for (unsigned s = 0; s < 5; s++)
        losses[i](w, s);
    EXPECT(w, scene_wait(w, b) == RDL_E_QUARANTINE);
}

/*
 * A's requests are slow. B acquires two of three servers, one of these loses its data, and A's SET finds it
 * empty. A cancels after it read that reply and before it steps, so A does not know the time. A canary
 * counted now would be as old as A's SET. That server would count again while B still holds its lease.
 */
static void cancelled_before_it_stepped(void)
{
    struct world *w = scene(2, 3, 10000);
    struct handle *a = scene_lock(w, 0);
    scene_guard(w, RDL_GUARD_REQUIRED, 10000);
    w->has_canary = 1;
    for (unsigned s = 0; s < 3; s++)
        host_canary(w, s, 3600, 0);
    for (int c = 0; c < 2; c++)
        handle_init(w, scene_lock(w, c));
    a->opt.lease.attempt_ms = 2500;
    scene_ready(w);
    w->link[0][1].up_blocked = w->link[0][2].up_blocked = w->now + 2400 * MS;
    scene_begin(w, a, ACQUIRING, 0);
    scene_go(w, 2000);
    w->client[0].paused_until = w->now + 1000 * MS;
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
    host_flush(w, 2);
    scene_go(w, 450);
    client_read(w, 0);
    user_cancel(w, a);
    w->client[0].paused_until = 0;
    scene_go(w, 8700);
    EXPECT(w, scene_left(w, scene_lock(w, 1)) > 0);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_BUSY);
}

/*
 * B finds no canary, or another run's, and creates one. That request is in flight for longer than a
 * quarantine and arrives after a FLUSHALL. The canary has its time of creation, not of B's check. Otherwise
 * C, which comes then, would accept it as old enough while A counts on the lost lease.
 */
static void late_canary_has_its_time(int i)
{
    struct world *w = scene(3, 1, 3000);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1), *c = scene_lock(w, 2);
    scene_guard(w, RDL_GUARD_REQUIRED, 3000);
    w->has_canary = 1;
    for (int k = 0; k < 3; k++)
        handle_init(w, scene_lock(w, k));
    if (i == 1)
        host_promote(w, 0);
    scene_begin(w, b, ACQUIRING, 0);
    while (scene_pttl(w, 0) == -2 && !w->violation)
        world_run_until(w, w->now + 10);
    w->link[1][0].up_blocked = w->now + 5000 * MS; /* blocks what is sent from now on */
    uint64_t arrives = w->link[1][0].up_blocked;
    EXPECT(w, scene_wait(w, b) == RDL_E_QUARANTINE);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_BUSY); /* it creates a canary, too */
    scene_go(w, 4100);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    world_run_until(w, arrives - 1 * MS);
    host_flush(w, 0);
    scene_go(w, 2);
    EXPECT(w, scene_do(w, c, ACQUIRING, 0) == RDL_E_QUARANTINE);
    EXPECT(w, scene_left(w, a) > 1000);
}

/*
 * STRICT counts from when it first saw the canary. A canary of the second after the check is not another
 * loss.
 */
static void made_in_the_next_second(void)
{
    struct world *w = scene(1, 1, 3000);
    struct handle *a = scene_lock(w, 0);
    scene_guard(w, RDL_GUARD_STRICT, 3000);
    w->has_canary = 1;
    handle_init(w, a);
    for (int i = 0; i < 2; i++) { /* for the run, and for the missing canary */
        EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_E_QUARANTINE);
        scene_go(w, 4100);
    }
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    host_flush(w, 0);
    w->link[0][0].delay_us = 5000;
    while (clock_ms(&w->host[0].clock, w->now) % 1000 != 986) /* checked at 991, created at 1001 */
        scene_go(w, 1);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_E_QUARANTINE);
    scene_go(w, 4100);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
}

/* Without INFO the client does not know the run: it accepts any canary. */
static void any_canary_without_info(void)
{
    static const struct sim_features no_info = {.version = "7.0.15", .denied = " info "};
    struct world *w = scene(1, 3, 3000);
    scene_features(w, &no_info);
    for (unsigned s = 0; s < 3; s++)
        host_canary(w, s, 3600, 0);
    scene_guard(w, RDL_GUARD_IF_PERMITTED, 3000);
    w->has_canary = 1;
    handle_init(w, scene_lock(w, 0));
    EXPECT(w, scene_do(w, scene_lock(w, 0), ACQUIRING, 0) == RDL_OK);
    EXPECT(w, scene_do(w, scene_lock(w, 0), RELEASING, 0) == RDL_OK);
}

/* An extend is sent twice if the script was forgotten: the canary check follows each. */
static void resent_extend_checks_again(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 1);
    struct sim_server *m = &w->host[0].model;
    uint64_t before = m->commands;
    EXPECT(w, scene_do(w, scene_lock(w, 0), EXTENDING, 3000) == RDL_OK);
    scene_go(w, 10);
    uint64_t once = m->commands - before;
    m->scripts = 0;
    before = m->commands;
    EXPECT(w, scene_do(w, scene_lock(w, 0), EXTENDING, 3000) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, m->commands - before == once + 3); /* the refused EVALSHA, then GET and TIME */
}

/* Two servers lost their data, and the replies of one come later: their quarantines end together. */
static void quarantines_begin_together(void)
{
    struct world *w = scene(1, 2, 1000);
    struct handle *a = scene_lock(w, 0);
    scene_guard(w, RDL_GUARD_REQUIRED, 1000);
    w->has_canary = 1;
    for (unsigned s = 0; s < 2; s++)
        host_canary(w, s, 3600, 0);
    handle_init(w, a);
    scene_ready(w);
    w->link[0][1].delay_us = 5 * MS;
    for (unsigned s = 0; s < 2; s++)
        host_flush(w, s);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_E_QUARANTINE);
    scene_go(w, 2100);
    EXPECT(w, scene_do(w, a, ACQUIRING, 0) == RDL_OK);
}

static void minority_costs_nothing(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 1);
    struct handle *a = scene_lock(w, 0);
    host_flush(w, 0);
    host_promote(w, 1);
    EXPECT(w, scene_do(w, a, EXTENDING, 3000) >= 0);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    scene_go(w, 10);
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_OK);
}

/* Another client has created a canary since, whose time is an earlier one. */
static void clock_is_set_back_before_the_loss(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 1);
    for (unsigned s = 0; s < 3; s++) {
        w->host[s].clock.step_us = -(int64_t)(7200 * SECOND);
        host_flush(w, s);
        host_canary(w, s, 0, 0);
    }
    EXPECT(w, scene_do(w, scene_lock(w, 1), ACQUIRING, 0) == RDL_E_QUARANTINE);
    EXPECT(w, scene_left(w, scene_lock(w, 0)) > 0);
}

/* A list, or a long text: nothing replaces it, until an administrator deletes it. */
static void another_programs_key_is_reported(int i)
{
    static const char *const values[] = {"RPUSH rdl:canary x\r\n",
                                         "SET rdl:canary 01234567890123456789012345678901234567890\r\n"};
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 1);
    struct handle *a = scene_lock(w, 0), *b = scene_lock(w, 1);
    EXPECT(w, scene_do(w, a, RELEASING, 0) == RDL_OK);
    for (unsigned s = 0; s < 3; s++) {
        host_command(w, s, "DEL rdl:canary\r\n");
        host_command(w, s, values[i]);
    }
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_NO_QUORUM);
    EXPECT(w, rdl_redlock_error(&b->m->redlock, 0) == RDL_E_WRONGTYPE);
    for (unsigned s = 0; s < 3; s++)
        host_command(w, s, "DEL rdl:canary\r\n");
    scene_go(w, 10);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_E_QUARANTINE);
    scene_go(w, 4100);
    EXPECT(w, scene_do(w, b, ACQUIRING, 0) == RDL_OK);
}

static void flushall_without_canary(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 0);
    for (unsigned s = 0; s < 3; s++)
        host_flush(w, s);
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

static void promotion_without_canary(void)
{
    struct world *w = held_by_a(RDL_GUARD_REQUIRED, 0);
    for (unsigned s = 0; s < 3; s++)
        host_promote(w, s);
    scene_do(w, scene_lock(w, 1), ACQUIRING, 0);
}

const struct scenario scenarios_canary[] = {
    {.name = "canaries put a majority that lost its data in quarantine",
     .run_each = majority_loses_its_data,
     .times = 4},
    {.name = "a canary shows its age to other clients", .run = age_is_read},
    {.name = "without INFO any canary is accepted", .run = any_canary_without_info},
    {.name = "a resent extend checks the canary again", .run = resent_extend_checks_again},
    {.name = "a canary that arrives late carries a late time",
     .run_each = late_canary_has_its_time,
     .times = 2},
    {.name = "a new canary causes one quarantine, also for STRICT", .run = made_in_the_next_second},
    {.name = "an extend reports that a majority lost its data",
     .run_each = holder_learns_of_the_loss,
     .times = 2},
    {.name = "a resent script checks the canary again", .run_each = lost_between_two_sends, .times = 2},
    {.name = "an acquire canceled before its step sees no canary", .run = cancelled_before_it_stepped},
    {.name = "quarantines of two servers run at the same time", .run = quarantines_begin_together},
    {.name = "a minority that loses its data costs nothing", .run = minority_costs_nothing},
    {.name = "a canary with an earlier time is a new one", .run = clock_is_set_back_before_the_loss},
    {.name = "another program's key at the canary's name is reported",
     .run_each = another_programs_key_is_reported,
     .times = 2},
    {.name = "FLUSHALL on a majority, with a guard and without the canary",
     .run = flushall_without_canary,
     .kind = CONTROL},
    {.name = "a majority is demoted and promoted, without the canary",
     .run = promotion_without_canary,
     .kind = CONTROL},
    {.name = NULL},
};
