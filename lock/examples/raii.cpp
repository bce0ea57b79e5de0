/* SPDX-License-Identifier: MIT */
/*
 * raii.cpp - the library in C++: a lock that a destructor releases, also after an exception.
 *
 *     make && c++ -std=c++11 -I. lock/examples/raii.cpp build/libredlock.a -o raii && ./raii redis://127.0.0.1:6379
 *
 * prints:
 *
 *     held for 9999 ms
 *     no lock: the lock is held by another client
 *     caught: the work failed
 *     free
 */
#include <cstdio>
#include <stdexcept>

#include "lock/lock_io.h"

/* Copy this class. A destructor cannot report an error: if it matters, call rdl_lock_release yourself. */
class held_lock {
public:
    held_lock(rdl_lock &lock, const rdl_platform &platform) : lock_(lock), platform_(platform)
    {
        int rc = rdl_lock_acquire(&lock_, &platform_);
        if (rc < 0)
            throw std::runtime_error(rdl_strerror(rc));
    }
    ~held_lock() { rdl_lock_release(&lock_, &platform_); }
    held_lock(const held_lock &) = delete;
    held_lock &operator=(const held_lock &) = delete;
    uint32_t remaining_ms() const { return rdl_lock_remaining_ms(&lock_, rdl_now(&platform_)); }

private:
    rdl_lock &lock_;
    const rdl_platform &platform_;
};

/* The work may throw. The second handle is another client, for which the lock is held meanwhile. */
static void work(rdl_lock &lock, rdl_lock &other, const rdl_platform &platform)
{
    held_lock held(lock, platform);

    std::printf("held for %u ms\n", static_cast<unsigned>(held.remaining_ms()));
    try {
        held_lock second(other, platform);
    } catch (const std::runtime_error &e) {
        std::printf("no lock: %s\n", e.what());
    }
    throw std::runtime_error("the work failed");
}

int main(int argc, char **argv)
{
    static rdl_posix_conn server;
    rdl_lock_options options = rdl_lock_options();
    rdl_posix posix;
    rdl_platform platform;
    rdl_lock lock, other;

    if (argc != 2 || rdl_posix_conn_init(&server, argv[1], nullptr) != RDL_OK) {
        std::fprintf(stderr, "usage: raii redis://ADDRESS:PORT\n");
        return 2;
    }
    options.ttl_ms = 10000;
    rdl_posix_init(&posix, &platform);
    rdl_lock_init(&lock, &options, &server.conn, RDL_NAME("nightly"));
    rdl_lock_init(&other, &options, &server.conn, RDL_NAME("nightly"));
    try {
        work(lock, other, platform);
    } catch (const std::runtime_error &e) {
        std::printf("caught: %s\n", e.what());
    }
    try {
        held_lock again(lock, platform);
        std::printf("free\n");
    } catch (const std::runtime_error &e) {
        std::fprintf(stderr, "no lock: %s\n", e.what());
        return 1;
    }
    return 0;
}
