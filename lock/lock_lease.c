/* SPDX-License-Identifier: MIT */
/* lock_lease.c - what one lock and N locks have in common: the arithmetic of leases, lock tokens, checks. */
#include "lock/lock_lease.h"
#include "net/net_op.h"
#include "resp/resp_bytes.h"

uint32_t rdl_drift_ms(uint32_t ttl_ms)
{
    uint32_t part = rdl_quotient(ttl_ms, 100);

    return part + (100 * part != ttl_ms) + 2;
}

/*@ requires \valid_read(opt);
    assigns \nothing;
    ensures opt->ttl_ms != 0 ? \result == opt->ttl_ms : \result == RDL_TTL_DEFAULT_MS; */
RDL_NOINLINE uint32_t rdl_first_ttl_ms(const struct rdl_lock_options *opt)
{
    return opt->ttl_ms != 0 ? opt->ttl_ms : RDL_TTL_DEFAULT_MS;
}

uint32_t rdl_attempt_ms(const struct rdl_lock_options *opt)
{
    return rdl_attempt_ms_for_rtt(opt, 0);
}

/*@ requires \valid_read(opt) && opt->ttl_ms <= RDL_TTL_MAX;
    assigns \nothing;
    ensures \result >= RDL_ATTEMPT_MIN_MS || opt->attempt_ms != 0;
    ensures opt->attempt_ms == 0 && opt->ttl_ms >= 20 ==> 4 * \result <= opt->ttl_ms;
    ensures opt->attempt_ms == 0 && opt->ttl_ms == 0 ==> 4 * \result <= RDL_TTL_DEFAULT_MS; */
uint32_t rdl_attempt_ms_for_rtt(const struct rdl_lock_options *opt, uint32_t rtt_ms)
{
    uint32_t most_ms = rdl_first_ttl_ms(opt) / 4;
    uint32_t ms = rtt_ms < most_ms && 3 * rtt_ms + 3 <= most_ms ? 3 * rtt_ms : most_ms;
    uint32_t least_ms = RDL_ATTEMPT_MAX_MS;

    if (opt->attempt_ms != 0)
        return opt->attempt_ms;
    if (most_ms < 5 * RDL_ATTEMPT_MAX_MS)
        least_ms = rdl_quotient(most_ms, 5);
    if (least_ms < RDL_ATTEMPT_MIN_MS)
        least_ms = RDL_ATTEMPT_MIN_MS;
    return ms < least_ms ? least_ms : ms;
}

int rdl_ttl_check(const struct rdl_lock_options *opt, uint32_t ttl_ms)
{
    return ttl_ms > RDL_TTL_MAX || ttl_ms / 4 < rdl_attempt_ms(opt) ? RDL_E_TTL : RDL_OK;
}

int rdl_options_check(const struct rdl_lock_options *opt, size_t name_len)
{
    if (name_len < 1 || name_len > RDL_NAME_MAX)
        return RDL_E_NAME;
    return rdl_ttl_check(opt, rdl_first_ttl_ms(opt));
}

/*@ requires end_ms <= now_ms + RDL_TTL_MAX;
    assigns \nothing;
    ensures \result >= ttl_ms && now_ms + \result >= end_ms;
    ensures \result == ttl_ms || now_ms + \result == end_ms; */
uint32_t rdl_ttl_longest(uint32_t ttl_ms, uint64_t end_ms, uint64_t now_ms)
{
    return end_ms > now_ms && end_ms - now_ms > ttl_ms ? (uint32_t)(end_ms - now_ms) : ttl_ms;
}

/*@ requires \valid_read(opt);
    assigns \nothing; */
int rdl_is_one_attempt(const struct rdl_lock_options *opt)
{
    return opt->retry_ms == 0 || opt->wait_ms == 0;
}

/* A single attempt waits for connecting once, however often a conn is retried; then it has its own time. */
/*@ requires \valid_read(opt) && now_ms <= UINT64_MAX / 2;
    assigns \nothing;
    ensures \result == UINT64_MAX || (now_ms <= \result && \result <= now_ms + UINT32_MAX); */
uint64_t rdl_give_up_ms(const struct rdl_lock_options *opt, uint32_t connect_ms, uint64_t now_ms)
{
    uint32_t ms = opt->wait_ms;

    if (rdl_is_one_attempt(opt))
        ms = connect_ms;
    return ms == RDL_WAIT_FOREVER ? UINT64_MAX : now_ms + ms;
}

enum {
    HEARD_MS = 2,  /* two replies about one key differ by this and the round trip */
    SPREAD_MS = 50 /* clients that wait for the end of the same key try within this time of each other */
};

int rdl_has_changed_hands(uint32_t *ends_ms, uint32_t holder_ms, uint32_t rtt_ms, uint64_t now_ms)
{
    uint32_t last_ms = *ends_ms;
    uint32_t later_ms;

    *ends_ms = (uint32_t)now_ms + holder_ms;
    later_ms = *ends_ms - last_ms;
    if (later_ms > INT32_MAX) /* sooner: the new holder has a shorter ttl */
        later_ms = 0 - later_ms;
    return later_ms > rtt_ms + HEARD_MS;
}

/*@ requires \valid(seed);
    assigns *seed;
    ensures 1 <= \result <= RDL_RETRY_CAP_MS;
    ensures holder_ms < UINT32_MAX - SPREAD_MS ==> \result <= holder_ms + SPREAD_MS; */
uint32_t rdl_pause_ms(uint32_t *seed, uint32_t base_ms, unsigned tries, uint32_t holder_ms)
{
    uint32_t pause_ms = rdl_backoff_ms(seed, base_ms, RDL_RETRY_CAP_MS, tries);

    if (pause_ms <= holder_ms)
        return pause_ms;
    holder_ms += rdl_backoff_ms(seed, base_ms, SPREAD_MS, 0);
    return pause_ms < holder_ms ? pause_ms : holder_ms;
}

void rdl_token_begin(struct rdl_token *t, const uint8_t entropy[RDL_ENTROPY_LEN])
{
    rdl_copy(t->bytes, entropy, RDL_ENTROPY_LEN);
}

/*@ logic integer counter{L}(struct rdl_token *t) =
        ((t->bytes[16] * 256 + t->bytes[17]) * 256 + t->bytes[18]) * 256 + t->bytes[19]; */
/*@ requires \valid(t);
    assigns t->bytes[RDL_ENTROPY_LEN .. RDL_TOKEN_LEN - 1];
    behavior last:
        assumes \forall integer i; 16 <= i < 20 ==> t->bytes[i] == 255;
        ensures counter(t) == 0;
    behavior first_byte:
        assumes t->bytes[16] < 255 && t->bytes[17] == 255 && t->bytes[18] == 255 && t->bytes[19] == 255;
        ensures counter(t) == counter{Pre}(t) + 1;
    behavior second_byte:
        assumes t->bytes[17] < 255 && t->bytes[18] == 255 && t->bytes[19] == 255;
        ensures counter(t) == counter{Pre}(t) + 1;
    behavior third_byte:
        assumes t->bytes[18] < 255 && t->bytes[19] == 255;
        ensures counter(t) == counter{Pre}(t) + 1;
    behavior fourth_byte:
        assumes t->bytes[19] < 255;
        ensures counter(t) == counter{Pre}(t) + 1;
    complete behaviors;
    disjoint behaviors; */
void rdl_token_next(struct rdl_token *t)
{
    int i = RDL_TOKEN_LEN;

    //@ loop pragma UNROLL 5;
    while (--i >= RDL_ENTROPY_LEN && ++t->bytes[i] == 0) {
    }
}

void rdl_token_hex(const struct rdl_token *t, char out[RDL_VALUE_MAX])
{
    size_t i;

    for (i = 0; i < RDL_TOKEN_LEN; i++) {
        out[2 * i] = rdl_hex_digit(t->bytes[i] >> 4);
        out[2 * i + 1] = rdl_hex_digit(t->bytes[i]);
    }
}

/* Upper case is refused: the value on the servers is in lower case. */
int rdl_token_from_hex(struct rdl_token *t, const char *hex, size_t len)
{
    char written[RDL_VALUE_MAX];
    size_t i;

    if (len != RDL_VALUE_MAX)
        return RDL_E_TOKEN;
    for (i = 0; i < RDL_TOKEN_LEN; i++)
        t->bytes[i] = (uint8_t)(16 * rdl_hex_value(hex[2 * i]) + rdl_hex_value(hex[2 * i + 1]));
    rdl_token_hex(t, written);
    return rdl_is_same(written, hex, len) ? RDL_OK : RDL_E_TOKEN;
}

size_t rdl_dec_u64(char out[RDL_DEC64_MAX], uint64_t v)
{
    size_t first = RDL_DEC64_MAX - 1;
    size_t i;
    int bit;

    out[first] = '0';
    for (bit = 63; bit >= 0; bit -= 3) { /* three bits at a time: a carry of one digit */
        int carry = (int)(v >> bit & 7);
        for (i = RDL_DEC64_MAX; i-- > first;) {
            int sum = (out[i] - '0') * 8 + carry;
            carry = sum * 205 >> 11; /* sum / 10, which is at most 7 */
            out[i] = (char)('0' + sum - 10 * carry);
        }
        if (carry > 0)
            out[--first] = (char)('0' + carry);
    }
    rdl_copy(out, out + first, RDL_DEC64_MAX - first);
    return RDL_DEC64_MAX - first;
}
