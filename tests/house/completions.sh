#!/bin/bash
# SPDX-License-Identifier: MIT
# completions.sh PREFIX - what bash, zsh and fish offer after the command that is installed under PREFIX.
# bash and fish find the file by themselves where `make install` put it; zsh gets the folder. bash and
# zsh are typed at, on a terminal: a key inserts all that is offered, and the line is run. The sets are exact.
set -euo pipefail
prefix=$1
redlock=$prefix/bin/redlock
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/files" "$work/home"
touch "$work/files/a file" "$work/files/b"
export HOME="$work/home" TERM=xterm LC_ALL=C.UTF-8 PATH="$prefix/bin:$PATH"
export XDG_DATA_DIRS="$prefix/share:/usr/local/share:/usr/share"
unset XDG_CONFIG_HOME XDG_DATA_HOME BASH_COMPLETION_USER_DIR ZDOTDIR INPUTRC
while read -r name; do unset "$name"; done < <(compgen -v REDLOCK_)

finding() { # text...
    echo "completions: $*" >>"$work/findings"
}

lines=()
expect() { # line word...: all that is offered there
    local line=$1 word
    lines+=("$line")
    shift
    for word; do printf '%s\t%s\n' "$line" "$word"; done >>"$work/expected"
}
candidates() { # word...: what the command offers, without what it is for
    "$redlock" __complete "$@" | sed 's/\t.*//'
}

mapfile -t verbs < <("$redlock" --help | sed -n 's/^  redlock \([a-z][a-z]*\) .*/\1/p' | sort -u)
expect 'redlock ' "${verbs[@]}"
expect 'redlock completion ' bash zsh fish
expect 'redlock -' -h --help --version
mapfile -t options < <(candidates run -)
expect 'redlock run -' "${options[@]}"
expect 'redlock run --help ' all
expect 'redlock run --trace=a' '--trace=a file'
expect 'redlock run --password-file ' 'a file' b
expect 'redlock run -nv --log ' text json
expect 'redlock run --log=te' --log=text
expect 'redlock run -u ' redis://a:1 unix:///b 'redis://me:@[::1]:3'
expect 'redlock run --url=redis://a' --url=redis://a:1
expect 'redlock run erran'
expect 'redlock run -l lock erran' errand
expect 'redlock run --lock=lock -vllock errand ' alpha beta
expect 'redlock run -nqw 5 lock -- errand ' alpha beta
expect 'redlock run -- lock erran' errand
expect 'redlock run -w5 --ttl=9 -u redis://h:1 --url=unix:///s lock -- errand a' alpha
expect 'redlock status lock -'
# Blanks and line ends part them; none with a password is offered, nor one that a shell would run, nor is that run.
# shellcheck disable=SC2016
REDLOCK_URLS='redis://a:1  redis://me:secret@b redis://:$(touch${IFS}ran)@c
unix:///b redis://$(touch${IFS}ran):1 redis://`touch\tran`
redis://me:@[::1]:3
'
export REDLOCK_URLS

# ---- Three shells are asked.

cat >"$work/bashrc" <<'END'
. /usr/share/bash-completion/bash_completion
bind '"\e*": insert-completions'
errand() { :; }
complete -W 'alpha beta' errand
redlock() { printf '%s\n' "$@" >"$work/bash.$((n++))"; }
cd "$work/files"
END
cat >"$work/zshrc" <<'END'
fpath=("$prefix/share/zsh/site-functions" $fpath)
autoload -Uz compinit && compinit -D -u
zstyle ':completion:all::::' completer _all_matches _complete
zstyle ':completion:all:*' old-matches false
zstyle ':completion:all:*' insert true
zle -C all complete-word _generic
bindkey '\e*' all
LISTMAX=10000
errand() { : }
_errand() { compadd alpha beta }
compdef _errand errand
redlock() { print -rl -- "$@" >"$work/zsh.$((n++))" }
cd "$work/files"
END
cat >"$work/ask.fish" <<'END'
function errand; end
complete -c errand -f -a 'alpha beta'
cd "$work/files"
set n 0
for line in $argv
    complete --do-complete="$line" >"$work/fish.$n"
    set n (math $n + 1)
end
END
export work prefix n=0
printf '%s\e*\n' "${lines[@]}" >"$work/keys"
typed() { # shell command
    timeout 60 script -qec "$2" /dev/null >"$work/$1.screen" || finding "$1 ended with $?"
}
{
    cat "$work/keys"
    echo exit
} | typed bash "bash --noprofile --rcfile '$work/bashrc' -i"
{
    echo ". '$work/zshrc'"
    cat "$work/keys"
    printf 'redlock run --\thelp\nexit\n' # a list of them, as people see it
} | typed zsh 'zsh -f -i'
fish "$work/ask.fish" "${lines[@]}"

offered() { # shell
    local k line begun
    local -a there words
    for k in "${!lines[@]}"; do
        line=${lines[k]}
        [ -e "$work/$1.$k" ] || { finding "$1 did not run '$line'" && continue; }
        begun=${line##* }
        if [ "$1" = fish ]; then # since 4.0 it tells, but does not show, also what is but like the word that was begun
            mapfile -t words < <(grep -- "^$begun" "$work/$1.$k")
            words=("${words[@]%%$'\t'*}")
        else # less what stands there already, and the word that was begun, if nothing is put in its place
            mapfile -t words <"$work/$1.$k"
            read -ra there <<<"${line% *}"
            words=("${words[@]:${#there[@]}-1}")
            [[ ${#words[@]} -gt 1 || ${words[0]-} != "$begun" ]] || words=()
        fi
        [ ${#words[@]} -eq 0 ] || printf '%s\n' "${words[@]/#/$line$'\t'}"
    done
}
sort -u "$work/expected" >"$work/expected.sorted"
for shell in bash zsh fish; do
    offered $shell | sort -u >"$work/offered"
    while IFS=$'\t' read -r line word; do
        finding "$shell: '$line' does not offer $word"
    done < <(comm -23 "$work/expected.sorted" "$work/offered")
    while IFS=$'\t' read -r line word; do
        finding "$shell: '$line' offers $word, which is nothing there"
    done < <(comm -13 "$work/expected.sorted" "$work/offered")
done
# zsh and fish describe them.
grep -qE -- '--verbose( .*)? -- print what' "$work/zsh.screen" || finding "zsh describes no option"
grep -q -- $'^--verbose\tprint what' "$work/fish.3" || finding "fish describes no option"
[ ! -e "$work/files/ran" ] || finding "what stands in \$REDLOCK_URLS was run"
if [ -s "$work/findings" ]; then
    head -n 20 "$work/findings"
    echo "completions: $(wc -l <"$work/findings") FINDINGS, above are 20 at most: redlock/cli/options/completion.c"
    exit 1
fi
echo "completions: bash, zsh and fish offer what the command knows, ${#lines[@]} lines each"
