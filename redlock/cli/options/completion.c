/* SPDX-License-Identifier: MIT */
/*
 * `redlock completion SHELL`: scripts that complete the command line in bash, zsh and fish. What depends on
 * the verbs and options comes from their tables. tests/house/completions.sh types at all three.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/option_table.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"

#include <string.h>

enum { LINE_MAX_BYTES = 4096 };

static char line[LINE_MAX_BYTES];
static struct rdl_cli_text t = {line, sizeof line, 0};

/* Prints what was added, and begins again. */
static int put(int rc)
{
    rc = rc == 0 && t.len > 0 ? rdl_cli_print(line) : rc;
    t.len = 0;
    line[0] = '\0';
    return rc;
}

static int is_shown(const struct rdl_cli_option *opt)
{
    return opt->group != RDL_CLI_HIDDEN;
}

/* Returns 1 if the next word is its value. */
static int takes_next(const struct rdl_cli_option *opt)
{
    return is_shown(opt) && opt->metavar != NULL && opt->kind != RDL_CLI_FLAG && !opt->is_optional;
}

/* Returns 1 for --help, which may be followed by "all". */
static int takes_all(const struct rdl_cli_option *opt)
{
    return opt->kind == RDL_CLI_FLAG && opt->metavar != NULL;
}

static int is_named(const struct rdl_cli_option *opt, const char *metavar)
{
    return opt->metavar != NULL && strcmp(opt->metavar, metavar) == 0;
}

/* Returns 1 for the first row with this word. */
static int is_first(size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (strcmp(rdl_cli_option_table[i].word, rdl_cli_option_table[k].word) == 0)
            return 0;
    return 1;
}

/* Adds the letters of options with or without a value, each once. */
static void add_letters(int with_value)
{
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        if (opt->letter != 0 && is_first(k) && takes_next(opt) == with_value)
            rdl_cli_add(&t, "%c", opt->letter);
    }
}

/* Adds the words of the options whose next word is their value. begin: before each; between: after each. */
static void add_words_with_value(const char *begin, const char *between)
{
    const char *before = "";

    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        if (!takes_next(opt) || (k > 0 && strcmp(opt->word, opt[-1].word) == 0))
            continue;
        rdl_cli_add(&t, "%s%s%s", before, begin, opt->word);
        if (opt->alias != NULL)
            rdl_cli_add(&t, "%s%s%s", between, begin, opt->alias);
        before = between;
    }
}

/* Adds "VERB--WORD" for each verb to which the option is a flag, while other verbs give it a value. */
static void add_flags_of_some(const char *between)
{
    const char *before = "";

    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        for (size_t i = 0; i < rdl_cli_option_rows; i++) {
            const struct rdl_cli_option *flag = &rdl_cli_option_table[k], *other = &rdl_cli_option_table[i];
            if (takes_next(flag) || !takes_next(other) || strcmp(flag->word, other->word) != 0)
                continue;
            for (size_t v = 0; v < RDL_CLI_VERBS; v++) {
                if (!(flag->verbs & rdl_cli_verb_table[v].verb))
                    continue;
                rdl_cli_add(&t, "%s%s--%s", before, rdl_cli_verb_table[v].word, flag->word);
                before = between;
            }
        }
    }
}

/*
 * Adds what the option is for: its text to the first ';' or ':', or to its end. Each of special gets a
 * backslash.
 */
static void add_description(const char *text, const char *special)
{
    for (; *text != '\0' && !((*text == ';' || *text == ':') && text[1] == ' '); text++)
        rdl_cli_add(&t, "%s%c", strchr(special, *text) != NULL ? "\\" : "", *text);
}

/* ---------------------------------------------------------------- bash */

static const char bash_begin[] = "# SPDX-License-Identifier: MIT\n"
                                 "# Completion of redlock(1) in bash, by the functions of the package "
                                 "bash-completion. redlock printed it.\n"
                                 "# shellcheck shell=bash disable=SC2207\n"
                                 "\n"
                                 "_redlock_options() { # VERB: its options; none: the verbs\n"
                                 "    case $1 in\n";

static const char bash_takes_value[] =
    "    esac\n"
    "}\n"
    "\n"
    "_redlock_takes_value() { # VERB OPTION: is the next word its value? As in -nqw 5, and not in -w5.\n";

static const char bash_urls[] =
    "    esac\n"
    "}\n"
    "\n"
    "# The URLs in $REDLOCK_URLS, without those that have a password: it would be on the screen and in the\n"
    "# arguments. A URL with other bytes is left out, too: a shell may run them. So may compgen -W.\n"
    "_redlock_urls() {\n"
    "    local url plain='^[]A-Za-z0-9_.~:/@%?=+,[-]+$'\n"
    "    local -a urls\n"
    "    IFS=$' \\t\\r\\n' read -r -d '' -a urls <<<\"${REDLOCK_URLS-}\"\n"
    "    for url in \"${urls[@]}\"; do\n"
    "        [[ $url == \"$cur\"* && $url =~ $plain ]] || continue\n"
    "        [[ $url != *@* || $url =~ ^[^:]*://[^:]*:@[^@]*$ ]] && COMPREPLY+=(\"$url\")\n"
    "    done\n"
    "    __ltrim_colon_completions \"$cur\"\n"
    "}\n"
    "\n"
    "_redlock_value() { # OPTION\n"
    "    case $1 in\n";

static const char bash_end[] =
    "    esac\n"
    "}\n"
    "\n"
    "# bash splits words at a colon, as in a URL, and _command_offset counts those parts.\n"
    "_redlock_command() { # INDEX of its first word\n"
    "    local k part=0 word\n"
    "    for ((k = 0; k < $1; k++)); do\n"
    "        word=\n"
    "        while [[ $word != \"${words[k]}\" ]]; do\n"
    "            ((part < COMP_CWORD)) || return\n"
    "            word+=${COMP_WORDS[part++]}\n"
    "        done\n"
    "    done\n"
    "    _command_offset \"$part\"\n"
    "}\n"
    "\n"
    "_redlock() {\n"
    "    local cur prev words cword split i=2 is_named=\n"
    "    _init_completion -s -n : || return\n"
    "    local verb=${words[1]-}\n"
    "    if ((cword == 1)); then\n"
    "        local first\n"
    "        first=$(_redlock_options '')\n"
    "        [[ $cur != -* ]] || first='-h --help --version'\n"
    "        COMPREPLY=($(compgen -W \"$first\" -- \"$cur\"))\n"
    "        return\n"
    "    fi\n"
    "    if [[ $verb == completion ]]; then\n"
    "        ((cword > 2)) || COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\"))\n"
    "        return\n"
    "    fi\n"
    "    # Options come before the lock, which -l may have named.\n"
    "    while ((i < cword)) && [[ ${words[i]} == -?* && ${words[i]} != -- ]]; do\n"
    "        [[ ! ${words[i]} =~ ^(--lock(=.*)?|-[nvq]*l.*)$ ]] || is_named=1\n"
    "        _redlock_takes_value \"$verb\" \"${words[i]}\" && ((i++))\n"
    "        ((i++))\n"
    "    done\n"
    "    if ((i > cword)) || { ((i == cword)) && $split; }; then\n"
    "        _redlock_value \"$prev\"\n"
    "    elif [[ $prev == -h || $prev == --help ]]; then\n"
    "        COMPREPLY=($(compgen -W all -- \"$cur\"))\n"
    "    elif ((i == cword)) && [[ $cur == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$(_redlock_options \"$verb\")\" -- \"$cur\"))\n"
    "    elif [[ $verb == run ]]; then\n"
    "        if [[ ! $is_named ]]; then\n"
    "            [[ ${words[i]} != -- ]] || ((i++))\n"
    "            ((i++))\n"
    "        fi\n"
    "        [[ ${words[i]-} != -- ]] || ((i++))\n"
    "        ((i > cword)) || _redlock_command \"$i\"\n"
    "    fi\n"
    "} && complete -F _redlock redlock\n";

static void bash_options(unsigned verb)
{
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        if (!is_shown(opt) || !(opt->verbs & verb))
            continue;
        if (opt->letter != 0)
            rdl_cli_add(&t, " -%c", opt->letter);
        rdl_cli_add(&t, " --%s", opt->word);
        if (opt->alias != NULL)
            rdl_cli_add(&t, " --%s", opt->alias);
    }
}

static void bash_value(const struct rdl_cli_option *opt)
{
    rdl_cli_add(&t, "        --%s", opt->word);
    if (opt->letter != 0)
        rdl_cli_add(&t, " | -*%c", opt->letter);
    if (opt->choices != NULL)
        rdl_cli_add(&t, ") COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", opt->choices);
    else
        rdl_cli_add(&t, ") %s ;;\n", is_named(opt, "URL") ? "_redlock_urls" : "_filedir");
}

static int print_bash(void)
{
    int rc = rdl_cli_print(bash_begin);

    rdl_cli_add(&t, "        '') echo '");
    rdl_cli_add_verbs_of(&t, RDL_CLI_ALL, " ");
    rdl_cli_add(&t, " completion' ;;\n");
    rc = put(rc);
    for (size_t k = 0; k < RDL_CLI_VERBS; k++) {
        rdl_cli_add(&t, "        %s) echo '", rdl_cli_verb_table[k].word);
        bash_options(rdl_cli_verb_table[k].verb);
        rdl_cli_add(&t, "' ;;\n");
        rc = put(rc);
    }
    rc = rc == 0 ? rdl_cli_print(bash_takes_value) : rc;
    rdl_cli_add(&t, "    case $1$2 in\n        ");
    add_flags_of_some(" | ");
    rdl_cli_add(&t, ") return 1 ;;\n    esac\n    case $2 in\n        ");
    add_words_with_value("--", " | ");
    rdl_cli_add(&t, ") ;;\n        *) [[ $2 =~ ^-[");
    add_letters(0);
    rdl_cli_add(&t, "]*[");
    add_letters(1);
    rdl_cli_add(&t, "]$ ]] ;;\n");
    rc = put(rc);
    rc = rc == 0 ? rdl_cli_print(bash_urls) : rc;
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        if (is_shown(opt) &&
            (opt->choices != NULL || ((is_named(opt, "FILE") || is_named(opt, "URL")) && is_first(k))))
            bash_value(opt);
        rc = put(rc);
    }
    return rc == 0 ? rdl_cli_print(bash_end) : rc;
}

/* ---------------------------------------------------------------- zsh */

static const char zsh_begin[] =
    "#compdef redlock\n"
    "# Completion of redlock(1) in zsh. redlock printed it.\n"
    "\n"
    "# The URLs in $REDLOCK_URLS, without those that have a password: it would be on the screen and in the\n"
    "# arguments. A URL with other bytes is left out, too: a shell may run them.\n"
    "_redlock_urls() {\n"
    "    local expl IFS=$' \\t\\r\\n'\n"
    "    local -a urls=(${=REDLOCK_URLS})\n"
    "    urls=(${(M)urls:#([^@]#|[^:]#://[^:]#:@[^@]#)})\n"
    "    urls=(${urls:#*[^]A-Za-z0-9_.~:/@%?=+,[-]*})\n"
    "    _wanted urls expl 'server' compadd -a urls\n"
    "}\n"
    "\n"
    "# After the options: the lock, unless -l named it; and for run a command, by the completion of that "
    "command.\n"
    "_redlock_rest() {\n"
    "    if ((! $+opt_args[-l] && ! $+opt_args[--lock])); then\n"
    "        if ((CURRENT == 1)) || [[ $verb != run ]]; then\n"
    "            _message 'lock'\n"
    "            return\n"
    "        fi\n"
    "        shift words\n"
    "        ((CURRENT--))\n"
    "    fi\n"
    "    [[ $verb == run ]] || return\n"
    "    if [[ $words[1] == -- ]] && ((CURRENT > 1)); then\n"
    "        shift words\n"
    "        ((CURRENT--))\n"
    "    fi\n"
    "    _normal\n"
    "}\n"
    "\n"
    "_redlock() {\n"
    "    local curcontext=$curcontext verb=$words[2]\n"
    "    typeset -A opt_args\n"
    "    local -a opts verbs=(\n";

static const char zsh_verbs_end[] =
    "    )\n"
    "    if ((CURRENT == 2)); then\n"
    "        if [[ $PREFIX == -* ]]; then\n"
    "            _arguments {-h,--help}'[print the verbs]' '--version[print the version]'\n"
    "        else\n"
    "            _describe -t commands 'verb' verbs\n"
    "        fi\n"
    "        return\n"
    "    fi\n"
    "    if [[ $verb == completion ]]; then\n"
    "        ((CURRENT > 3)) || compadd bash zsh fish\n"
    "        return\n"
    "    fi\n";

static const char zsh_end[] = "    shift words\n"
                              "    ((CURRENT--))\n"
                              "    _arguments -s -S -A '-*' $opts '*:::lock:_redlock_rest'\n"
                              "}\n"
                              "\n"
                              "_redlock \"$@\"\n";

/* Adds "[what it is for]:value:how to complete it". */
static void zsh_description(const struct rdl_cli_option *opt)
{
    rdl_cli_add(&t, "\"[");
    add_description(opt->text, "[]:$`\"");
    rdl_cli_add(&t, "]");
    if (takes_all(opt))
        rdl_cli_add(&t, "::which:(all)");
    else if (opt->metavar != NULL)
        rdl_cli_add(&t, "%s:%s:", opt->is_optional ? ":" : "", opt->word);
    if (opt->choices != NULL)
        rdl_cli_add(&t, "(%s)", opt->choices);
    else if (is_named(opt, "URL"))
        rdl_cli_add(&t, "_redlock_urls");
    else if (is_named(opt, "FILE"))
        rdl_cli_add(&t, "_files");
    rdl_cli_add(&t, "\"");
}

/* Adds an option as _arguments reads it: \*{-u+,--url=}"[use this server]:url:_redlock_urls" */
static void zsh_option(const struct rdl_cli_option *opt)
{
    int is_one = (opt->letter == 0 || takes_all(opt)) && opt->alias == NULL;
    const char *end = opt->is_optional ? "=-" : takes_next(opt) ? "=" : "";

    rdl_cli_add(&t, "    case $verb in ");
    rdl_cli_add_verbs_of(&t, opt->verbs, "|");
    rdl_cli_add(&t, ") opts+=(%s%s", opt->repeats ? "\\*" : "", is_one ? "" : "{");
    if (opt->letter != 0)
        rdl_cli_add(&t, "-%c%s%c", opt->letter, takes_next(opt) ? "+" : "", is_one ? ' ' : ',');
    rdl_cli_add(&t, "--%s%s", opt->word, end);
    if (opt->alias != NULL)
        rdl_cli_add(&t, ",--%s%s", opt->alias, end);
    rdl_cli_add(&t, "%s", is_one ? "" : "}");
    zsh_description(opt);
    rdl_cli_add(&t, ") ;; esac\n");
}

static int print_zsh(void)
{
    int rc = rdl_cli_print(zsh_begin);

    for (size_t k = 0; k < RDL_CLI_VERBS; k++)
        rdl_cli_add(&t, "        '%s:%s'\n", rdl_cli_verb_table[k].word, rdl_cli_verb_table[k].brief);
    rdl_cli_add(&t, "        'completion:print a script for bash, zsh or fish'\n");
    rc = put(rc);
    rc = rc == 0 ? rdl_cli_print(zsh_verbs_end) : rc;
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        if (is_shown(&rdl_cli_option_table[k]))
            zsh_option(&rdl_cli_option_table[k]);
        rc = put(rc);
    }
    return rc == 0 ? rdl_cli_print(zsh_end) : rc;
}

/* ---------------------------------------------------------------- fish */

static const char fish_begin[] =
    "# SPDX-License-Identifier: MIT\n"
    "# Completion of redlock(1) in fish. redlock printed it.\n"
    "\n"
    "# Which word the lock is, or would be if -l did not name it; options come before it.\n"
    "function __redlock_lock_at\n"
    "    set -l words (commandline -opc)\n"
    "    set -l at 3\n"
    "    while string match -qr -- '^-.' $words[$at]; and test $words[$at] != --\n"
    "        switch $words[2]$words[$at]\n";

static const char fish_end[] =
    "        end\n"
    "        set at (math $at + 1)\n"
    "    end\n"
    "    echo $at\n"
    "end\n"
    "\n"
    "# Is an option of one of these verbs in its place here?\n"
    "function __redlock_in # VERB...\n"
    "    set -l words (commandline -opc)\n"
    "    contains -- \"$words[2]\" $argv; and test (count $words) -lt (__redlock_lock_at)\n"
    "end\n"
    "\n"
    "# After run: the command's words, and the one that is being written.\n"
    "function __redlock_command\n"
    "    set -l words (commandline -opc)\n"
    "    set -l at (__redlock_lock_at)\n"
    "    if not string match -qr -- '^(--lock(=.*)?|-[nvq]*l.*)$' $words[3..(math $at - 1)]\n"
    "        test \"$words[$at]\" = --; and set at (math $at + 1)\n"
    "        set at (math $at + 1)\n"
    "    end\n"
    "    test \"$words[$at]\" = --; and set at (math $at + 1)\n"
    "    test $at -le (math (count $words) + 1); or return\n"
    "    set -l command (string escape -- $words[$at..]) (commandline -ct)\n"
    "    string match -q -- '-*' \"$command\"; or complete --do-complete=\"$command\"\n"
    "end\n"
    "\n"
    "# The URLs in $REDLOCK_URLS, without those that have a password: it would be on the screen and in the\n"
    "# arguments. A URL with other bytes is left out, too: a shell may run them.\n"
    "function __redlock_urls\n"
    "    string match -ar -- '\\S+' $REDLOCK_URLS | string match -r -- '^(?:[^@]*|[^:]*://[^:]*:@[^@]*)$' |\n"
    "        string match -r -- '^[]A-Za-z0-9_.~:/@%?=+,[-]+$'\n"
    "end\n"
    "\n"
    "complete -c redlock -f\n"
    "complete -c redlock -n __fish_is_first_arg -s h -l help -d 'print the verbs'\n"
    "complete -c redlock -n __fish_is_first_arg -l version -d 'print the version'\n"
    "complete -c redlock -n __fish_is_first_arg -a completion -d 'print a script for bash, zsh or fish'\n"
    "complete -c redlock -n 'test (count (commandline -opc)) = 2; and contains completion (commandline "
    "-opc)' \\\n"
    "    -a 'bash zsh fish'\n"
    "complete -c redlock -n 'contains -- run (commandline -opc)[2]' -a '(__redlock_command)'\n";

static void fish_option(const struct rdl_cli_option *opt)
{
    rdl_cli_add(&t, "complete -c redlock -n '__redlock_in ");
    rdl_cli_add_verbs_of(&t, opt->verbs, " ");
    rdl_cli_add(&t, "'");
    if (opt->letter != 0)
        rdl_cli_add(&t, " -s %c", opt->letter);
    rdl_cli_add(&t, " -l %s", opt->word);
    if (opt->alias != NULL)
        rdl_cli_add(&t, " -l %s", opt->alias);
    if (is_named(opt, "FILE"))
        rdl_cli_add(&t, opt->is_optional ? " -F" : " -rF");
    else if (opt->metavar != NULL)
        rdl_cli_add(&t, " -x");
    if (opt->choices != NULL)
        rdl_cli_add(&t, " -a '%s'", opt->choices);
    else if (is_named(opt, "URL"))
        rdl_cli_add(&t, " -a '(__redlock_urls)'");
    else if (takes_all(opt))
        rdl_cli_add(&t, " -a all");
    rdl_cli_add(&t, " -d '");
    add_description(opt->text, "'");
    rdl_cli_add(&t, "'\n");
}

static int print_fish(void)
{
    int rc = rdl_cli_print(fish_begin);

    rdl_cli_add(&t, "            case ");
    add_flags_of_some(" ");
    rdl_cli_add(&t, "\n            case '*--'{");
    add_words_with_value("", ",");
    rdl_cli_add(&t, "}\n                set at (math $at + 1)\n            case '*'\n                string "
                    "match -qr -- '^-[");
    add_letters(0);
    rdl_cli_add(&t, "]*[");
    add_letters(1);
    rdl_cli_add(&t, "]$' $words[$at]; and set at (math $at + 1)\n");
    rc = put(rc);
    rc = rc == 0 ? rdl_cli_print(fish_end) : rc;
    for (size_t k = 0; k < RDL_CLI_VERBS; k++)
        rdl_cli_add(&t, "complete -c redlock -n __fish_is_first_arg -a %s -d '%s'\n",
                    rdl_cli_verb_table[k].word, rdl_cli_verb_table[k].brief);
    rc = put(rc);
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        if (is_shown(&rdl_cli_option_table[k]))
            fish_option(&rdl_cli_option_table[k]);
        rc = put(rc);
    }
    return rc;
}

int rdl_cli_completion(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        return print_bash();
    if (strcmp(shell, "zsh") == 0)
        return print_zsh();
    if (strcmp(shell, "fish") == 0)
        return print_fish();
    rdl_cli_print_error("redlock completion takes the name of a shell: bash, zsh or fish");
    return rdl_cli_usage(0);
}
