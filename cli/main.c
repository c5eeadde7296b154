/* scant: the program. The table of commands makes dispatch and help; stdout is closed and checked.
 */
#include "command.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const cli_command cli_commands[] = {
    {"train", cli_train, "Models", "the best classifier from few labels"},
    {"med", cli_med, "Models", "a classifier or regression of large margins, with priors"},
    {"fit", cli_fit, "Models", "fit a mixture, with all, some or no labels"},
    {"select", cli_select, "Models", "choose the number of components and the covariance"},
    {"predict", cli_predict, "Models", "classes or components of new rows"},
    {"evaluate", cli_evaluate, "Models", "measure a model on labelled rows"},
    {"stream", cli_stream, "Models", "answer rows as they come, and learn from each"},
    {"cv", cli_cv, "Models", "cross-validate a fit"},
    {"show", cli_show, "Models", "print what a model file holds"},
    {"report", cli_report, "Models", "one page with tables and pictures of a result"},
    {"plot", cli_plot, "Models", "one picture of a result"},
    {"context", cli_context, "Few or no labels", "class probabilities from contexts"},
    {"plan", cli_plan, "Few or no labels", "what labels are worth, how many, and which"},
    {"audit", cli_audit, "Few or no labels", "how good predictors are, without labels"},
    {"blind", cli_blind, "Few or no labels", "a linear classifier without labels"},
    {"factor", cli_factor, "Discriminate, sequences, factors", "nonnegative factors of a tensor"},
    {"simulate", cli_simulate, "Data", "draw rows from a model"},
    {"convert", cli_convert, "Data", "rewrite a table or a tensor in another format"},
    {"check", cli_check, "Data", "look a table over before fitting"},
    {"help", cli_help, "Help", "help on a command"},
    {"completion", cli_completion, "Help", "print a completion script for a shell"},
    {NULL, NULL, NULL, NULL},
};

const cli_command *cli_command_find(const char *name)
{
    for (const cli_command *c = cli_commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

/* The first signal asks the work to stop and keep its best; the handler is gone after it, so a
 * second one ends the program. */
static void on_signal(int number)
{
    (void)number;
    scant_interrupt();
}

/* One that whoever started the program had ignored stays so: shells do that for what runs in the
 * background, where Ctrl-C is meant for others. */
static void catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM};
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(caught[i], &action, NULL);
    (void)signal(
        SIGXFSZ,
        SIG_IGN); /* a file past the limit of its size is a failed write, with its message */
}

static int print_overview(void)
{
    printf("usage: scant COMMAND [options] [files]\n\n"
           "Learns classifiers and mixtures from few labels.\n");
    const char *group = "";
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (strcmp(c->group, group) != 0)
            printf("\n%s:\n", c->group);
        group = c->group;
        printf("  %-12s %s\n", c->name, c->summary);
    }
    printf(
        "\n'scant COMMAND --help' tells a command's options, 'scant --version' the version.\n"
        "Exit codes: 0 ok, 2 usage, 3 bad input, 4 did not converge, 5 not identified, 1 else.\n");
    return EXIT_OK;
}

static int unknown_command(const cli_call *call, const char *name)
{
    const char *names[sizeof cli_commands / sizeof cli_commands[0]];
    size_t count = 0;
    for (const cli_command *c = cli_commands; c->name; c++)
        names[count++] = c->name;
    const char *near = cli_nearest(name, names, count);
    int code;
    if (name[0] == '-')
        code = cli_error(call, CLI_USAGE, "the command comes first, before '%s'", name);
    else if (near)
        code =
            cli_error(call, CLI_USAGE, "there is no command '%s'; did you mean '%s'?", name, near);
    else
        code = cli_error(call, CLI_USAGE, "there is no command '%s'", name);
    if (!call->json)
        fprintf(stderr, "'scant --help' lists the commands\n");
    return code;
}

int cli_help(int argc, char **argv)
{
    bool man = argc > 1 && strcmp(argv[1], "--man") == 0;
    const char *topic = argc > 1 + man ? argv[1 + man] : NULL;
    if (!topic || topic[0] == '-')
        return man ? cli_print_main_man() : print_overview();
    const cli_command *command = cli_command_find(topic);
    if (!command)
        return unknown_command(&(cli_call){0}, topic);
    if (command->run == cli_help)
        return print_overview();
    char *asked[] = {argv[1 + man], "--help", NULL};
    if (man)
        cli_now = CLI_MAN;
    return command->run(2, asked);
}

/* Whatever was printed must have arrived: a full disk shows only now. */
static int close_stdout(const cli_call *call, int code)
{
    bool bad = ferror(stdout) != 0;
    errno = 0;
    if (fclose(stdout) != 0)
        bad =
            errno != EBADF || bad; /* a stdout that never was open lost nothing unless written to */
    if (!bad)
        return code;
    if (code != EXIT_OK && code != EXIT_STOPPED && code != EXIT_OTHER)
        return code; /* bad input and the like came first, and have been told */
    return cli_error(call, CLI_OUTPUT, "standard output could not be written: %s",
                     errno ? strerror(errno) : "write error");
}

static int run(const cli_call *call, int argc, char **argv)
{
    if (argc < 2)
        return cli_error(call, CLI_USAGE, "which command? 'scant --help' lists them");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return print_overview();
    if (strcmp(name, "--version") == 0) {
        printf("scant %s\n", scant_version());
        return EXIT_OK;
    }
    const cli_command *command = cli_command_find(name);
    return command ? command->run(argc - 1, argv + 1) : unknown_command(call, name);
}

/* *function = what a loaded library has by that name, or NULL; C knows no cast between the two kinds of pointers. */
static void look_up(void *function, const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
}

static bool is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Under a limit of memory a thread that OpenBLAS started as it was loaded may try for ever to get its buffer, and whoever
 * waits for its end, as every exit does, waits with it. So the program starts once more, and tells OpenBLAS to start none. */
static void start_again_without_blas_threads(char **argv)
{
    char path[4096];
    const char *threads = getenv("OPENBLAS_NUM_THREADS");
    void (*set_threads)(int);
    look_up(&set_threads, "openblas_set_num_threads");
    if (!set_threads || (threads && strcmp(threads, "1") == 0) ||
        (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)))
        return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0)
        (void)execv(path, argv);
    fprintf(stderr, "scant: memory is limited (ulimit -v, -d); set OPENBLAS_NUM_THREADS=1\n");
    _exit(EXIT_OTHER);
}

/* Where BLAS is OpenBLAS it starts threads of its own as it is loaded. For the first tenth of a second they look for work
 * so eagerly that a fit with threads may wait that long for a core; and what they do depends on how many cores there are. */
static void keep_blas_to_one_thread(void)
{
    void (*set_threads)(int);
    int (*shut_down)(void);
    look_up(&set_threads, "openblas_set_num_threads");
    look_up(&shut_down, "blas_thread_shutdown_");
    if (!set_threads || !shut_down || getenv("OPENBLAS_NUM_THREADS"))
        return;
    set_threads(1);
    shut_down();
}

/* Where one of the three streams is closed, the next file opened would get its number, and what is
 * said would go into it. To read or write what was closed stays an error: /dev/null is opened the
 * other way round. */
static void fill_closed_streams(void)
{
    for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
        if (fcntl(k, F_GETFD) < 0 && open("/dev/null", k == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_OTHER);
}

int main(int argc, char **argv)
{
    scant_message_spell(SCANT_SPELL_COMMAND);
    fill_closed_streams();
    start_again_without_blas_threads(argv);
    keep_blas_to_one_thread();
    const cli_call call = {.json = cli_has_word(argc, argv, "--json")};
    catch_signals();
    cli_guard_terminal();
    return close_stdout(&call, run(&call, argc, argv));
}
