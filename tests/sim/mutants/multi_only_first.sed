# SPDX-License-Identifier: MIT
# resp/resp_script.c: several locks are taken all of them
s/^(  *")for i=1,#KEYS do redis\.call\('PSETEX'/\1for i=1,1 do redis.call('PSETEX'/
