/* SPDX-License-Identifier: MIT */
/*
 * resp_multi.c - the scripts for several locks at once: all of them or none. How many keys a call has is set
 * in a copy; text and SHA1 are the same for any number.
 */
#include "resp/resp.h"

static const char acquire_text[] = "for i=1,#KEYS do local v=redis.call('GET',KEYS[i])"
                                   "if v and v~=ARGV[1]then return{0,redis.call('PTTL',KEYS[i])}end end "
                                   "for i=1,#KEYS do redis.call('PSETEX',KEYS[i],ARGV[2],ARGV[1])end "
                                   "return{1,0}";
static const char extend_text[] = "for i=1,#KEYS do local v=redis.call('GET',KEYS[i])"
                                  "if v~=ARGV[1]then return v and 0 or-1 end end "
                                  "for i=1,#KEYS do if redis.call('PTTL',KEYS[i])<tonumber(ARGV[2])then "
                                  "redis.call('PEXPIRE',KEYS[i],ARGV[2])end end "
                                  "return 1";
/* What is no string is somebody else's, and must not keep the others from being deleted. */
static const char release_text[] = "local r=1 "
                                   "for i=1,#KEYS do local v=redis.pcall('GET',KEYS[i])"
                                   "if v==ARGV[1]then redis.call('DEL',KEYS[i])"
                                   "elseif v then r=0 "
                                   "elseif r==1 then r=-1 end end "
                                   "return r";

const struct rdl_script rdl_script_acquire_multi = {
    acquire_text, sizeof acquire_text - 1, 1, 2, 6, "671a89ef7a09853d0dcfafd29688a50e3386d8d2"};
const struct rdl_script rdl_script_extend_multi = {
    extend_text, sizeof extend_text - 1, 1, 2, 7, "57603e5ec906f04914e28a48f51dd323bfd67e4a"};
const struct rdl_script rdl_script_release_multi = {
    release_text, sizeof release_text - 1, 1, 1, 8, "ace8810cbc7e43ff275dc568a83602400a2aa031"};
