/* SPDX-License-Identifier: MIT */
/* resp_wake.c - the wake hint: a release that tells one waiter, and how to wait for that. */
#include "resp/resp_cmd_private.h"

/*
 * The lock is deleted before anything else, and nothing behind that may fail: whatever the list is or the
 * user may not do, the lock was released. What stands at the list's key already is left alone.
 */
static const char wake_text[] = "local v=redis.call('GET',KEYS[1])"
                                "if v~=ARGV[1]then return v and 0 or-1 end "
                                "redis.call('DEL',KEYS[1])"
                                "if redis.pcall('TYPE',KEYS[2]).ok=='none'then "
                                "redis.pcall('RPUSH',KEYS[2],1)"
                                "redis.pcall('PEXPIRE',KEYS[2],ARGV[2])end "
                                "return 1";

const struct rdl_script rdl_script_release_wake = {
    wake_text, sizeof wake_text - 1, 2, 2, 5, "3829627bd9448bec2abf2506b28e451f028bf7fd"};

/*
 * Seconds for BLPOP, rounded up. 0 would block for ever, and Redis 6.0 cuts 0.001 down to it: 0.002 is the
 * least.
 */
static size_t seconds(char out[RDL_DEC_MAX + 4], uint32_t ms, int is_whole)
{
    size_t n;
    uint32_t part;

    if (ms < 2)
        ms = 2;
    part = ms % 1000;
    n = rdl_dec_u32(out, ms / 1000 + (is_whole && part != 0));
    if (is_whole || part == 0)
        return n;
    out[n] = '.';
    out[n + 1] = (char)('0' + part / 100);
    out[n + 2] = (char)('0' + part / 10 % 10);
    out[n + 3] = (char)('0' + part % 10);
    return n + 4;
}

int rdl_cmd_blpop(struct rdl_writer *w, struct rdl_bytes key, uint32_t timeout_ms, int is_whole)
{
    static const char head[] = "*3\r\n$5\r\nBLPOP\r\n";
    char text[RDL_DEC_MAX + 4];
    const struct rdl_bytes argv[] = {key, {text, seconds(text, timeout_ms, is_whole)}};

    return rdl_write_command(w, head, sizeof head - 1, argv, 2);
}
