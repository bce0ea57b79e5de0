# SPDX-License-Identifier: MIT
# resp/resp_script.c: R5: several locks are acquired together
s/^(  *")for i=1,#KEYS do redis\.call\('PSETEX'/\1for i=1,1 do redis.call('PSETEX'/
