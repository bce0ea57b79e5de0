/* SPDX-License-Identifier: MIT */
/**
 * @file
 * @brief easy.hpp - easy.h in C++11: a lock that its destructor releases.
 *
 *     rdl::easy_lock lock;
 *
 *     if (lock.open("redis://a redis://b redis://c", "nightly") < 0 ||
 *         lock.acquire(std::chrono::seconds(5)) < 0) { // wait for up to 5 s
 *         std::fprintf(stderr, "%s\n", lock.error());
 *         return 1;
 *     }
 *     while (work_left() && lock.remaining() > std::chrono::seconds(1))
 *         do_some();
 *
 * redlock/examples/raii.cpp is a whole program. Each function has the name of one of easy.h or easy_thread.h,
 * which say what it returns, for how long it blocks and which thread may call it. Nothing throws. Only
 * programs that call start_thread() need -pthread.
 */
#ifndef RDL_EASY_HPP
#define RDL_EASY_HPP

#include "redlock/easy_thread.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>

/** The library in C++. */
namespace rdl {

/** @addtogroup libredlock_easy
 * @{ */

/**
 * A lock that you can move but not copy; its memory is allocated. It is not open at first, nor after it was
 * moved from: then remaining() and fence() are 0, and the calls that can fail return RDL_E_CONFIG.
 *
 * The destructor and an assignment to the lock close it, which releases it and blocks (rdl_easy_close()).
 * They report no error: if you need the result, call release() before.
 */
class easy_lock {
public:
    /**
     * Closes the lock if it is open, and opens it (rdl_easy_open()).
     *
     * @param urls     as in easy.h
     * @param name     as in easy.h
     * @param options  as in easy.h; what its pointers point to must stay valid until the lock is closed
     * @return as in easy.h; also RDL_E_SYSTEM: no memory, and the lock is not open
     */
    int open(const char *urls, const char *name, const rdl_easy_options &options = rdl_easy_options())
    {
        state_.reset(new (std::nothrow) state());
        return state_ ? rdl_easy_open(get(), urls, name, &options) : RDL_E_SYSTEM;
    }

    /** Closes the lock, as the destructor does. */
    void close() { state_.reset(); }

    /**
     * Acquires the lock.
     *
     * @param wait  for how long to retry; 0 or less: one attempt. 49 days or more, such as
     *              std::chrono::milliseconds::max(): no limit
     * @return as rdl_easy_acquire()
     */
    int acquire(std::chrono::milliseconds wait = std::chrono::milliseconds(0))
    {
        return state_ ? rdl_easy_acquire(get(), to_ms(wait, 0)) : RDL_E_CONFIG;
    }

    /**
     * Extends the lease.
     *
     * @param ttl  0: that of the options
     * @return as rdl_easy_extend()
     */
    int extend(std::chrono::milliseconds ttl = std::chrono::milliseconds(0))
    {
        return state_ ? rdl_easy_extend(get(), to_ms(ttl, UINT32_MAX)) : RDL_E_CONFIG;
    }

    /** Releases the lock, which remains open. @return as rdl_easy_release() */
    int release() { return state_ ? rdl_easy_release(get()) : RDL_E_CONFIG; }

    /**
     * Starts a thread that renews the held lock.
     *
     * @param grace  how long the work may take to stop
     * @return as rdl_easy_start_thread()
     */
    int start_thread(std::chrono::milliseconds grace)
    {
        return state_ ? rdl_easy_start_thread(get(), &state_->thread, to_ms(grace, UINT32_MAX))
                      : RDL_E_CONFIG;
    }

    /** Returns a descriptor that becomes readable when the work must stop. @return as rdl_easy_lost_fd() */
    int lost_fd() const { return state_ ? rdl_easy_lost_fd(&state_->thread) : -1; }

    /** Returns for how long the work may go on. @return as rdl_easy_remaining_ms() */
    std::chrono::milliseconds remaining() const
    {
        return std::chrono::milliseconds(state_ ? rdl_easy_remaining_ms(get()) : 0);
    }

    /** Returns the fencing token. @return as rdl_easy_fence() */
    std::uint64_t fence() const { return state_ ? rdl_easy_fence(get()) : 0; }

    /** Returns why the last call failed. @return as rdl_easy_error() */
    const char *error() const
    {
        return state_ ? rdl_easy_error(get()) : "the lock is not open: call open, and check its result";
    }

    /**
     * Returns the lock's token, to pass the lock on to another process.
     *
     * Afterwards end this process by _exit(), because the destructor would release the lock.
     *
     * @return the text of rdl_easy_token(), NUL-terminated; "": the lock is not open
     */
    std::array<char, RDL_TOKEN_TEXT_MAX> token() const
    {
        std::array<char, RDL_TOKEN_TEXT_MAX> text{};

        if (state_)
            rdl_easy_token(get(), text.data());
        return text;
    }

    /**
     * Adopts a lock that another process acquired.
     *
     * @param token  the text of its token()
     * @return as rdl_easy_adopt()
     */
    int adopt(const char *token) { return state_ ? rdl_easy_adopt(get(), token) : RDL_E_CONFIG; }

    /** Returns the lock of easy.h, for other functions in C. @return nullptr: it is not open */
    rdl_easy *get() const { return state_ ? &state_->easy : nullptr; }

private:
    struct state {
        rdl_easy easy;
        rdl_easy_thread thread;
    };
    struct closer {
        void operator()(state *s) const
        {
            rdl_easy_close(&s->easy);
            delete s;
        }
    };

    static std::uint32_t to_ms(std::chrono::milliseconds time, std::uint32_t if_negative)
    {
        return time.count() < 0            ? if_negative
               : time.count() > UINT32_MAX ? UINT32_MAX
                                           : static_cast<std::uint32_t>(time.count());
    }

    std::unique_ptr<state, closer> state_; /* on the heap, because an open lock must not be moved */
};

/** @} */

} // namespace rdl

#endif
