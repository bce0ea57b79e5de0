/* SPDX-License-Identifier: MIT */
/* client.h - one conn over the POSIX driver, for tests that talk to real sockets. */
#ifndef RDL_TESTS_CLIENT_H
#define RDL_TESTS_CLIENT_H

#include "net/net.h"
#include "tests/live/fakeserver.h"
#include "tests/live/servers.h"

enum { CLIENT_QUEUE = 4096, CLIENT_TX = 1024, CLIENT_RX = 256, CLIENT_PATIENCE_MS = 20000 };

struct client {
    struct rdl_conn conn;
    struct rdl_conn_config cfg;
    struct rdl_endpoint endpoint;
    struct rdl_req req;
    char token[RDL_VALUE_MAX]; /* in hex */
    char text[256];
    uint8_t queue[CLIENT_QUEUE];
    uint8_t tx[CLIENT_TX];
    uint8_t rx[CLIENT_RX];
};

/* The driver of this test process; client_setup before anything else (a fixture). */
extern struct rdl_posix client_posix;
extern struct rdl_net client_net;
void client_setup(void);

/* A closed conn to url; its configuration may be changed until it is used. A token of its own. */
void client_init(struct client *k, const char *url);
/* A server with these arguments (NULL: none), and two conns to it. The rest of *s is as it was. */
void client_pair(struct live_server *s, const char *const *args, struct client *a, struct client *b);
/* The driver of a host in trouble: it has no random numbers; it cannot wait. */
struct rdl_net client_net_without_random(void);
struct rdl_net client_net_without_poll(void);
/* Start a peer with this trick (see struct fake_server), and a conn to it that has sent nothing yet. */
void client_meet(struct client *k, struct fake_server *f, enum fake_trick trick, const char *text,
                 size_t after, int is_unix);
/* Queue a request for lock `name`, with a ttl of 60 s. */
void client_submit(struct client *k, const struct rdl_op *op, const char *name);
/* upkeep and one poll, which waits until until_ms at most; the test fails if poll does. */
void client_step(struct client *k, uint64_t until_ms);
/* Step until the request is answered; the answer. Fails the test when patience ends. */
enum rdl_answer client_wait(struct client *k);
enum rdl_answer client_ask(struct client *k, const struct rdl_op *op, const char *name);
/* Step until the conn is in this state. */
void client_wait_state(struct client *k, enum rdl_conn_state state);
/* Wait, without touching the conn, until its peer has hung up. */
void client_wait_hangup(const struct client *k);
uint64_t client_now(void);

#endif
