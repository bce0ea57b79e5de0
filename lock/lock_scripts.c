/* SPDX-License-Identifier: MIT */
/* lock_scripts.c - the Lua scripts of locks. */
#include "lock/lock_commands.h"

#define LITERAL_LEN(text) (sizeof(text) - 1)

/* ---------------------------------------------------------------- one lock */

/*
 * The texts have no needless spaces, because EVAL sends all of them. Each text is its own object, so that a
 * static link drops those of unused modes.
 */
static const char release_text[] = "local v=redis.call('GET',KEYS[1])"
                                   "if v==ARGV[1]then return redis.call('DEL',KEYS[1])end "
                                   "return v and 0 or-1";
static const char extend_text[] =
    "local v=redis.call('GET',KEYS[1])"
    "if v~=ARGV[1]then return v and 0 or-1 end "
    "if redis.call('PTTL',KEYS[1])<tonumber(ARGV[2])then redis.call('PEXPIRE',KEYS[1],ARGV[2])end "
    "return 1";
static const char replace_text[] = "local v=redis.call('GET',KEYS[1])"
                                   "if v~=ARGV[1]then return v and 0 or-1 end "
                                   "redis.call('SET',KEYS[1],ARGV[2])return 1";
static const char acquire_text[] = "local v=redis.call('GET',KEYS[1])"
                                   "if v and v~=ARGV[1]then return{0,redis.call('PTTL',KEYS[1])}end "
                                   "local c=tonumber(redis.call('GET',KEYS[2])or 0)"
                                   "if not v then c=math.max(c+1,tonumber(ARGV[3]))end "
                                   "redis.call('SET',KEYS[2],string.format('%.0f',c))"
                                   "if ARGV[4]~='0'then redis.call('PEXPIRE',KEYS[2],ARGV[4])end "
                                   "if not v then redis.call('PSETEX',KEYS[1],ARGV[2],ARGV[1])end "
                                   "return{1,c}";
static const char extend_fenced_text[] =
    "local v=redis.call('GET',KEYS[1])"
    "if v~=ARGV[1]then return v and 0 or-1 end "
    "if(tonumber(redis.pcall('GET',KEYS[2]))or 0)<tonumber(ARGV[3])then "
    "redis.call('SET',KEYS[2],ARGV[3])end "
    "if ARGV[4]~='0'then redis.call('PEXPIRE',KEYS[2],ARGV[4])end "
    "if redis.call('PTTL',KEYS[1])<tonumber(ARGV[2])then redis.call('PEXPIRE',KEYS[1],ARGV[2])end "
    "return 1";

const struct rdl_script rdl_script_release = {release_text, LITERAL_LEN(release_text), RDL_SCRIPT_RELEASE,
                                              "405ff44962cd47e5aa852fc40f9e4817c685a7e4"};
const struct rdl_script rdl_script_extend = {extend_text, LITERAL_LEN(extend_text), RDL_SCRIPT_EXTEND,
                                             "08268618273684dd4965e354b804771b81d04031"};
const struct rdl_script rdl_script_replace = {replace_text, LITERAL_LEN(replace_text), RDL_SCRIPT_REPLACE,
                                              "abf463a6a378e6400555b2c166bf7cac01aa6ce9"};
const struct rdl_script rdl_script_acquire = {acquire_text, LITERAL_LEN(acquire_text), RDL_SCRIPT_ACQUIRE,
                                              "4051092336c097779185b300bfa90f576279f32a"};
const struct rdl_script rdl_script_extend_fenced = {extend_fenced_text, LITERAL_LEN(extend_fenced_text),
                                                    RDL_SCRIPT_EXTEND_FENCED,
                                                    "00eaf0118af36d2584e2c27e51bd8fdc1f10ecd7"};

/* ---------------------------------------------------------------- a release that wakes a waiting client */

/*
 * The script deletes the lock first, and nothing after that may fail. So the lock is released even if the
 * list's key has another type or the user lacks permission for it. An existing list is left alone.
 */
static const char wake_text[] = "local v=redis.call('GET',KEYS[1])"
                                "if v~=ARGV[1]then return v and 0 or-1 end "
                                "redis.call('DEL',KEYS[1])"
                                "if redis.pcall('TYPE',KEYS[2]).ok=='none'then "
                                "redis.pcall('RPUSH',KEYS[2],1)"
                                "redis.pcall('PEXPIRE',KEYS[2],ARGV[2])end "
                                "return 1";

const struct rdl_script rdl_script_release_hint = {wake_text, LITERAL_LEN(wake_text), RDL_SCRIPT_RELEASE_HINT,
                                                   "3829627bd9448bec2abf2506b28e451f028bf7fd"};

/* ---------------------------------------------------------------- several locks: all of them or none */

static const char acquire_multi_text[] =
    "for i=1,#KEYS do local v=redis.call('GET',KEYS[i])"
    "if v and v~=ARGV[1]then return{0,redis.call('PTTL',KEYS[i])}end end "
    "for i=1,#KEYS do redis.call('PSETEX',KEYS[i],ARGV[2],ARGV[1])end "
    "return{1,0}";
static const char extend_multi_text[] =
    "for i=1,#KEYS do local v=redis.call('GET',KEYS[i])"
    "if v~=ARGV[1]then return v and 0 or-1 end end "
    "for i=1,#KEYS do if redis.call('PTTL',KEYS[i])<tonumber(ARGV[2])then "
    "redis.call('PEXPIRE',KEYS[i],ARGV[2])end end "
    "return 1";
/* A key that is no string belongs to another client, and must not keep the others from being deleted. */
static const char release_multi_text[] = "local r=1 "
                                         "for i=1,#KEYS do local v=redis.pcall('GET',KEYS[i])"
                                         "if v==ARGV[1]then redis.call('DEL',KEYS[i])"
                                         "elseif v then r=0 "
                                         "elseif r==1 then r=-1 end end "
                                         "return r";

const struct rdl_script rdl_script_acquire_multi = {acquire_multi_text, LITERAL_LEN(acquire_multi_text),
                                                    RDL_SCRIPT_ACQUIRE_MULTI,
                                                    "671a89ef7a09853d0dcfafd29688a50e3386d8d2"};
const struct rdl_script rdl_script_extend_multi = {extend_multi_text, LITERAL_LEN(extend_multi_text),
                                                   RDL_SCRIPT_EXTEND_MULTI,
                                                   "57603e5ec906f04914e28a48f51dd323bfd67e4a"};
const struct rdl_script rdl_script_release_multi = {release_multi_text, LITERAL_LEN(release_multi_text),
                                                    RDL_SCRIPT_RELEASE_MULTI,
                                                    "ace8810cbc7e43ff275dc568a83602400a2aa031"};
