/* SPDX-License-Identifier: MIT */
/*
 * `redlock completion SHELL` prints a script for bash, zsh or fish. The scripts ask `redlock __complete`
 * for candidates, which come from the tables of verbs and options. tests/house/completions.sh types at all
 * three.
 */
#define _POSIX_C_SOURCE 200809L
#include "redlock/cli/options/option_table.h"
#include "redlock/cli/options/options.h"
#include "redlock/cli/options/verb_table.h"
#include "redlock/cli/output/output.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- candidates */

/* The words of the command line after "redlock". The last one is being written, perhaps still empty. */
struct asked {
    char **words;
    int n;
    const char *begun; /* what the candidates begin with: the last word, or the value in it */
    int rc;
};

/* Prints a candidate, with what it is for up to the first ';' or ':'. With "--option=" before a value. */
static void offer(struct asked *a, const char *word, const char *text)
{
    char line[512];
    struct rdl_cli_text t = {line, sizeof line, 0};
    const char *last = a->words[a->n - 1];
    const char *end = text;

    if (strncmp(word, a->begun, strlen(a->begun)) != 0 || a->rc != 0)
        return;
    while (*end != '\0' && !((*end == ';' || *end == ':') && end[1] == ' '))
        end++;
    rdl_cli_add(&t, "%.*s%s%s%.*s\n", (int)(a->begun - last), last, word, text[0] != '\0' ? "\t" : "",
                (int)(end - text), text);
    a->rc = rdl_cli_print(line);
}

/* Offers each word of a list; with may_offer, those for which it returns 1. */
static void offer_words(struct asked *a, const char *list, int (*may_offer)(const char *word))
{
    char word[480];

    for (size_t len; (len = strcspn(list, " \t\r\n")) > 0 || *list != '\0';
         list += len + (list[len] != '\0')) {
        if (len == 0 || len >= sizeof word)
            continue;
        memcpy(word, list, len);
        word[len] = '\0';
        if (may_offer == NULL || may_offer(word))
            offer(a, word, "");
    }
}

/*
 * Returns 0 for a URL with a password, which would be on the screen and in the arguments. Also for one with
 * other bytes: a shell may run them.
 */
static int is_url_to_offer(const char *url)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "]_.~:/@%?=+,[-";

    return url[strspn(url, plain)] == '\0' && (strchr(url, '@') == NULL || rdl_cli_url_is_user_alone(url));
}

static void offer_value(struct asked *a, const struct rdl_cli_option *opt)
{
    const char *urls = getenv("REDLOCK_URLS");

    if (opt->choices != NULL)
        offer_words(a, opt->choices, NULL);
    else if (strcmp(opt->metavar, "URL") == 0)
        offer_words(a, urls != NULL ? urls : "", is_url_to_offer);
    else if (strcmp(opt->metavar, "FILE") == 0)
        a->rc = rdl_cli_print(":files\n");
}

static void offer_options(struct asked *a, unsigned verb)
{
    for (size_t k = 0; k < rdl_cli_option_rows; k++) {
        const struct rdl_cli_option *opt = &rdl_cli_option_table[k];
        const char *text = rdl_cli_option_text(opt, verb);
        const char letter[] = {'-', opt->letter, '\0'};
        char word[64];
        struct rdl_cli_text t = {word, sizeof word, 0};
        if (text == NULL || opt->group == RDL_CLI_HIDDEN)
            continue;
        if (opt->letter != 0)
            offer(a, letter, text);
        rdl_cli_add(&t, "--%s", opt->word);
        offer(a, word, text);
        if (opt->alias == NULL)
            continue;
        t.len = 0;
        rdl_cli_add(&t, "--%s", opt->alias);
        offer(a, word, text);
    }
}

static void offer_verbs(struct asked *a)
{
    if (a->begun[0] == '-') {
        offer(a, "-h", "print the verbs");
        offer(a, "--help", "print the verbs");
        offer(a, "--version", "print the version");
        return;
    }
    for (size_t k = 0; k < RDL_CLI_VERBS; k++)
        offer(a, rdl_cli_verb_table[k].word, rdl_cli_verb_table[k].brief);
    offer(a, "completion", "print a script for bash, zsh or fish");
}

/* After the options of run, its command has a completion of its own. Words are counted from 0, redlock's. */
static void offer_command(struct asked *a, int i, int is_named)
{
    char line[32];
    struct rdl_cli_text t = {line, sizeof line, 0};

    if (!is_named) {
        i += i < a->n - 1 && strcmp(a->words[i], "--") == 0;
        i++; /* the lock */
    }
    i += i < a->n - 1 && strcmp(a->words[i], "--") == 0;
    if (i >= a->n || (i == a->n - 1 && a->begun[0] == '-'))
        return;
    rdl_cli_add(&t, ":command %d\n", i + 1);
    a->rc = rdl_cli_print(line);
}

/* Offers what may follow the verb. */
static void offer_rest(struct asked *a, unsigned verb)
{
    const struct rdl_cli_option *opt, *waiting = NULL; /* the option whose value the last word is */
    const char *last = a->words[a->n - 1], *value;
    int i = 1, is_named = 0, k;

    for (; i < a->n - 1 && rdl_cli_is_option(a->words[i]); i++) {
        opt = rdl_cli_option_step_over(verb, a->words, &i, &value);
        waiting = i == a->n - 1 ? opt : NULL;
        is_named |= opt != NULL && strcmp(opt->word, "lock") == 0;
    }
    if (waiting != NULL) {
        offer_value(a, waiting);
    } else if (strcmp(a->words[a->n - 2], "-h") == 0 || strcmp(a->words[a->n - 2], "--help") == 0) {
        offer(a, "all", "");
    } else if (i == a->n - 1 && last[0] == '-') {
        k = i;
        opt = rdl_cli_option_step_over(verb, a->words, &k, &value);
        if (opt != NULL && value != NULL && rdl_cli_option_takes_value(opt)) {
            a->begun = value;
            offer_value(a, opt);
        } else {
            offer_options(a, verb);
        }
    } else if (verb == RDL_CLI_RUN) {
        offer_command(a, i, is_named);
    }
}

int rdl_cli_complete(int argc, char **argv)
{
    struct asked a = {argv, argc, argc > 0 ? argv[argc - 1] : "", 0};

    if (argc == 1)
        offer_verbs(&a);
    else if (argc == 2 && strcmp(argv[0], "completion") == 0)
        offer_words(&a, "bash zsh fish", NULL);
    else if (argc > 1 && rdl_cli_verb_of(argv[0]) != 0)
        offer_rest(&a, rdl_cli_verb_of(argv[0]));
    return a.rc;
}

/* ---------------------------------------------------------------- scripts */

/*
 * A candidate is a word, a tab and what it is for. ":files" means names of files, ":command N" the
 * completion of the command that begins with word N; redlock is word 0. No candidate has a byte that a
 * shell expands, and no script runs one.
 */
static const char bash[] =
    "# SPDX-License-Identifier: MIT\n"
    "# Completion of redlock(1) in bash, by the functions of the package bash-completion. redlock printed "
    "it.\n"
    "# shellcheck shell=bash disable=SC2034\n"
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
    "    local cur prev words cword split line\n"
    "    _init_completion -s -n : || return\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :files) _filedir ;;\n"
    "        :command\\ *) _redlock_command \"${line#* }\" ;;\n"
    "        *)\n"
    "            line=${line%%$'\\t'*}\n"
    "            ! $split || line=${line#*=}\n"
    "            COMPREPLY+=(\"$line\")\n"
    "            ;;\n"
    "        esac\n"
    "    done < <(command redlock __complete \"${words[@]:1:cword}\" 2>/dev/null)\n"
    "    __ltrim_colon_completions \"$cur\"\n"
    "} && complete -F _redlock redlock\n";

static const char zsh[] = "#compdef redlock\n"
                          "# Completion of redlock(1) in zsh. redlock printed it.\n"
                          "_redlock() {\n"
                          "    local line at\n"
                          "    local -a lines found\n"
                          "    lines=(\"${(@f)$(command redlock __complete \"${(@Q)words[2,CURRENT-1]}\" "
                          "\"${(Q)PREFIX}\" 2>/dev/null)}\")\n"
                          "    case $lines[1] in\n"
                          "    :files)\n"
                          "        compset -P '--[^=]#='\n"
                          "        _files\n"
                          "        ;;\n"
                          "    :command\\ *)\n"
                          "        at=${lines[1]#* }\n"
                          "        shift $at words\n"
                          "        ((CURRENT -= at))\n"
                          "        _normal\n"
                          "        ;;\n"
                          "    ?*)\n"
                          "        for line in $lines; do\n"
                          "            at=${line%%$'\\t'*}\n"
                          "            found+=(\"${at//:/\\\\:}${${line#$at}/$'\\t'/:}\")\n"
                          "        done\n"
                          "        _describe word found\n"
                          "        ;;\n"
                          "    esac\n"
                          "}\n"
                          "\n"
                          "_redlock \"$@\"\n";

static const char fish[] = "# SPDX-License-Identifier: MIT\n"
                           "# Completion of redlock(1) in fish. redlock printed it.\n"
                           "function __redlock\n"
                           "    set -l words (commandline -opc) (commandline -ct)\n"
                           "    set -l lines (command redlock __complete $words[2..] 2>/dev/null)\n"
                           "    switch \"$lines[1]\"\n"
                           "        case :files\n"
                           "            set -l option (string match -r -- '^--[^=]*=' $words[-1])\n"
                           "            __fish_complete_path (string replace -- \"$option\" '' $words[-1]) | "
                           "string replace -r -- '^' \"$option\"\n"
                           "        case ':command *'\n"
                           "            set -l at (math (string replace ':command ' '' $lines[1]) + 1)\n"
                           "            set -l command (string escape -- $words[$at..-2]) (commandline -ct)\n"
                           "            complete --do-complete=\"$command\"\n"
                           "        case '*'\n"
                           "            string join \\n -- $lines\n"
                           "    end\n"
                           "end\n"
                           "complete -c redlock -f -a '(__redlock)'\n";

int rdl_cli_completion(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        return rdl_cli_print(bash);
    if (strcmp(shell, "zsh") == 0)
        return rdl_cli_print(zsh);
    if (strcmp(shell, "fish") == 0)
        return rdl_cli_print(fish);
    return rdl_cli_misuse(0, "redlock completion takes the name of a shell: bash, zsh or fish");
}
