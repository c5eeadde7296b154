/* scant convert: a table or a tensor in another format. */
#include "command.h"

#include <string.h>

static const cli_manual manual = {"IN OUT [options]",
                                  "Rewrites a table in the format of OUT's ending: .csv .tsv (.gz "
                                  "too) .npy .svm .mtx .h5. When either "
                                  "name ends in .tns both are tensors (.tns or .npy). IN - is CSV "
                                  "from stdin, OUT - is CSV to stdout.",
                                  "scant convert examples/data/faithful.csv faithful.npy", 2, 2};

static bool is_tensor(const char *path)
{
    size_t length = strlen(path);
    return (length >= 4 && strcmp(path + length - 4, ".tns") == 0) ||
           (length >= 7 && strcmp(path + length - 7, ".tns.gz") == 0);
}

static int convert_rows(const cli_call *call, const cli_input *input)
{
    scant_rows *rows = NULL;
    int code = cli_input_read(&rows, call, input, call->operand[0], NULL);
    if (code != GO_ON)
        return code;
    scant_status status = scant_rows_write(rows, call->operand[1]);
    code = status == SCANT_OK ? EXIT_OK : cli_failed(call, status);
    if (code == EXIT_OK && strcmp(call->operand[1], "-") != 0) {
        cli_say(call, "%zu rows, %zu columns written to %s", scant_rows_count(rows),
                scant_rows_columns(rows), call->operand[1]);
        if (call->json)
            code = cli_json_print(call, json_pack("{s:I, s:I, s:o}", "rows",
                                                  (json_int_t)scant_rows_count(rows), "columns",
                                                  (json_int_t)scant_rows_columns(rows), "output",
                                                  cli_json_text(call->operand[1])));
    }
    scant_rows_free(rows);
    return code;
}

static int convert_tensor(const cli_call *call)
{
    scant_status status = scant_tensor_convert(call->operand[0], call->operand[1]);
    if (status != SCANT_OK)
        return cli_failed(call, status);
    return call->json
               ? cli_json_print(call, json_pack("{s:o}", "output", cli_json_text(call->operand[1])))
               : EXIT_OK;
}

int cli_convert(int argc, char **argv)
{
    cli_call call;
    cli_input input;
    cli_call_begin(&call, argv[0]);
    cli_input_add(&call, &input);
    input.keep_weightless = true;
    input.chains = true;
    int code = cli_call_parse(&call, &manual, argc, argv);
    if (code == GO_ON && call.json && strcmp(call.operand[1], "-") == 0)
        code = cli_usage_error(&call, "OUT - and --json both want standard output");
    if (code == GO_ON && cli_is_same_file(call.operand[0], call.operand[1]))
        code =
            cli_usage_error(&call, "OUT would overwrite IN, %s; name another one", call.operand[0]);
    if (code == GO_ON)
        code = is_tensor(call.operand[0]) || is_tensor(call.operand[1])
                   ? convert_tensor(&call)
                   : convert_rows(&call, &input);
    cli_call_end(&call);
    return code;
}
