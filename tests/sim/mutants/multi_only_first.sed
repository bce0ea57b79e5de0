# SPDX-License-Identifier: MIT
# resp/resp_script.c: several locks are acquired together
s/^(  *")for i=1,#KEYS do redis\.call\('PSETEX'/\1for i=1,1 do redis.call('PSETEX'/
