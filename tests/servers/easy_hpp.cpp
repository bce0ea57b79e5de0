/* SPDX-License-Identifier: MIT */
/* easy_hpp.cpp URL - easy.hpp on a server. Exit status 1: a check failed; it is printed. */
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "redlock/easy.hpp"

using std::chrono::milliseconds;
using std::chrono::seconds;

#define CHECK(x) ((x) ? (void)0 : fail(__LINE__, #x))

static const char *url;
static bool is_memory_left = true;

/* These take the place of the library's. */
void *operator new(std::size_t size, const std::nothrow_t &) noexcept
{
    return is_memory_left ? std::malloc(size) : nullptr;
}

void operator delete(void *p) noexcept
{
    std::free(p);
}

static void fail(int line, const char *what)
{
    std::printf("easy_hpp.cpp:%d: %s\n", line, what);
    std::exit(1);
}

static rdl_easy_options options(uint32_t ttl_ms = 0)
{
    rdl_easy_options result = rdl_easy_options();

    result.ttl_ms = ttl_ms;
    result.flags = RDL_EASY_NO_RESTART_GUARD | RDL_EASY_FENCE; /* the server has just started */
    return result;
}

static rdl::easy_lock held(const char *name)
{
    rdl::easy_lock lock;

    CHECK(lock.open(url, name, options()) == RDL_OK);
    CHECK(lock.acquire() == RDL_OK);
    return lock;
}

static bool is_free(const char *name)
{
    rdl::easy_lock other;

    CHECK(other.open(url, name, options()) == RDL_OK);
    return other.acquire() == RDL_OK;
}

static void destructor_releases_and_a_moved_lock_does_nothing()
{
    {
        rdl::easy_lock last;
        {
            rdl::easy_lock first = held("a");
            rdl::easy_lock second(std::move(first));
            last = std::move(second);
            CHECK(first.get() == nullptr && second.get() == nullptr);
        }
        CHECK(!is_free("a"));
        CHECK(last.remaining() > seconds(20));
    }
    CHECK(is_free("a"));
}

static void assignment_open_and_close_release_the_old_lock()
{
    rdl::easy_lock lock = held("a");

    lock = held("b");
    CHECK(is_free("a") && !is_free("b"));
    CHECK(lock.open(url, "c", options()) == RDL_OK);
    CHECK(is_free("b"));
    CHECK(lock.acquire() == RDL_OK && !is_free("c"));
    lock.close();
    CHECK(is_free("c"));
}

static void not_open_is_a_result()
{
    rdl::easy_lock lock;

    for (int i = 0; i < 2; i++) {
        CHECK(lock.get() == nullptr && lock.error()[0] != '\0');
        CHECK(lock.acquire() == RDL_E_CONFIG && lock.extend() == RDL_E_CONFIG);
        CHECK(lock.release() == RDL_E_CONFIG && lock.adopt("") == RDL_E_CONFIG);
        CHECK(lock.start_thread(seconds(1)) == RDL_E_CONFIG && lock.lost_fd() == -1);
        CHECK(lock.remaining() == seconds(0) && lock.fence() == 0 && lock.token()[0] == '\0');
        is_memory_left = false;
        CHECK(lock.open(url, "a") == RDL_E_SYSTEM);
        is_memory_left = true;
    }
    CHECK(lock.open("http://nowhere", "a") == RDL_E_URL && lock.acquire() == RDL_E_URL);
    CHECK(lock.error()[0] != '\0');
}

static void times_are_those_of_easy_h()
{
    rdl::easy_lock holder, waiter;

    CHECK(holder.open(url, "a", options(600)) == RDL_OK && waiter.open(url, "a", options()) == RDL_OK);
    CHECK(holder.acquire() == RDL_OK);
    CHECK(waiter.acquire(milliseconds(50)) == RDL_BUSY && waiter.acquire(seconds(-1)) == RDL_BUSY);
    CHECK(holder.extend(seconds(-1)) == RDL_E_TTL && holder.extend(seconds(31)) == RDL_E_TTL);
    CHECK(waiter.acquire(milliseconds(INT64_C(1) << 32)) == RDL_OK); /* after the holder's ttl */
    CHECK(holder.release() < 0);
    CHECK(waiter.extend(milliseconds(RDL_TTL_DEFAULT_MS)) >= 0 && waiter.remaining() > seconds(20));
    CHECK(waiter.remaining() <= seconds(30) && waiter.fence() > 0);
    CHECK(waiter.release() == RDL_OK && waiter.error()[0] == '\0');
}

static void a_lock_is_adopted_and_its_thread_moves_with_it()
{
    rdl::easy_lock lock = held("a"), heir;

    CHECK(heir.open(url, "a", options()) == RDL_OK);
    CHECK(heir.adopt(lock.token().data()) == RDL_OK && heir.extend() >= 0);
    CHECK(heir.start_thread(seconds(-1)) == RDL_E_TTL);
    CHECK(heir.start_thread(seconds(1)) == RDL_OK && heir.lost_fd() >= 0);
    rdl::easy_lock last(std::move(heir));
    CHECK(last.lost_fd() >= 0 && last.extend() == RDL_E_HELD && last.remaining() > seconds(20));
}

int main(int, char **argv)
{
    url = argv[1];
    destructor_releases_and_a_moved_lock_does_nothing();
    assignment_open_and_close_release_the_old_lock();
    not_open_is_a_result();
    times_are_those_of_easy_h();
    a_lock_is_adopted_and_its_thread_moves_with_it();
    CHECK(is_free("a"));
    return 0;
}
