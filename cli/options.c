/* Parses a command's arguments by its tables of options. */
#include "command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

cli_purpose cli_now = CLI_RUN;

#define COMMON(field) offsetof(cli_call, field)
static const scant_option common_table[] = {
    {"json", 0, SCANT_OPTION_FLAG, COMMON(json), NULL, NULL, 0, 0, NULL,
     "one JSON object on stdout instead of text"},
    {"quiet", 'q', SCANT_OPTION_FLAG, COMMON(quiet), NULL, NULL, 0, 0, NULL,
     "nothing on stderr but errors"},
    {"verbose", 'v', SCANT_OPTION_FLAG, COMMON(verbose), NULL, NULL, 0, 0, NULL,
     "explain on stderr what is done"},
    {"seed", 0, SCANT_OPTION_SEED, COMMON(seed), "N", "1", 0, 0, NULL,
     "same seed, same result, for any number of threads"},
    {"threads", 0, SCANT_OPTION_COUNT, COMMON(threads), "N", "0", 0, 4096, NULL,
     "threads (0: OMP_NUM_THREADS, else all cores)"},
    {"help", 'h', SCANT_OPTION_FLAG, COMMON(help), NULL, NULL, 0, 0, NULL, "this text"},
};

void cli_call_begin(cli_call *call, const char *name)
{
    memset(call, 0, sizeof *call);
    call->name = name;
}

void cli_call_add(cli_call *call, const char *title, const scant_option *table, size_t count,
                  void *options)
{
    call->section[call->nsections++] = (cli_section){title, table, count, options};
    scant_options_preset(options, table, count);
}

void cli_call_end(cli_call *call)
{
    for (size_t s = 0; s < call->nsections; s++)
        scant_options_clear(call->section[s].options, call->section[s].table,
                            call->section[s].count);
    free(call->given);
    call->given = NULL;
}

const scant_option *cli_call_option(const cli_call *call, const char *name, char letter,
                                    const cli_section **section)
{
    for (size_t s = 0; s < call->nsections; s++) {
        const cli_section *here = &call->section[s];
        for (size_t i = 0; i < here->count; i++) {
            const scant_option *option = &here->table[i];
            if (name ? strcmp(option->name, name) != 0 : option->letter != letter)
                continue;
            if (section)
                *section = here;
            return option;
        }
    }
    return NULL;
}

bool cli_call_given(const cli_call *call, const char *name)
{
    for (size_t i = 0; i < call->ngiven; i++)
        if (strcmp(call->given[i]->name, name) == 0)
            return true;
    return false;
}

static int unknown_option(const cli_call *call, const char *name)
{
    const char *names[256];
    size_t count = 0;
    for (size_t s = 0; s < call->nsections; s++)
        for (size_t i = 0; i < call->section[s].count && count < 256; i++)
            names[count++] = call->section[s].table[i].name;
    const char *near = cli_nearest(name, names, count);
    if (near)
        return cli_usage_error(call, "there is no option --%s; did you mean --%s?", name, near);
    return cli_usage_error(call, "there is no option --%s", name);
}

static int set(cli_call *call, const cli_section *section, const scant_option *option,
               const char *value)
{
    call->given[call->ngiven++] = option;
    if (scant_option_set(section->options, option, value) != SCANT_OK)
        return cli_usage_error(call, "%s", scant_message());
    return GO_ON;
}

/* The value of an option that has none attached: the next argument, unless it looks like an option.
 */
static int next_value(const cli_call *call, const scant_option *option, int argc, char **argv,
                      int *at, const char **value)
{
    *value = *at + 1 < argc ? argv[*at + 1] : NULL;
    if (!*value)
        return cli_usage_error(call, "--%s wants a value (%s)", option->name,
                               option->value ? option->value : "text");
    if (strncmp(*value, "--", 2) == 0)
        return cli_usage_error(call,
                               "--%s wants a value (%s) but '%s' follows; a value that begins with "
                               "dashes is written --%s=%s",
                               option->name, option->value ? option->value : "text", *value,
                               option->name, *value);
    ++*at;
    return GO_ON;
}

static int parse_long(cli_call *call, int argc, char **argv, int *at)
{
    char name[64];
    const char *text = argv[*at] + 2, *value = strchr(text, '=');
    size_t length = value ? (size_t)(value - text) : strlen(text);
    const cli_section *section = NULL;
    if (length >= sizeof name)
        length = sizeof name - 1;
    memcpy(name, text, length);
    name[length] = '\0';
    const scant_option *option = cli_call_option(call, name, 0, &section);
    if (!option)
        return unknown_option(call, name);
    if (value)
        value++;
    if (option->type == SCANT_OPTION_FLAG && value)
        return cli_usage_error(call, "--%s takes no value", name);
    if (option->type == SCANT_OPTION_WORD && !value) {
        if (*at + 1 < argc && scant_option_choice(option, argv[*at + 1]))
            value = argv[++*at];
    } else if (option->type != SCANT_OPTION_FLAG && !value) {
        int code = next_value(call, option, argc, argv, at, &value);
        if (code != GO_ON)
            return code;
    }
    return set(call, section, option, value);
}

/* -k 3, -k3, -qv */
static int parse_letters(cli_call *call, int argc, char **argv, int *at)
{
    for (const char *letter = argv[*at] + 1; *letter; letter++) {
        const cli_section *section = NULL;
        const scant_option *option = cli_call_option(call, NULL, *letter, &section);
        if (!option)
            return cli_usage_error(call, "there is no option -%c", *letter);
        int code;
        if (option->type == SCANT_OPTION_FLAG) {
            code = set(call, section, option, NULL);
            if (code != GO_ON)
                return code;
            continue;
        }
        const char *value = letter[1] ? letter + 1 : NULL;
        if (!value) {
            code = next_value(call, option, argc, argv, at, &value);
            if (code != GO_ON)
                return code;
        }
        return set(call, section, option, value);
    }
    return GO_ON;
}

static int add_operand(cli_call *call, const cli_manual *manual, const char *text)
{
    if (call->noperands >= manual->most)
        return cli_usage_error(call, "'%s' is one file too many; usage: scant %s %s", text,
                               call->name, manual->usage);
    call->operand[call->noperands++] = text;
    return GO_ON;
}

bool cli_has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

/* --- what is written must not be what is read --- */

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat one, other;
    return strcmp(a, "-") != 0 && strcmp(b, "-") != 0 && stat(a, &one) == 0 &&
           stat(b, &other) == 0 && S_ISREG(one.st_mode) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* The file that a given option names, or NULL. */
static const char *file_of(const cli_call *call, const char *name)
{
    const cli_section *section;
    const scant_option *option = cli_call_option(call, name, 0, &section);
    if (!option || !cli_call_given(call, name))
        return NULL;
    const void *field = (const char *)section->options + option->offset;
    if (option->type == SCANT_OPTION_LIST) {
        const scant_texts *list = field;
        return list->count == 1 ? list->item[0] : NULL;
    }
    return option->type == SCANT_OPTION_TEXT ? *(const char *const *)field : NULL;
}

/* A stream may be saved where its model came from: that is how it goes on. */
static int check_outputs(const cli_call *call)
{
    static const char *const outputs[] = {"output", "checkpoint", "save", "combine", "plot"};
    static const char *const inputs[] = {"context", "prior",       "given",     "likelihood",
                                         "scores",  "fisher-rows", "checkpoint"};
    for (size_t o = 0; o < sizeof outputs / sizeof *outputs; o++) {
        const char *path = file_of(call, outputs[o]), *read = NULL;
        bool resumes = strcmp(outputs[o], "save") == 0;
        for (size_t k = resumes; path && k < call->noperands && !read; k++)
            read = cli_is_same_file(path, call->operand[k]) ? call->operand[k] : NULL;
        for (size_t i = 0; path && i < sizeof inputs / sizeof *inputs && !read; i++) {
            const char *other =
                strcmp(inputs[i], outputs[o]) != 0 ? file_of(call, inputs[i]) : NULL;
            read = other && cli_is_same_file(path, other) ? other : NULL;
        }
        if (read)
            return cli_usage_error(call,
                                   "--%s %s would overwrite the file that is read as '%s'; name "
                                   "another one",
                                   outputs[o], path, read);
    }
    return GO_ON;
}

int cli_call_parse(cli_call *call, const cli_manual *manual, int argc, char **argv)
{
    cli_call_add(call, "Everywhere", common_table, sizeof common_table / sizeof *common_table,
                 call);
    if (cli_now == CLI_MAN)
        return cli_print_man(call, manual);
    if (cli_now == CLI_WORDS)
        return cli_print_words(call);
    if (cli_has_word(argc, argv, "--help") || cli_has_word(argc, argv, "-h"))
        return cli_print_help(call, manual);
    call->json = cli_has_word(argc, argv, "--json"); /* errors of parsing go by it */

    size_t longest = 1; /* letters can come in bundles: room for every character */
    for (int i = 1; i < argc; i++)
        longest += strlen(argv[i]) + 1;
    call->given = calloc(longest, sizeof *call->given);
    if (!call->given)
        return cli_out_of_memory(call);

    bool only_files = false;
    for (int at = 1; at < argc; at++) {
        const char *text = argv[at];
        int code;
        if (only_files || text[0] != '-' || text[1] == '\0')
            code = add_operand(call, manual, text);
        else if (strcmp(text, "--") == 0)
            only_files = true, code = GO_ON;
        else if (text[1] == '-')
            code = parse_long(call, argc, argv, &at);
        else
            code = parse_letters(call, argc, argv, &at);
        if (code != GO_ON)
            return code;
    }
    if (call->quiet && call->verbose)
        return cli_usage_error(call, "-q and -v exclude each other");
    if (call->noperands < manual->least)
        return cli_usage_error(call, "too few files; usage: scant %s %s", call->name,
                               manual->usage);
    cli_log_start(call);
    return check_outputs(call);
}
