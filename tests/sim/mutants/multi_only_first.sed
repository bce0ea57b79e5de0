# SPDX-License-Identifier: MIT
# lock/lock_scripts.c: R5: several locks are acquired together
s/^(  *")for i=1,#KEYS do redis\.call\('PSETEX'/\1for i=1,1 do redis.call('PSETEX'/
