/* SPDX-License-Identifier: MIT */
/*
 * The users of locks: they acquire, hold with the renewal timer or by hand, release, and change their plans.
 */
#include "lock/lock_lease.h"
#include "tests/sim/sim.h"

/* Each user has its own stream: what one does does not change the others. */
static struct rng *dice(struct world *w, const struct handle *h)
{
    return &w->client[h->client].dice[h->index];
}

static const char *const operation[] = {"?", "acquire", "held", "extend", "release"};

static int has_stopped(const struct world *w)
{
    return w->now >= w->stop_us;
}

/*
 * When the user wants a lock next. Once the faults are over all users hurry, so that liveness can be checked.
 */
uint64_t user_next(const struct world *w, struct rng *r)
{
    uint64_t at = w->now + rng_below(r, w->think_us), heal = w->opt.heal_us;
    uint64_t latest = (w->now > heal ? w->now : heal) + rng_below(r, 1200 * MS);
    return at < latest ? at : latest;
}

static void think(struct world *w, struct handle *h)
{
    h->state = IDLE;
    h->cancel_at = NEVER;
    h->act_at = w->opt.is_scripted ? NEVER : user_next(w, dice(w, h));
}

/*
 * Half of the users stop their work before the lease ends: early enough that it has stopped by then, even if
 * they wait for an extend. In a scenario nobody does.
 */
static uint32_t grace_of(const struct world *w, const struct handle *h)
{
    const struct rdl_lock_options *opt = &h->opt.lease;
    uint32_t most_ms = opt->attempt_ms != 0 ? opt->attempt_ms : opt->ttl_ms / 4;
    return !w->opt.is_scripted && (h->client + h->index) % 2 ? 2 * most_ms : 0;
}

static void begin_holding(struct world *w, struct handle *h, uint64_t now_ms)
{
    struct rng *r = dice(w, h);
    uint64_t most = w->now >= w->opt.heal_us ? 200 * MS : w->hold_us;
    h->state = HELD;
    h->cancel_at = NEVER;
    h->uses_renewal = (uint8_t)rng_chance(r, 500);
    h->hold_until = w->now + rng_below(r, h->uses_renewal ? 2 * most : most);
    h->act_at = rng_chance(r, 500) ? h->hold_until : w->now + rng_below(r, most);
    if (w->opt.is_scripted) {
        h->uses_renewal = 0;
        h->hold_until = h->act_at = NEVER;
    }
    rdl_renewal_renewed(&h->renewal, h->ttl_ms, grace_of(w, h), handle_until_ms(h), now_ms);
}

static void goes_on_holding(struct world *w, struct handle *h, int result, uint64_t now_ms)
{
    h->state = HELD;
    h->cancel_at = NEVER;
    h->act_at = h->hold_until;
    if (handle_is_adopting(h)) { /* no server has confirmed it yet */
        h->act_at = w->now + rng_below(dice(w, h), 50 * MS);
        return;
    }
    if (result == RDL_ADOPTED && !w->opt.is_scripted)
        h->uses_renewal = (uint8_t)rng_chance(dice(w, h), 500);
    if (result >= 0)
        rdl_renewal_renewed(&h->renewal, h->ttl_ms, grace_of(w, h), handle_until_ms(h), now_ms);
    else
        rdl_renewal_failed(&h->renewal, now_ms);
}

static void count(struct world *w, int state, int result)
{
    struct counts *n = &w->counts;
    if (result >= 0) {
        if (state == ACQUIRING) {
            n->acquired++;
            w->last_acquired = w->now;
            w->acquired_after_heal += w->now >= w->opt.heal_us;
        } else {
            *(state == EXTENDING ? &n->extended : &n->released) += 1;
            n->adopted += result == RDL_ADOPTED;
        }
        return;
    }
    n->busy += result == RDL_BUSY;
    n->no_quorum += result == RDL_NO_QUORUM;
    n->expired += result == RDL_EXPIRED;
    n->lost += result == RDL_LOST;
    n->unknown += result == RDL_UNKNOWN;
}

/* By this result the lock is neither held nor requested any more. */
static int is_over(int state, int result)
{
    return state == RELEASING || (state == ACQUIRING && result < 0) || result == RDL_LOST ||
           result == RDL_E_GAP;
}

void user_result(struct world *w, struct handle *h, int result, uint64_t now_ms)
{
    int state = h->state;
    h->result = result;
    world_hash(w, (uint64_t)(uint32_t)result << 8 | (uint64_t)state);
    world_trace(w, "c%u.%u %s: %s, %u ms left", h->client, h->index, operation[state], rdl_strerror(result),
                handle_remaining_ms(h, clock_ms(&w->client[h->client].clock, w->now)));
    oracle_result(w, h, result, now_ms);
    oracle_room(w, h);
    planted_result(w, h, state, result);
    if (state == EXTENDING && h->uses_renewal && now_ms >= h->renewal.until_ms)
        oracle_stopped(w, h, 1, now_ms);
    count(w, state, result);
    if (state == ACQUIRING && result >= 0)
        begin_holding(w, h, now_ms);
    else if (state == EXTENDING &&
             (result >= 0 || handle_remaining_ms(h, now_ms) > 0 || handle_is_adopting(h)))
        goes_on_holding(w, h, result, now_ms);
    else
        think(w, h);
    if (state == RELEASING && result == RDL_OK && h->mode != MODE_LEGACY) {
        struct keepsake *kept = &w->client[h->client].kept[h->index];
        kept->what = KEPT_RELEASED;
        token_hex(handle_token(h), kept->hex);
    }
    if (is_over(state, result))
        handle_done(w, h);
    /* Half of those that keep their handles retry a release that failed, and once more if it fails again. */
    h->again = state == RELEASING && h->keeps && !w->opt.is_scripted &&
               (result == RDL_UNKNOWN || (result < 0 && result > RDL_E_NAME)) && w->now / MS % 2;
}

/* The time until the lock almost expires. */
static uint64_t wait_for_the_end_us(struct world *w, const struct handle *h)
{
    uint64_t left_us = host_lock_left_us(w, 0, h->name);
    uint64_t early_us = rng_below(&w->stream[FAULT_BETWEEN], rdl_attempt_ms(&h->opt.lease) * MS);
    return left_us > early_us ? left_us - early_us : 0;
}

void user_adopt(struct world *w, struct handle *h, const char *hex)
{
    struct rng *r = &w->stream[FAULT_ADOPT];
    if (handle_adopt(w, h, hex) != RDL_OK) {
        world_violation(w, "truth", "c%u.%u may not adopt", h->client, h->index);
        return;
    }
    world_trace(w, "c%u.%u adopts %.6s%.4s", h->client, h->index, hex, hex + 2 * RDL_TOKEN_LEN - 4);
    h->state = HELD;
    h->uses_renewal = 0;
    h->act_at = w->now + rng_below(r, rng_chance(r, 500) ? 2 * MS : 200 * MS);
    int is_just_in_time = rng_chance(&w->stream[FAULT_BETWEEN], 500);
    if ((w->faults & FAULT_BIT(FAULT_BETWEEN)) && is_just_in_time)
        h->act_at += wait_for_the_end_us(w, h);
    h->hold_until = rng_chance(r, 200) ? h->act_at : h->act_at + rng_below(r, w->hold_us + w->ttl_ms * MS);
    oracle_adopted(w, h);
}

static void began(struct world *w, struct handle *h, int rc, uint64_t now_ms)
{
    struct rng *r = &w->stream[FAULT_CANCEL];
    world_trace(w, "c%u.%u %s of \"%s\" begins", h->client, h->index, operation[h->state],
                lock_name(handle_name(h)));
    h->cancel_at = NEVER;
    if ((w->faults & FAULT_BIT(FAULT_CANCEL)) && w->now < w->opt.heal_us && rng_chance(r, 200))
        h->cancel_at = w->now + rng_below(r, rng_chance(r, 500) ? 5 * MS : 200 * MS);
    if (rc != RDL_PENDING)
        user_result(w, h, rc, now_ms);
}

static void cancel(struct world *w, struct handle *h)
{
    world_trace(w, "c%u.%u cancels", h->client, h->index);
    handle_cancel(w, h);
    handle_done(w, h);
    if (!w->opt.is_scripted && rng_chance(dice(w, h), 500)) /* the memory belongs to the program again */
        handle_init(w, h);
    think(w, h);
}

void user_cancel(struct world *w, struct handle *h)
{
    cancel(w, h);
    client_wake(w, h->client, w->now);
}

void user_begin(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms)
{
    uint64_t now_ms = clock_ms(&w->client[h->client].clock, w->now);
    int rc = op == ACQUIRING   ? handle_acquire(w, h)
             : op == EXTENDING ? handle_extend(w, h, ttl_ms)
                               : handle_release(w, h);
    began(w, h, rc, now_ms);
    client_wake(w, h->client, w->now);
}

static void let_go(struct world *w, struct handle *h, uint64_t now_ms)
{
    if (rng_chance(dice(w, h), 150))
        cancel(w, h);
    else
        began(w, h, handle_release(w, h), now_ms);
}

static uint64_t act_held(struct world *w, struct handle *h, uint64_t now_ms)
{
    struct rng *r = dice(w, h);
    uint64_t at_ms = UINT64_MAX;
    if (w->now >= h->hold_until || (has_stopped(w) && !w->opt.is_scripted)) {
        let_go(w, h, now_ms);
    } else if (h->uses_renewal) {
        enum rdl_renewal_action action = rdl_renewal_next(&h->renewal, now_ms, &at_ms);
        if (action == RDL_RENEWAL_RENEW)
            began(w, h, handle_extend(w, h, h->opt.lease.ttl_ms), now_ms);
        else if (action != RDL_RENEWAL_SLEEP) {
            if (action == RDL_RENEWAL_LOST)
                oracle_lost(w, h, handle_until_ms(h));
            oracle_stopped(w, h, action == RDL_RENEWAL_LOST, now_ms);
            let_go(w, h, now_ms);
        }
    } else if (w->now >= h->act_at && h->act_at < h->hold_until) {
        uint32_t ttl = rng_chance(r, 500)
                           ? h->opt.lease.ttl_ms
                           : (uint32_t)rng_between(r, h->opt.lease.ttl_ms / 2, h->opt.lease.ttl_ms);
        h->act_at = h->hold_until;
        began(w, h, handle_extend(w, h, ttl), now_ms);
    }
    if (h->state != HELD)
        return w->now + 1;
    uint64_t at = h->uses_renewal ? clock_when(&w->client[h->client].clock, at_ms) : h->act_at;
    return at < h->hold_until ? at : h->hold_until;
}

uint64_t user_act(struct world *w, struct handle *h, uint64_t now_ms)
{
    if (handle_is_pending(h)) {
        int is_late = has_stopped(w) && h->state == ACQUIRING && !w->opt.is_scripted;
        if (w->now < h->cancel_at && !is_late)
            return h->cancel_at;
        cancel(w, h);
    }
    if (h->state == HELD)
        return act_held(w, h, now_ms);
    if (has_stopped(w) && !w->opt.is_scripted)
        return NEVER;
    if (w->now < h->act_at)
        return h->act_at < w->stop_us ? h->act_at : NEVER;
    if (h->again) {
        began(w, h, handle_release(w, h), now_ms);
        return w->now + 1;
    }
    if (handle_remaining_ms(h, now_ms) > 0) { /* the clock was set back under an expired lease */
        cancel(w, h);
        return h->act_at;
    }
    began(w, h, handle_acquire(w, h), now_ms);
    return h->state == HELD                               ? w->now + 1
           : h->cancel_at < h->act_at || h->state != IDLE ? h->cancel_at
                                                          : h->act_at;
}
