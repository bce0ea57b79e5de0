/* SPDX-License-Identifier: MIT */
/*
 * raii.cpp - a lock in C++: a destructor releases it, also after an exception. Each URL is redis://HOST:PORT.
 *
 *     make && c++ -I. redlock/examples/raii.cpp build/libredlock.a -o raii && ./raii 'URL URL URL' new
 *
 * prints:
 *
 *     held for 9999 ms
 *     no lock: lock "nightly": held by another client for another 9999 ms
 *     caught: the work failed
 *     free
 *
 * Without the word "new", a server that has just started is refused, with a text that says why.
 */
#include <cstdio>
#include <stdexcept>

#include "redlock/easy.hpp"

/* The work may throw. The other lock is another client, for which this one is held meanwhile. */
static void work(rdl::easy_lock lock, rdl::easy_lock &other)
{
    if (lock.acquire(std::chrono::seconds(5)) < 0) /* wait for up to 5 s */
        throw std::runtime_error(lock.error());
    std::printf("held for %d ms\n", static_cast<int>(lock.remaining().count()));
    if (other.acquire() < 0)
        std::printf("no lock: %s\n", other.error());
    throw std::runtime_error("the work failed");
}

int main(int argc, char **argv)
{
    rdl_easy_options options = rdl_easy_options();
    rdl::easy_lock lock, other;

    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: raii 'URL ...' [new]\n");
        return 2;
    }
    options.ttl_ms = 10000;
    if (argc == 3)
        options.flags = RDL_EASY_NO_RESTART_GUARD;
    if (lock.open(argv[1], "nightly", options) < 0 || other.open(argv[1], "nightly", options) < 0) {
        std::fprintf(stderr, "%s\n", lock.error());
        return 2;
    }
    try {
        work(std::move(lock), other);
    } catch (const std::runtime_error &e) {
        std::printf("caught: %s\n", e.what());
    }
    if (other.acquire() < 0) {
        std::fprintf(stderr, "%s\n", other.error());
        return 1;
    }
    std::printf("free\n");
    return 0;
}
