/* SPDX-License-Identifier: MIT */
/* image_script.c - acquire, extend, release: the requests byte for byte, and the results of the replies. */
#include "lock/lock.h"
#include "lock/lock_commands.h"
#include "tests/targets/image.h"

#include <stdio.h>
#include <string.h>

enum { TX_PIECE = 7, SENT_MAX = 512 };

enum what { ACQUIRE, EXTEND, RELEASE };

struct step {
    uint8_t what;
    int8_t result;
    uint16_t left_ms; /* of the lease, then */
    const char *sent;
    const struct rdl_script *text; /* follows, unless NULL */
    const char *sent_then;
    const char *reply; /* NULL: the connection ends, and the request is sent again over the next one */
};

#define KEY            "$4\r\njobs\r\n"
#define TOKEN(attempt) "$40\r\n00112233445566778899aabbccddeeff0000000" attempt "\r\n"
#define SET(attempt)                                                                                         \
    "*6\r\n$3\r\nSET\r\n" KEY TOKEN(attempt) "$2\r\nNX\r\n$2\r\nPX\r\n$5\r\n10000\r\n"                       \
                                             "*2\r\n$4\r\nPTTL\r\n" KEY
#define EXTEND_SHA  "*6\r\n$7\r\nEVALSHA\r\n$40\r\n08268618273684dd4965e354b804771b81d04031\r\n$1\r\n1\r\n"
#define RELEASE_SHA "*5\r\n$7\r\nEVALSHA\r\n$40\r\n405ff44962cd47e5aa852fc40f9e4817c685a7e4\r\n$1\r\n1\r\n"

/* Each step comes a second after the one before; a reply arrives after 3 ms. */
static const struct step steps[] = {
    {ACQUIRE, RDL_BUSY, 0, SET("1"), NULL, "", "$-1\r\n:5000\r\n"},
    {ACQUIRE, RDL_E_TRY_LATER, 0, SET("2"), NULL, "", "-OOM command not allowed\r\n:-2\r\n"},
    {ACQUIRE, RDL_OK, 9895, SET("3"), NULL, "", "+OK\r\n:10000\r\n"},
    {EXTEND, RDL_OK, 19795, "*6\r\n$4\r\nEVAL\r\n", &rdl_script_extend,
     "$1\r\n1\r\n" KEY TOKEN("3") "$5\r\n20000\r\n", ":1\r\n"},
    {EXTEND, RDL_OK, 19795, EXTEND_SHA KEY TOKEN("3") "$5\r\n20000\r\n", NULL, "", ":1\r\n"},
    {RELEASE, RDL_OK, 0, "*5\r\n$4\r\nEVAL\r\n", &rdl_script_release, "$1\r\n1\r\n" KEY TOKEN("3"), ":1\r\n"},
    {ACQUIRE, RDL_OK, 9895, SET("4"), NULL, "", "+OK\r\n:10000\r\n"},
    {RELEASE, RDL_PENDING, 0, RELEASE_SHA KEY TOKEN("4"), NULL, "", NULL},
    {RELEASE, RDL_UNKNOWN, 0, "*5\r\n$4\r\nEVAL\r\n", &rdl_script_release, "$1\r\n1\r\n" KEY TOKEN("4"),
     ":-1\r\n"},
};

static const struct rdl_endpoint endpoint; /* no login */
static uint64_t queue[RDL_QUEUE_FOR(1, 4) / 8];
static const struct rdl_conn_config config = {
    .endpoint = &endpoint, .methods = &rdl_methods_script, .queue = queue, .queue_len = sizeof queue};
static struct rdl_conn conn;
static struct rdl_lock lock;
static char sent[SENT_MAX];

static int begin(uint8_t what, uint64_t now_ms)
{
    static const uint8_t entropy[RDL_ENTROPY_LEN] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                                     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

    if (what == ACQUIRE)
        return rdl_lock_acquire_begin(&lock, entropy, now_ms);
    return what == EXTEND ? rdl_lock_extend_begin(&lock, 20000, now_ms)
                          : rdl_lock_release_begin(&lock, now_ms);
}

static void connect_at(uint64_t now_ms)
{
    uint64_t at_ms = rdl_conn_tick(&conn, now_ms);

    if (rdl_conn_state(&conn) == RDL_CONN_CLOSED) /* it pauses first */
        rdl_conn_tick(&conn, at_ms);
    rdl_conn_opened(&conn);
}

/* All that the conn sends now, as text. */
static void transmit(void)
{
    size_t len = 0;
    size_t n = 1;

    while (n > 0 && len + TX_PIECE < sizeof sent) {
        n = rdl_conn_tx(&conn, (uint8_t *)sent + len, TX_PIECE);
        rdl_conn_tx_done(&conn, n);
        len += n;
    }
    sent[len] = '\0';
}

static int is_sent(const struct step *s)
{
    static char expected[SENT_MAX];
    size_t n = strlen(s->sent);

    strcpy(expected, s->sent);
    if (s->text != NULL)
        n += (size_t)sprintf(expected + n, "$%u\r\n%s\r\n", (unsigned)s->text->text_len, s->text->text);
    strcpy(expected + n, s->sent_then);
    return strcmp(sent, expected) == 0;
}

static void receive(const char *reply)
{
    for (; *reply != '\0'; reply++)
        rdl_conn_rx(&conn, (const uint8_t *)reply, 1);
}

/* The first error of a step, or NULL. */
static const char *broken(const struct step *s, uint8_t is_again, uint64_t now_ms)
{
    if (is_again)
        connect_at(now_ms);
    else if (begin(s->what, now_ms) != RDL_PENDING)
        return "it does not begin";
    transmit();
    if (!is_sent(s))
        return "other bytes are sent";
    if (s->reply == NULL)
        rdl_conn_closed(&conn, RDL_E_CLOSED);
    else
        receive(s->reply);
    if (rdl_lock_step(&lock, now_ms + 3) != s->result)
        return "another result";
    if (rdl_lock_remaining_ms(&lock, now_ms + 3) != s->left_ms)
        return "another time is left";
    return NULL;
}

int image_script(void)
{
    static const struct rdl_lock_options opt = {.ttl_ms = 10000};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    uint64_t now_ms = 1000;
    uint8_t is_again = 0;
    int failed = 0;

    rdl_conn_init(&conn, &config);
    rdl_lock_init(&lock, &opt, &conn, "jobs", 4);
    connect_at(now_ms);
    for (unsigned i = 0; i < STEPS; i++) {
        const char *why = broken(&steps[i], is_again, now_ms);

        if (why != NULL)
            printf("step %u of image_script.c: %s\n", i + 1, why);
        failed += why != NULL;
        is_again = steps[i].reply == NULL;
        now_ms += is_again ? 10 : 1000;
    }
    printf("steps: %u\n", (unsigned)STEPS);
    return failed;
}
