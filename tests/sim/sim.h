/* SPDX-License-Identifier: MIT */
/*
 * sim.h - a world of clients, servers, links and clocks in virtual time; one seed is one schedule.
 *
 * The clients run the production objects of resp, platform, lock and redlock, unchanged. What is modelled is
 * around them: the driver that moves their bytes (sim_client.c), TCP (sim_tcp.c), the servers
 * (server.h), the clocks, the faults (sim_fault.c) and the people who want locks (sim_user.c). Oracles
 * (sim_oracle.c) watch from outside.
 *
 * Virtual time is in microseconds since the start of the world. Whatever is random is drawn from the
 * seed; every class of faults has a random stream of its own, so that one class can be switched off
 * without moving the others.
 */
#ifndef SIM_H
#define SIM_H

#include "tests/sim/world.h"

/* ---------------------------------------------------------------- sim_world.c */

uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n);                 /* [0, n), 0 for n 0 */
uint64_t rng_between(struct rng *r, uint64_t lo, uint64_t hi); /* [lo, hi] */
int rng_chance(struct rng *r, uint32_t permille);

extern const struct options options_default;

/* Make the world of these options; it lives in static memory, one at a time. */
struct world *world_make(const struct options *o);
/* Let it live until that time (virtual us). */
void world_run_until(struct world *w, uint64_t until);
/* Make it, let it live to its end, check what must hold then. 0, or 1 with w->violation. */
int world_live(struct world *w);
struct world *world_get(void);

void event_push(struct world *w, uint64_t at, enum event_kind kind, unsigned who, uint32_t gen, uint32_t n);
void world_hash(struct world *w, uint64_t value);
/* printf a line of the timeline if it was asked for. */
void world_trace(struct world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void world_violation(struct world *w, const char *oracle, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

uint64_t clock_us(const struct clock *c, uint64_t now);
uint64_t clock_ms(const struct clock *c, uint64_t now);
/* The first moment of the world when the clock shows ms. */
uint64_t clock_when(const struct clock *c, uint64_t ms);

/* ---------------------------------------------------------------- sim_tcp.c */

struct tcp *tcp_open(struct world *w, unsigned client, unsigned server);
void tcp_event(struct world *w, const struct event *e);
/* The client's side. */
size_t tcp_room(const struct tcp *t);
void tcp_write(struct world *w, struct tcp *t, const uint8_t *data, size_t n);
size_t tcp_read(struct world *w, struct tcp *t, uint8_t *to, size_t n);
void tcp_close(struct world *w, struct tcp *t);
/* The client's host is gone without a word. */
void tcp_abandon(struct world *w, struct tcp *t);
/* The connections over this link swallow everything from now on: ways 1 up, 2 down. New ones work. */
void link_swallow(struct world *w, unsigned client, unsigned server, unsigned ways);
/* A reset that only the client sees: what it has sent arrives. */
void tcp_half(struct world *w, struct tcp *t);
/* A reset of both sides: nothing that is on its way arrives. */
void tcp_reset(struct world *w, struct tcp *t);
/* The server's side. */
void host_crash(struct world *w, unsigned s, int tell_clients);
enum host_data { HOST_NOTHING, HOST_ALL, HOST_SAVED };
void host_start(struct world *w, unsigned s, enum host_data data);
void host_serve_all(struct world *w, unsigned s);
/* See that those who wait there in BLPOP go on. */
void host_wake(struct world *w, struct host *h);
uint64_t travel_us(struct world *w, unsigned client, unsigned server);

/* ---------------------------------------------------------------- sim_host.c */

enum { HOST_KINDS = 5 };
/* What kind of server this is: the one drawn, if it is of use for what the world does. */
const struct sim_features *host_kind(struct world *w, unsigned s, unsigned drawn);
/* What a restart with HOST_SAVED brings back, or host_lag. */
void host_save(struct world *w, unsigned s);
/* It becomes a replica of a server far away and is promoted again: run_id, uptime, connections as before. */
void host_promote(struct world *w, unsigned s);
/* Somebody runs this command there, by hand. */
void host_command(struct world *w, unsigned s, const char *inline_command);
/* Put a canary there, made so long ago by this run or, with is_foreign, by another. */
void host_canary(struct world *w, unsigned s, uint32_t age_s, int is_foreign);
/* A replica that was behind is promoted in its place: its data as it was saved, all else as before. */
void host_lag(struct world *w, unsigned s);
void host_evict(struct world *w, unsigned s);
/* How long this lock still lives there; 0: there is none. */
uint64_t host_lock_left_us(struct world *w, unsigned s, unsigned name);
/* Somebody puts something into the list of hints of this lock: 0 an element, 1 many, 2 what is no list. */
void host_hint(struct world *w, unsigned s, unsigned name, unsigned what);

/* ---------------------------------------------------------------- sim_client.c */

void client_init(struct world *w, unsigned c);
/* Make its conn number s anew: one to that server or, behind those, the one for hints. */
void client_conn(struct world *w, struct client *c, unsigned s);
/* Mark what stands behind its buffers, as long as they are now; oracle_bounds looks whether it stays. */
enum { ZONE_BYTE = 0xa5 };
void client_zones(struct client *c, unsigned s);
/* The client's loop goes round once: bytes in, steps, the user, bytes out. */
void client_run(struct world *w, unsigned c);
/* Only bytes in: what is read is not stepped yet. */
void client_read(struct world *w, unsigned c);
void client_wake(struct world *w, unsigned c, uint64_t at);
uint64_t client_now_ms(const struct world *w, const struct client *c);

/* ---------------------------------------------------------------- sim_handle.c: lock and redlock alike */

uint32_t client_least_attempt_ms(const struct world *w);
/* In other memory than before if that was freed. */
void handle_init(struct world *w, struct handle *h);
/* What it reserves in the queues, in units of 8 bytes. */
unsigned handle_room(const struct handle *h);
/* Its last call has returned: nothing may point to its memory now. Most programs free it then. */
void handle_done(struct world *w, struct handle *h);
int handle_acquire(struct world *w, struct handle *h);
int handle_extend(struct world *w, struct handle *h, uint32_t ttl_ms);
int handle_release(struct world *w, struct handle *h);
void handle_cancel(struct world *w, struct handle *h);
int handle_step(struct world *w, struct handle *h, uint64_t now_ms);
uint64_t handle_wake_ms(const struct handle *h);
uint32_t handle_remaining_ms(const struct handle *h, uint64_t now_ms);
uint64_t handle_until_ms(const struct handle *h);
/* The fencing number of the lease held; 0: it has none. */
uint64_t handle_fence(const struct handle *h);
int handle_is_idle(const struct handle *h);
int handle_is_pending(const struct handle *h);
const struct rdl_token *handle_token(const struct handle *h);
const char *lock_name(unsigned i);
/* Bits: which of the names it locks. */
unsigned handle_names(const struct handle *h);
/* It has a token from elsewhere, and nobody has said yet that it is his. */
int handle_is_adopting(const struct handle *h);
int handle_adopt(struct world *w, struct handle *h, const char *hex);

/* ---------------------------------------------------------------- sim_user.c */

uint64_t user_next(const struct world *w, struct rng *r);
/* What the user of this lock does now; returns when he wants to act again (virtual us). */
uint64_t user_act(struct world *w, struct handle *h, uint64_t now_ms);
/* Begin an operation by hand (ACQUIRING, EXTENDING with ttl_ms, RELEASING). */
void user_begin(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms);
void user_cancel(struct world *w, struct handle *h);
/* Go on with a token that was another's, or his own before he died. */
void user_adopt(struct world *w, struct handle *h, const char *hex);
/* An operation ended. */
void user_result(struct world *w, struct handle *h, int result, uint64_t now_ms);

/* ---------------------------------------------------------------- sim_adopt.c */

/* A client dies; it lives again. What it held it may have the tokens of, and then goes on with it. */
void client_die(struct world *w, unsigned c, int silently);
void client_return(struct world *w, unsigned c);

/* ---------------------------------------------------------------- sim_fault.c */

const char *fault_name(unsigned f);
void faults_plan(struct world *w);
void fault_event(struct world *w, uint32_t n);

/* ---------------------------------------------------------------- sim_oracle.c */

void oracle_note(void *ctx, const struct sim_note *n);
void oracle_begin(struct world *w, struct handle *h, uint64_t now_ms);
/* An extend or a release has begun: does it have to wait for connections first? */
void oracle_begun(struct world *w, struct handle *h);
void oracle_result(struct world *w, struct handle *h, int result, uint64_t now_ms);
/* After every round of a client; now_ms: by its clock. */
void oracle_holders(struct world *w, struct client *c, uint64_t now_ms);
/* After it was served. */
/* Nobody has written there. */
int oracle_zone(const uint8_t *zone);
void oracle_bounds(struct world *w, const struct client *c, unsigned s);
/* It has no operation: what it reserves. */
void oracle_room(struct world *w, const struct handle *h);
void oracle_pending(struct world *w, struct handle *h, uint64_t now_ms);
void oracle_released(struct world *w, struct handle *h);
/* What its renewal timer held is over. */
void oracle_lost(struct world *w, const struct handle *h, uint64_t until_ms);
void oracle_adopted(struct world *w, struct handle *h);
void oracle_end(struct world *w);
/* No key left. */
void oracle_orphans(struct world *w);
/* Conns idle, no key left. */
void oracle_rest(struct world *w);
struct token *token_find(struct world *w, const char *hex, int create);
void token_hex(const struct rdl_token *t, char hex[2 * RDL_TOKEN_LEN]);

/* ---------------------------------------------------------------- sim_fence.c */

/* Server s ran a script that counts, with this token. */
void oracle_counted(struct world *w, int s, struct sim_arg token);
/* A server may have lost its data. */
void oracle_fences_lost(struct world *w);
/* A number was given; it is believed to be held by so many. */
void oracle_fenced(struct world *w, struct handle *h);
void oracle_fence_holders(struct world *w, const struct handle *h);

/* ---------------------------------------------------------------- sim_report.c */

/* Those of its faults under which nothing is promised, whatever its clients do about them. */
uint64_t faults_outside(const struct world *w);
/* Print a line: the seed, and what was drawn from it or given. */
void report_world(const struct world *w);
/* Print a line: what was violated. */
void report_line(const struct world *w);
/* Print it, cut it down to as few faults and clients as still violate, print those and the timeline. */
void report_violation(const struct world *w);

/* ---------------------------------------------------------------- sim_plot.c */

/* Called before every event of a world whose picture is wanted: what is to be seen now. */
void plot_sample(struct world *w);
/* Write the picture (SVG) of what was seen to path; 0 when that worked. */
int plot_write(const struct world *w, const char *title, const char *path);

#endif
