/* Help, manual pages and completion words, all from the tables of options. */
#include "command.h"

#include <string.h>

enum { HELP_COLUMN = 30, HELP_WIDTH = 100 };

static const char EXIT_CODES[] =
    "0 ok, 2 usage, 3 bad input, 4 did not converge, 5 not identified, 1 else";

/* Is this row the one that its name finds, or hidden by an earlier section? */
static bool visible(const cli_call *call, const scant_option *option)
{
    return cli_call_option(call, option->name, 0, NULL) == option;
}

static void write_synopsis(char *text, size_t size, const scant_option *option)
{
    char letter[8] = "";
    if (option->letter)
        (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const char *value = option->type == SCANT_OPTION_FLAG ? ""
                        : option->value                   ? option->value
                                                          : "TEXT";
    bool may = option->type == SCANT_OPTION_WORD;
    (void)snprintf(text, size, "%s--%s%s%s%s%s", letter, option->name, *value ? " " : "",
                   may ? "[" : "", value, may ? "]" : "");
}

/* Words from column `from` on, in lines of HELP_WIDTH. */
static void wrap(FILE *file, const char *text, int from, int at)
{
    while (*text) {
        size_t size = strcspn(text, " \n");
        if (at > from && at + 1 + (int)size > HELP_WIDTH) {
            fprintf(file, "\n%*s", from, "");
            at = from;
        } else if (at > from) {
            fputc(' ', file);
            at++;
        }
        fprintf(file, "%.*s", (int)size, text);
        at += (int)size;
        text += size + strspn(text + size, " \n");
    }
}

static void describe(char *text, size_t size, const scant_option *option)
{
    char choices[256] = "", preset[128] = "";
    /* choices go into the text unless the placeholder shows them already */
    if (option->choices && option->type != SCANT_OPTION_REAL &&
        !(option->value && strchr(option->value, '|')))
        (void)snprintf(choices, sizeof choices, " (%s)", option->choices);
    if (option->preset && option->type != SCANT_OPTION_FLAG)
        (void)snprintf(preset, sizeof preset, " [%s]", option->preset);
    (void)snprintf(text, size, "%s%s%s", option->help ? option->help : "", choices, preset);
}

static void print_entry(const char *name, const char *text)
{
    int used = printf("  %s", name);
    if (used + 2 > HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    else
        printf("%*s", HELP_COLUMN - used, "");
    wrap(stdout, text, HELP_COLUMN, HELP_COLUMN);
    putchar('\n');
}

static void print_option(const scant_option *option)
{
    char synopsis[128], text[1024];
    write_synopsis(synopsis, sizeof synopsis, option);
    describe(text, sizeof text, option);
    print_entry(synopsis, text);
}

int cli_print_help(const cli_call *call, const cli_manual *manual)
{
    printf("usage: scant %s %s\n\n", call->name, manual->usage);
    wrap(stdout, manual->about, 0, 0);
    putchar('\n');
    if (call->ntopics)
        printf("\n%s:\n", call->topics);
    for (size_t i = 0; i < call->ntopics; i++)
        print_entry(call->topic[i].name, call->topic[i].about);
    for (size_t s = 0; s < call->nsections; s++) {
        const cli_section *section = &call->section[s];
        printf("\n%s:\n", section->title);
        for (size_t i = 0; i < section->count; i++)
            if (visible(call, &section->table[i]))
                print_option(&section->table[i]);
    }
    printf("\nExit codes: %s.\n\nExample:\n  %s\n", EXIT_CODES, manual->example);
    return EXIT_OK;
}

/* A roff text: backslashes, dashes and leading dots are not what they seem there. */
static void roff(const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\\')
            fputs("\\e", stdout);
        else if (*c == '-')
            fputs("\\-", stdout);
        else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
            printf("\\&%c", *c);
        else
            putchar(*c);
    }
    putchar('\n');
}

static void shout(const char *text)
{
    for (const char *c = text; *c; c++)
        putchar(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
}

static void print_man_topics(const cli_call *call)
{
    if (call->ntopics) {
        printf(".SH \"");
        shout(call->topics);
        printf("\"\n");
    }
    for (size_t i = 0; i < call->ntopics; i++) {
        printf(".TP\n.B ");
        roff(call->topic[i].name);
        roff(call->topic[i].about);
    }
}

int cli_print_man(const cli_call *call, const cli_manual *manual)
{
    const cli_command *command = cli_command_find(call->name);
    char text[1024];
    printf(".TH SCANT\\-");
    shout(call->name);
    printf(" 1 \"\" \"scant %s\" \"scant\"\n.SH NAME\nscant\\-%s \\- ", scant_version(),
           call->name);
    roff(command ? command->summary : "");
    printf(".SH SYNOPSIS\n.B scant %s\n", call->name);
    roff(manual->usage);
    printf(".SH DESCRIPTION\n");
    roff(manual->about);
    print_man_topics(call);
    for (size_t s = 0; s < call->nsections; s++) {
        const cli_section *section = &call->section[s];
        printf(".SH \"");
        shout(section->title);
        printf("\"\n");
        for (size_t i = 0; i < section->count; i++) {
            if (!visible(call, &section->table[i]))
                continue;
            printf(".TP\n.B ");
            write_synopsis(text, sizeof text, &section->table[i]);
            roff(text);
            describe(text, sizeof text, &section->table[i]);
            roff(text);
        }
    }
    printf(".SH EXIT STATUS\n");
    roff(EXIT_CODES);
    printf(".SH EXAMPLE\n.nf\n");
    roff(manual->example);
    printf(".fi\n.SH SEE ALSO\n.BR scant (1)\n");
    return EXIT_OK;
}

int cli_print_main_man(void)
{
    printf(".TH SCANT 1 \"\" \"scant %s\" \"scant\"\n.SH NAME\nscant \\- learn classifiers and "
           "mixtures "
           "from few labels\n.SH SYNOPSIS\n.B scant\nCOMMAND [options] [files]\n.SH COMMANDS\n",
           scant_version());
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (c->run == cli_help)
            continue;
        printf(".TP\n.BR scant\\-%s (1)\n", c->name);
        roff(c->summary);
    }
    printf(".SH EXIT STATUS\n");
    roff(EXIT_CODES);
    return EXIT_OK;
}

/* "a|b|c" as words */
static void print_choices(const char *choices)
{
    for (const char *c = choices; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
}

/* The lines of a command in the completion script: the values of an option that stands before, else
 * the options. */
int cli_print_words(const cli_call *call)
{
    printf("            case $before in\n");
    for (size_t s = 0; s < call->nsections; s++)
        for (size_t i = 0; i < call->section[s].count; i++) {
            const scant_option *option = &call->section[s].table[i];
            if (!option->choices || !visible(call, option))
                continue;
            printf("            --%s) values='", option->name);
            print_choices(option->choices);
            printf("' ;;\n");
        }
    printf("            esac\n            words='");
    for (size_t s = 0; s < call->nsections; s++)
        for (size_t i = 0; i < call->section[s].count; i++)
            if (visible(call, &call->section[s].table[i]))
                printf(" --%s", call->section[s].table[i].name);
    printf("'\n");
    return EXIT_OK;
}

static void print_commands(void)
{
    for (const cli_command *c = cli_commands; c->name; c++)
        printf(" %s", c->name);
}

/* bash takes the `=` of --option=value for a word of its own. */
static const char SCRIPT_HEAD[] =
    "_scant() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words= values=\n"
    "    [ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [ \"$word\" = = ] && word=\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
    "        values='--help --version";
static const char SCRIPT_TAIL[] = "        esac\n"
                                  "    fi\n"
                                  "    [[ $word == -* ]] && [ -z \"$values\" ] && values=$words\n"
                                  "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
                                  "}\n"
                                  "complete -o default -F _scant scant\n";

int cli_completion(int argc, char **argv)
{
    cli_call call;
    static const cli_manual manual = {"bash",
                                      "Prints a script that completes commands, options, their "
                                      "values and file names. Load it with "
                                      "`source <(scant completion bash)`.",
                                      "scant completion bash", 1, 1};
    cli_call_begin(&call, argv[0]);
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON && strcmp(call.operand[0], "bash") != 0)
        code =
            cli_usage_error(&call, "there is no script for '%s', only for bash", call.operand[0]);
    cli_call_end(&call);
    if (code != GO_ON)
        return code;

    fputs(SCRIPT_HEAD, stdout);
    print_commands();
    printf("'\n    else\n        case ${COMP_WORDS[1]} in\n        help) values='");
    print_commands();
    printf("' ;;\n        completion) values=bash ;;\n");
    cli_now = CLI_WORDS;
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (c->run == cli_help || c->run == cli_completion)
            continue;
        char *only[] = {(char[]){"-"}, NULL};
        printf("        %s)\n", c->name);
        (void)c->run(1, only);
        printf("            ;;\n");
    }
    fputs(SCRIPT_TAIL, stdout);
    return EXIT_OK;
}
