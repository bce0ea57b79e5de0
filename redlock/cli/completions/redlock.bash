# SPDX-License-Identifier: MIT
# Completion of redlock(1) in bash, by the functions of the package bash-completion.
# tests/house/completions.sh compares it with what the command knows.
# shellcheck shell=bash disable=SC2207 # what compgen prints of our own words has no blanks

_redlock_options() { # VERB
    local all='-u --url --connect-command --any-address --password-file --password-fd --attempt'
    all+=' -v --verbose -q --quiet --trace -h --help'
    [[ $1 == list ]] || all+=' -l --lock'
    local logging='--log --log-fd'
    local guarding='--max-ttl --restart-guard'
    local leasing="--ttl --canary $guarding $logging"
    local waiting='-w --wait --timeout'
    local getting="$leasing $waiting -n --nonblock --nb -E --conflict-exit-code --fence --wake-hint"
    local holding="--grace --keep $getting"
    case $1 in
        run) echo "$all $holding --max-hold --legacy --legacy-shortest-ttl --clock-error -c --command" ;;
        acquire) echo "$all $getting --token-file" ;;
        extend) echo "$all $leasing --token-file --token-fd" ;;
        release) echo "$all $logging --wake-hint --token-file --token-fd" ;;
        hold) echo "$all $holding" ;;
        status) echo "$all $guarding --json" ;;
        list) echo "$all $guarding --json --legacy $waiting" ;;
        break) echo "$all $guarding --held-by" ;;
        doctor) echo "$all $guarding --json --ttl --fence --wake-hint --canary --legacy --clock-error" ;;
    esac
}

_redlock_takes_value() { # VERB OPTION: is the next word its value? As in -nqw 5, and not in -w5.
    case $1$2 in
        list--legacy) return 1 ;;
    esac
    case $2 in
        --url | --connect-command | --lock | --ttl | --wait | --timeout | --conflict-exit-code | --grace | --attempt) ;;
        --max-ttl | --max-hold | --keep | --restart-guard | --legacy | --clock-error | --command) ;;
        --log | --log-fd | --held-by | --password-file | --password-fd | --token-file | --token-fd) ;;
        *) [[ $2 =~ ^-[nvq]*[uwEcl]$ ]] ;;
    esac
}

# Of $REDLOCK_URLS, which blanks and line ends part. One with a password is left out: it would stand on the screen
# and in the arguments, and without it, it would be another URL. So is one with bytes that a URL has as %XX: a shell
# may run them. Not by compgen -W, which runs what stands in $(...).
_redlock_urls() {
    local url plain='^[]A-Za-z0-9_.~:/@%?=+,[-]+$'
    local -a urls
    IFS=$' \t\r\n' read -r -d '' -a urls <<<"${REDLOCK_URLS-}"
    for url in "${urls[@]}"; do
        [[ $url == "$cur"* && $url =~ $plain && ($url != *@* || $url =~ ^[^:]*://[^:]*:@[^@]*$) ]] && COMPREPLY+=("$url")
    done
    __ltrim_colon_completions "$cur"
}

_redlock_value() { # OPTION
    case $1 in
        --url | -*u) _redlock_urls ;;
        --password-file | --token-file | --trace) _filedir ;;
        --log) COMPREPLY=($(compgen -W 'text json' -- "$cur")) ;;
        --legacy) COMPREPLY=($(compgen -W 'never auto always' -- "$cur")) ;;
        --restart-guard) COMPREPLY=($(compgen -W 'strict required if-permitted off' -- "$cur")) ;;
    esac
}

# bash parts words at a colon, as in a URL, and _command_offset counts those parts.
_redlock_command() { # INDEX of its first word
    local k part=0 word
    for ((k = 0; k < $1; k++)); do
        word=
        while [[ $word != "${words[k]}" ]]; do
            ((part < COMP_CWORD)) || return
            word+=${COMP_WORDS[part++]}
        done
    done
    _command_offset "$part"
}

_redlock() {
    local cur prev words cword split i=2 is_named=
    _init_completion -s -n : || return
    local verb=${words[1]-}
    if ((cword == 1)); then
        local first='run acquire extend release hold status list break doctor'
        [[ $cur != -* ]] || first='-h --help --version'
        COMPREPLY=($(compgen -W "$first" -- "$cur"))
        return
    fi
    # Options stand before the lock, which -l may have named.
    while ((i < cword)) && [[ ${words[i]} == -?* && ${words[i]} != -- ]]; do
        [[ ! ${words[i]} =~ ^(--lock(=.*)?|-[nvq]*l.*)$ ]] || is_named=1
        _redlock_takes_value "$verb" "${words[i]}" && ((i++))
        ((i++))
    done
    if ((i > cword)) || { ((i == cword)) && $split; }; then
        _redlock_value "$prev"
    elif [[ $prev == -h || $prev == --help ]]; then
        COMPREPLY=($(compgen -W all -- "$cur"))
    elif ((i == cword)) && [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(_redlock_options "$verb")" -- "$cur"))
    elif [[ $verb == run ]]; then
        if [[ ! $is_named ]]; then
            [[ ${words[i]} != -- ]] || ((i++))
            ((i++))
        fi
        [[ ${words[i]-} != -- ]] || ((i++))
        ((i > cword)) || _redlock_command "$i"
    fi
} && complete -F _redlock redlock
