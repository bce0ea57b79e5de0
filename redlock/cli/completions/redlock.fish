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
complete -c redlock -n __fish_is_first_arg -a extend -d 'the lease of a token lasts longer'
complete -c redlock -n __fish_is_first_arg -a release -d 'the lease of a token ends'
complete -c redlock -n __fish_is_first_arg -a hold -d 'hold a lock until standard input ends'
complete -c redlock -n __fish_is_first_arg -a status -d 'who holds a lock, and for how long at most'
complete -c redlock -n __fish_is_first_arg -a list -d 'which locks there are, and who holds them'
complete -c redlock -n __fish_is_first_arg -a break -d 'delete a lock whose holder is gone'
complete -c redlock -n __fish_is_first_arg -a doctor -d 'what is wrong with the servers, and its remedy'
complete -c redlock -n __fish_is_first_arg -l help -d 'the verbs'
complete -c redlock -n __fish_is_first_arg -l version -d 'the version'
complete -c redlock -n 'contains -- run (commandline -opc)[2]' -a '(__redlock_command)'

set -l getting run acquire hold
set -l leasing $getting extend
set -l logging $leasing release
set -l naming $logging status break doctor
set -l all $naming list
complete -c redlock -n "__redlock_in $all" -s u -l url -x -a '(__redlock_urls)' -d 'a server'
complete -c redlock -n "__redlock_in $naming" -s l -l lock -x -d 'a lock, in the place of LOCK'
complete -c redlock -n "__redlock_in $all" -l connect-command -x -d 'the program that connects to rediss:// servers'
complete -c redlock -n "__redlock_in $all" -l any-address -d 'all addresses of a name lead to one server'
complete -c redlock -n "__redlock_in $all" -l password-file -rF -d 'the password of all servers'
complete -c redlock -n "__redlock_in $all" -l password-fd -x -d 'the password, from this descriptor'
complete -c redlock -n "__redlock_in $all" -l attempt -x -d 'how long one attempt waits for answers'
complete -c redlock -n "__redlock_in $all" -s v -l verbose -d 'say what happens'
complete -c redlock -n "__redlock_in $all" -s q -l quiet -d 'errors only'
complete -c redlock -n "__redlock_in $all" -l trace -F \
    -d 'every byte sent and received, without the passwords'
complete -c redlock -n "__redlock_in $all" -l help -d 'the options of this verb'
complete -c redlock -n "__redlock_in $leasing status list break doctor" -l max-ttl -x \
    -d 'the longest ttl of all who share these servers'
complete -c redlock -n "__redlock_in $leasing status list break doctor" -l restart-guard -x \
    -a 'strict required if-permitted off' -d 'when a server that restarted counts'
complete -c redlock -n "__redlock_in $logging" -l log -x -a 'text json' -d 'a line for each event'
complete -c redlock -n "__redlock_in $logging" -l log-fd -x -d 'the log goes to this descriptor'
complete -c redlock -n "__redlock_in $leasing doctor" -l ttl -x -d 'how long a crash may block the others'
complete -c redlock -n "__redlock_in $leasing doctor" -l canary -d 'notice when a server lost its data'
complete -c redlock -n "__redlock_in $getting list" -s w -l wait -l timeout -x -d 'wait so long'
complete -c redlock -n "__redlock_in $getting" -s n -l nonblock -l nb -d 'do not wait'
complete -c redlock -n "__redlock_in $getting" -s E -l conflict-exit-code -x \
    -d 'exit status when somebody else holds the lock'
complete -c redlock -n "__redlock_in $getting doctor" -l fence -d 'a number that grows with every holder'
complete -c redlock -n "__redlock_in $getting release doctor" -l wake-hint \
    -d 'who waits is told when the lock is free'
complete -c redlock -n '__redlock_in run hold' -l grace -x -d 'what is left of the lease when it is given up'
complete -c redlock -n '__redlock_in run hold' -l keep -x -d 'hold the lock for so long at least'
complete -c redlock -n '__redlock_in run doctor' -l legacy -x -a 'never auto always' \
    -d 'the old protocol, SETNX'
complete -c redlock -n '__redlock_in list' -l legacy -d 'locks of the old protocol, too'
complete -c redlock -n '__redlock_in run' -l max-hold -x \
    -d 'stop the command before it has held the lock for longer'
complete -c redlock -n '__redlock_in run' -l legacy-shortest-ttl \
    -d 'no client has a shorter ttl or deletes what it does not hold'
complete -c redlock -n '__redlock_in run doctor' -l clock-error -x -d 'how far the clock may be off'
complete -c redlock -n '__redlock_in run' -s c -l command -x -d 'run it with /bin/sh -c'
complete -c redlock -n '__redlock_in acquire extend release' -l token-file -rF -d 'where the token is'
complete -c redlock -n '__redlock_in extend release' -l token-fd -x -d 'the token, from this descriptor'
complete -c redlock -n '__redlock_in status list doctor' -l json -d 'all of it as one object'
complete -c redlock -n '__redlock_in break' -l held-by -x -d "do not ask: it is that holder's"
