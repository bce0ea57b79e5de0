# SPDX-License-Identifier: MIT
# Completion of redlock(1) in fish. tests/house/completions.sh compares it with what the command knows.

# Which word the lock is, or would be if -l did not name it; options stand before it.
function __redlock_lock_at
    set -l words (commandline -opc)
    set -l at 3
    while string match -qr -- '^-.' $words[$at]; and test $words[$at] != --
        switch $words[2]$words[$at]
            case list--legacy
            case '*--'{url,connect-command,lock,ttl,wait,timeout,conflict-exit-code,grace,attempt} \
                '*--'{max-ttl,max-hold,keep,restart-guard,legacy,clock-error,command,log,log-fd,password-file} \
                '*--'{password-fd,token-file,token-fd,held-by}
                set at (math $at + 1)
            case '*'
                string match -qr -- '^-[nvq]*[uwEcl]$' $words[$at]; and set at (math $at + 1)
        end
        set at (math $at + 1)
    end
    echo $at
end

# Is an option of one of these verbs in its place here?
function __redlock_in # VERB...
    set -l words (commandline -opc)
    contains -- "$words[2]" $argv; and test (count $words) -lt (__redlock_lock_at)
end

# Of run: the command's words, and the one that is being written.
function __redlock_command
    set -l words (commandline -opc)
    set -l at (__redlock_lock_at)
    if not string match -qr -- '^(--lock(=.*)?|-[nvq]*l.*)$' $words[3..(math $at - 1)]
        test "$words[$at]" = --; and set at (math $at + 1)
        set at (math $at + 1)
    end
    test "$words[$at]" = --; and set at (math $at + 1)
    test $at -le (math (count $words) + 1); or return
    set -l command (string escape -- $words[$at..]) (commandline -ct)
    string match -q -- '-*' "$command"; or complete --do-complete="$command"
end

# Of $REDLOCK_URLS, which blanks and line ends part. One with a password is left out: it would stand on the screen
# and in the arguments, and without it, it would be another URL. So is one with bytes that a URL has as %XX: a shell
# may run them.
function __redlock_urls
    string match -ar -- '\S+' $REDLOCK_URLS | string match -r -- '^(?:[^@]*|[^:]*://[^:]*:@[^@]*)$' |
        string match -r -- '^[]A-Za-z0-9_.~:/@%?=+,[-]+$'
end

complete -c redlock -f
complete -c redlock -n __fish_is_first_arg -a run -d 'run a command while holding a lock'
complete -c redlock -n __fish_is_first_arg -a acquire -d 'wait for a lock, print its token, leave it held'
complete -c redlock -n __fish_is_first_arg -a extend -d 'extend the lease of a token'
complete -c redlock -n __fish_is_first_arg -a release -d 'release the lock of a token'
complete -c redlock -n __fish_is_first_arg -a hold -d 'hold a lock until standard input ends'
complete -c redlock -n __fish_is_first_arg -a status -d 'print who holds a lock, and for how long at most'
complete -c redlock -n __fish_is_first_arg -a list -d 'list locks and their holders'
complete -c redlock -n __fish_is_first_arg -a break -d 'delete a lock whose holder is gone'
complete -c redlock -n __fish_is_first_arg -a doctor -d 'check the servers, suggest a fix for each problem'
complete -c redlock -n __fish_is_first_arg -s h -l help -d 'print the verbs'
complete -c redlock -n __fish_is_first_arg -l version -d 'print the version'
complete -c redlock -n 'contains -- run (commandline -opc)[2]' -a '(__redlock_command)'

set -l getting run acquire hold
set -l leasing $getting extend
set -l logging $leasing release
set -l naming $logging status break doctor
set -l all $naming list
complete -c redlock -n "__redlock_in $all" -s u -l url -x -a '(__redlock_urls)' \
    -d 'use this server; repeat for up to 7'
complete -c redlock -n "__redlock_in $naming" -s l -l lock -x -d 'name a lock; repeat for several at once'
complete -c redlock -n "__redlock_in $all" -l connect-command -x \
    -d 'connect to rediss:// servers through this program'
complete -c redlock -n "__redlock_in $all" -l any-address \
    -d 'accept a host name that has several addresses'
complete -c redlock -n "__redlock_in $all" -l password-file -rF \
    -d 'read the password of all servers from this file'
complete -c redlock -n "__redlock_in $all" -l password-fd -x -d 'read the password from this descriptor'
complete -c redlock -n "__redlock_in $all" -l attempt -x \
    -d 'wait at most this long for the replies to one attempt'
complete -c redlock -n "__redlock_in $all" -s v -l verbose -d 'print what happens'
complete -c redlock -n "__redlock_in $all" -s q -l quiet -d 'print only results and errors'
complete -c redlock -n "__redlock_in $all" -l trace -F \
    -d 'write every byte sent and received, without passwords'
complete -c redlock -n "__redlock_in $all" -s h -l help -xa all \
    -d 'print the most used options of this verb, or all'
complete -c redlock -n "__redlock_in $leasing status list break doctor" -l max-ttl -x \
    -d 'assume that no client of these servers has a longer ttl'
complete -c redlock -n "__redlock_in $leasing status list break doctor" -l restart-guard -x \
    -a 'strict required if-permitted off' -d 'choose when a restarted server may be used'
complete -c redlock -n "__redlock_in $logging" -l log -x -a 'text json' -d 'write a line for each event'
complete -c redlock -n "__redlock_in $logging" -l log-fd -x -d 'write the log to this descriptor'
complete -c redlock -n "__redlock_in $leasing doctor" -l ttl -x \
    -d 'let the lease expire after this time unless renewed'
complete -c redlock -n "__redlock_in $leasing doctor" -l canary \
    -d 'notice if a server loses its data without a restart'
complete -c redlock -n "__redlock_in $getting list" -s w -l wait -l timeout -x -d 'wait at most this long'
complete -c redlock -n "__redlock_in $getting" -s n -l nonblock -l nb -d 'do not wait'
complete -c redlock -n "__redlock_in $getting" -s E -l conflict-exit-code -x \
    -d 'exit with this status if another client holds the lock'
complete -c redlock -n "__redlock_in $getting doctor" -l fence -d 'get a fencing token'
complete -c redlock -n "__redlock_in $getting release doctor" -l wake-hint \
    -d 'be notified on release, and notify waiters'
complete -c redlock -n '__redlock_in run hold' -l grace -x \
    -d 'stop this long before a lease that cannot be renewed ends'
complete -c redlock -n '__redlock_in run hold' -l keep -x -d 'hold the lock for at least this time'
complete -c redlock -n '__redlock_in run doctor' -l legacy -x -a 'never auto always' \
    -d 'use the old protocol, SETNX'
complete -c redlock -n '__redlock_in list' -l legacy -d 'list locks of the old protocol, too'
complete -c redlock -n '__redlock_in run' -l max-hold -x \
    -d 'stop the command before it has held the lock this long'
complete -c redlock -n '__redlock_in run' -l legacy-shortest-ttl \
    -d 'state that old clients have no shorter ttl and delete only their own'
complete -c redlock -n '__redlock_in run doctor' -l clock-error -x \
    -d 'state how far the clocks of clients may differ'
complete -c redlock -n '__redlock_in run' -s c -l command -x -d 'run this string with /bin/sh -c'
complete -c redlock -n '__redlock_in acquire extend release' -l token-file -rF \
    -d 'write or read the token here'
complete -c redlock -n '__redlock_in extend release' -l token-fd -x -d 'read the token from this descriptor'
complete -c redlock -n '__redlock_in status list doctor' -l json -d 'print one JSON object instead of lines'
complete -c redlock -n '__redlock_in break' -l held-by -x -d 'delete the lock of this holder without asking'
