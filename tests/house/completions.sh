#!/bin/bash
# SPDX-License-Identifier: MIT
# completions.sh PREFIX - what bash, zsh and fish offer behind the command that is installed under PREFIX.
# bash and fish find the file by themselves where `make install` put it, zsh is told the folder. bash and
# zsh are typed at, on a terminal: a key inserts all that is offered, and the line is run. The sets are
# exact. What they have to be the command says: its verbs and options are those of its help, verb by verb,
# and what each of them takes shows when it is tried.
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

# ---- What the command knows.

says() { # argument...: with a URL that it refuses, so that it never gets further than that
    REDLOCK_URLS=nonsense "$redlock" "$@" </dev/null 2>&1 || true
}

mapfile -t verbs < <("$redlock" --help | sed -n 's/^  redlock \([a-z][a-z]*\) \[options\].*/\1/p' | sort -u)
for verb in "${verbs[@]}"; do "$redlock" "$verb" --help all; done >"$work/help"
"$redlock" --help >>"$work/help"
mapfile -t words < <({
    grep -oE -- '--[a-z][a-z-]*[a-z]' "$work/help"
    sed -nE 's/^  (-[A-Za-z]), .*/\1/p' "$work/help"
} | sort -u)
mapfile -t files < <(sed -nE 's/^.*(--[a-z-]+) FILE.*/\1/p' "$work/help" | sort -u)

# ---- What is asked, and what has to be offered.

lines=()
expect() { # line word...
    local line=$1 word
    lines+=("$line")
    shift
    for word; do printf '%s\t%s\n' "$line" "$word"; done >>"$work/expected"
}

top=()
for word in "${words[@]}"; do
    if "$redlock" "$word" >"$work/said" 2>&1; then top+=("$word"); fi
done
expect 'redlock ' "${verbs[@]}" completion
expect 'redlock completion ' bash zsh fish
expect 'redlock completion bash '
expect 'redlock -' "${top[@]}"

declare -A seen=()
expect_value() { # verb option: unless another verb's was asked for it
    local said
    local -a offered=()
    said=$(says "$1" "$2" zzz)
    [[ " ${files[*]} " != *" $2 "* ]] || offered=('a file' b)
    [[ $2 != -u && $2 != --url ]] || offered=(redis://a:1 unix:///b 'redis://me:@[::1]:3')
    [[ ! $said =~ ': give '([a-z, -]+)' or '([a-z-]+)$ ]] ||
        mapfile -t offered < <(printf '%s\n' "${BASH_REMATCH[1]}, ${BASH_REMATCH[2]}" | sed 's/, /\n/g')
    [ -z "${seen[$2]-}" ] || return 0
    seen[$2]=1
    expect "redlock $1 $2 " "${offered[@]}"
    expect "redlock $1 $2 5 --verb" --verbose
}

for verb in "${verbs[@]}"; do
    known=()
    for word in "${words[@]}"; do
        said=$(says "$verb" "$word")
        case $said in *'unknown option'* | *'is not an option'*) continue ;; esac
        known+=("$word")
        value=
        if [[ $said == *'needs a value'* ]]; then
            value=' 5'
            expect_value "$verb" "$word"
        fi
        # Its value is not taken for the lock, nor the lock for its value; and -l names it.
        lock=' lock'
        [[ $word != -l && $word != --lock ]] || lock=
        [[ $verb != run || $word == --help ]] || expect "redlock run $word$value$lock -- errand " alpha beta
    done
    expect "redlock $verb --help " all
    [ "$verb" != run ] || run=${#lines[@]}
    expect "redlock $verb -" "${known[@]}"
    expect "redlock $verb lock -"
done

expect 'redlock list --legacy prefix --verb'
expect 'redlock run -u redis://a' redis://a:1
expect 'redlock run --url=redis://a' --url=redis://a:1
expect 'redlock run --log=te' --log=text
expect 'redlock run --trace=a' '--trace=a file'
expect 'redlock run erran'
expect 'redlock run -l lock erran' errand
expect 'redlock run -l lock --lock=another -v -- erran' errand
expect 'redlock run --lock=lock -vllock errand ' alpha beta
expect 'redlock run -l lock errand -'
expect 'redlock status -l lock '
expect 'redlock run lock erran' errand
expect 'redlock run lock -- erran' errand
expect 'redlock run -- lock erran' errand
expect 'redlock run lock errand ' alpha beta
expect 'redlock run -nqw 5 lock -- errand ' alpha beta
expect 'redlock run -w5 --ttl=9 -u redis://h:1 --url=unix:///s lock -- errand a' alpha
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
# zsh and fish say of each option what it is for.
clear=$'(\e\\[J)?'
while read -r word; do
    grep -qE -- "^$clear(-.* )?$word( .*)? -- [a-z]" "$work/zsh.screen" ||
        finding "zsh does not describe $word"
    grep -q -- "^$word"$'\t.' "$work/fish.$run" || finding "fish does not describe $word"
done < <(sed -n 's/^redlock run -\t\(--\)/\1/p' "$work/expected.sorted")
[ ! -e "$work/files/ran" ] || finding "what stands in \$REDLOCK_URLS was run"
if [ -s "$work/findings" ]; then
    head -n 20 "$work/findings"
    echo "completions: $(wc -l <"$work/findings") FINDINGS, above are 20 at most: redlock/cli/options/completion.c"
    exit 1
fi
echo "completions: bash, zsh and fish offer what the command knows, ${#lines[@]} lines each"
