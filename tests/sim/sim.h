/* SPDX-License-Identifier: MIT */
/*
 * sim.h - a world of clients, servers, links and clocks in virtual time; one seed is one schedule.
 *
 * The clients run the production objects of resp, net, lock and redlock, unchanged. Everything around them
 * is a model: the driver that moves their bytes (sim_client.c), TCP (sim_tcp.c), the servers (server.h), the
 * clocks, the faults (sim_fault.c) and the users of locks (sim_user.c). Oracles (sim_oracle.c) watch from
 * outside.
 *
 * Virtual time is in microseconds since the start of the world. All random values come from the
 * seed. Every class of faults has its own random stream, so one class can be switched off without changing
 * the others.
 */
#ifndef SIM_H
#define SIM_H

#include "lock/lock_op.h"
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
/* printf a line of the timeline if tracing is on. */
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
/* The client's host disappears without closing the connection. */
void tcp_abandon(struct world *w, struct tcp *t);
/*
 * The present connections over this link swallow everything from now on: directions 1 up, 2 down. New ones
 * work.
 */
void link_swallow(struct world *w, unsigned client, unsigned server, unsigned directions);
/* A reset that only the client sees: what it has sent arrives. */
void tcp_half(struct world *w, struct tcp *t);
/* A reset of both sides: bytes in flight never arrive. */
void tcp_reset(struct world *w, struct tcp *t);
/* The server's side. */
void host_crash(struct world *w, unsigned s, int notify_clients);
enum host_data { HOST_NOTHING, HOST_ALL, HOST_SAVED };
void host_start(struct world *w, unsigned s, enum host_data data);
void host_serve_all(struct world *w, unsigned s);
/* Continue the connections there whose wait in BLPOP is over. */
void host_wake(struct world *w, struct host *h);
uint64_t travel_us(struct world *w, unsigned client, unsigned server);

/* ---------------------------------------------------------------- sim_host.c */

enum { HOST_KINDS = 5 };
/* The kind of this server: the one drawn, if it supports what the world does. */
const struct sim_features *host_kind(struct world *w, unsigned s, unsigned drawn);
/* The data that a restart with HOST_SAVED, or host_lag, restores. */
void host_save(struct world *w, unsigned s);
/* It becomes a replica of a distant server and is promoted again: run_id, uptime and connections stay. */
void host_flush(struct world *w, unsigned s);
void host_promote(struct world *w, unsigned s);
/* A foreign client runs this command there. */
void host_command(struct world *w, unsigned s, const char *inline_command);
/* Create a canary there, of this age and by this run or, with is_foreign, by another. */
void host_canary(struct world *w, unsigned s, uint32_t age_s, int is_foreign);
/* A lagging replica is promoted in its place: its data as it was saved, all else as before. */
void host_lag(struct world *w, unsigned s);
void host_evict(struct world *w, unsigned s);
/* The remaining time of this lock there; 0: there is none. */
uint64_t host_lock_left_us(struct world *w, unsigned s, unsigned name);
/*
 * A foreign client writes to the hint list of this lock: 0 an element, 1 many, 2 a value that is not a list.
 */
void host_hint(struct world *w, unsigned s, unsigned name, unsigned what);

/* ---------------------------------------------------------------- sim_client.c */

void client_init(struct world *w, unsigned c);
/* Initialize its conn number s again: one to that server or, after those, the one for hints. */
void client_conn(struct world *w, struct client *c, unsigned s);
/* Mark the bytes after its buffers, at their present lengths; oracle_bounds checks that the marks stay. */
enum { ZONE_BYTE = 0xa5 };
void client_zones(struct client *c, unsigned s);
/* One iteration of the client's loop: bytes in, steps, the user, bytes out. */
void client_run(struct world *w, unsigned c);
/* Only bytes in: what was read is not stepped yet. */
void client_read(struct world *w, unsigned c);
void client_wake(struct world *w, unsigned c, uint64_t at);
uint64_t client_now_ms(const struct world *w, const struct client *c);

/* What a driver does when it is polled and may not wait. */
void client_poll(struct world *w, struct client *c);

/* ---------------------------------------------------------------- sim_blocking.c */

/*
 * A program that uses only the blocking calls. While it calls nothing, it reads and sends nothing and steps
 * nothing. After a lock it drains its connections.
 */
int blocking_is_asleep(const struct world *w, const struct client *c);
/* What a blocking call does before it begins an operation. Returns the time. */
uint64_t blocking_begin_ms(struct world *w, struct handle *h, enum rdl_action action);
/*
 * R29: after two renewals every server has the key that is up, answers, and has no other client's key. It is
 * called before an operation begins, when an extend has begun, and when it has ended.
 */
void oracle_spread(struct world *w, struct handle *h);
void oracle_spread_begun(const struct world *w, struct handle *h);
void oracle_spread_result(struct handle *h, int result);
/*
 * R18: a measured round trip contains no pause of the program. Without faults, in a world of blocking calls.
 */
void oracle_measured(struct world *w, const struct client *c);

/* ---------------------------------------------------------------- sim_handle.c: lock and redlock alike */

uint32_t client_least_attempt_ms(const struct world *w);
/* Times that fit this world. */
void client_draw_lease(const struct world *w, struct rng *r, struct rdl_lock_options *lease);
/* In other memory than before if the old memory was freed. */
void handle_init(struct world *w, struct handle *h);
/* The room that it reserves in the queues, in units of 8 bytes. */
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
/* The fencing token of the held lease; 0: it has none. */
uint64_t handle_fence(const struct handle *h);
int handle_is_idle(const struct handle *h);
int handle_is_pending(const struct handle *h);
const struct rdl_token *handle_token(const struct handle *h);
const char *lock_name(unsigned i);
/* The number of its name, or of its first name. */
unsigned handle_name(const struct handle *h);
/* Copy its memory to another place, and fill the old one with garbage. */
void handle_move(struct handle *h);
/* Bits: the names that it locks. */
unsigned handle_names(const struct handle *h);
/* It has an adopted token, and no server has confirmed it yet. */
int handle_is_adopting(const struct handle *h);
int handle_adopt(struct world *w, struct handle *h, const char *hex);

/* ---------------------------------------------------------------- sim_user.c */

uint64_t user_next(const struct world *w, struct rng *r);
/* The next action of this lock's user. Returns when the user wants to act again (virtual us). */
uint64_t user_act(struct world *w, struct handle *h, uint64_t now_ms);
/* Begin an operation by hand (ACQUIRING, EXTENDING with ttl_ms, RELEASING). */
void user_begin(struct world *w, struct handle *h, enum handle_state op, uint32_t ttl_ms);
void user_cancel(struct world *w, struct handle *h);
/* Continue with the token of another client, or with its own from before it died. */
void user_adopt(struct world *w, struct handle *h, const char *hex);
/* An operation ended. */
void user_result(struct world *w, struct handle *h, int result, uint64_t now_ms);

/* ---------------------------------------------------------------- sim_adopt.c */

/*
 * A client dies; it comes back. It may have the tokens of the locks that it held, and then continues with
 * them.
 */
void client_die(struct world *w, unsigned c, int silently);
void client_return(struct world *w, unsigned c);

/* ---------------------------------------------------------------- sim_misuse.c */

/* What the client's program does with its handles and conns before an iteration steps them. */
void misuse_act(struct world *w, struct client *c, uint64_t now_ms);
/* A handle is made: a lock of its own on a server, which shares the conn of the client's redlocks. */
void misuse_apart(struct world *w, struct handle *h);
/* A program sets up its conn number s again. */
void misuse_remake(struct world *w, struct client *c, int s);

/* ---------------------------------------------------------------- sim_refuse.c */

void refuse_by_acl(struct world *w, const struct planned *p);
/* The end of the class replies. */
void refuse_no_more(struct world *w, const struct planned *p);
/* The server executes each command of this client by itself, because it may refuse some. */
int refuse_is_met(const struct host *h, unsigned client);
/* What this client's user may do on the server. */
const struct sim_features *refuse_features(const struct host *h, unsigned client);
/* Refuse this command with an error; 0: it is executed. */
int refuse_command(struct host *h, struct tcp *t, const struct sim_arg *argv, struct sim_out *out);

/* ---------------------------------------------------------------- sim_branch.c */

/* Empties the pool; the seed determines what is chosen from it. */
void branch_begin(uint64_t seed);
/* After each event: does the path say to go on with other numbers, and is a rare state new? */
void branch_event(struct world *w, const struct event *e);
/* The options of a schedule that goes on from a rare state of an earlier one. 0: none has reached any. */
int branch_next(struct options *o);

/* ---------------------------------------------------------------- sim_planted.c */

/* A SET with the token was granted there; its key was deleted there; an operation ended. */
void planted_set(struct world *w, const struct host *h, const struct token *t);
void planted_delete(struct world *w, const struct host *h, const struct token *t);
void planted_result(struct world *w, struct handle *h, int state, int result);

/* ---------------------------------------------------------------- sim_fault.c */

const char *fault_name(unsigned f);
void faults_plan(struct world *w);
/* Drops those that have not begun, and plans others from now on. */
void faults_plan_anew(struct world *w);
void fault_event(struct world *w, uint32_t n);

/* ---------------------------------------------------------------- sim_oracle.c */

void oracle_note(void *ctx, const struct sim_note *n);
void oracle_begin(struct world *w, struct handle *h, uint64_t now_ms);
/* An extend or a release has begun: must it wait for connections first? */
void oracle_begun(struct world *w, struct handle *h);
void oracle_result(struct world *w, struct handle *h, int result, uint64_t now_ms);
/* After every iteration of a client; now_ms: by its clock. */
void oracle_holders(struct world *w, struct client *c, uint64_t now_ms);
/* After the server has processed the connection. */
/* The marks are unchanged. */
int oracle_zone(const uint8_t *zone);
void oracle_bounds(struct world *w, const struct client *c, unsigned s);
/* It has no operation: the room that it reserves. */
void oracle_room(struct world *w, const struct handle *h);
void oracle_pending(struct world *w, struct handle *h, uint64_t now_ms);
void oracle_released(struct world *w, struct handle *h);
/* The lease of its renewal timer is lost. */
void oracle_lost(struct world *w, const struct handle *h, uint64_t until_ms);
void oracle_stopped(struct world *w, const struct handle *h, int is_lost, uint64_t now_ms);
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
/* A fencing token was granted; this many servers are reported to hold it. */
void oracle_fenced(struct world *w, struct handle *h);
void oracle_fence_holders(struct world *w, const struct handle *h);

/* ---------------------------------------------------------------- sim_report.c */

/* Those of its faults under which nothing is guaranteed, whatever its clients do about them. */
uint64_t faults_outside(const struct world *w);
/* Print a line: the seed, and its drawn or given options. */
void report_world(const struct world *w);
/* Print a line: the violation; and the options that repeat it, if it needs a path. */
void report_line(const struct world *w);
/* Print it, reduce it to as few faults and clients as still violate, print those and the timeline. */
void report_violation(const struct world *w);

/* ---------------------------------------------------------------- sim_plot.c */

/* Called before every event of a plotted world: record the current state. */
void plot_sample(struct world *w);
/* Write the picture (SVG) of the record to path; returns 0 on success. */
int plot_write(const struct world *w, const char *title, const char *path);

#endif
