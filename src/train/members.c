/* The members of the stack, and what their files share. */
#include "train/member.h"

#include <string.h>

const scant_i_member *const scant_i_members[] = {&scant_i_member_logistic,
                                                 &scant_i_member_gaussian,
                                                 &scant_i_member_gaussian_em,
                                                 &scant_i_member_clusters,
                                                 &scant_i_member_trees,
                                                 &scant_i_member_tfidf,
                                                 &scant_i_member_bayes,
                                                 &scant_i_member_bayes_em,
                                                 &scant_i_member_bayes_em_weak,
                                                 &scant_i_member_topics,
                                                 NULL};

const scant_i_member *scant_i_member_find(const char *name)
{
    for (size_t m = 0; scant_i_members[m]; m++)
        if (strcmp(scant_i_members[m]->name, name) == 0)
            return scant_i_members[m];
    return NULL;
}

bool scant_i_halted(const scant_i_halt *halt)
{
    return (halt->cancelled && __atomic_load_n(halt->cancelled, __ATOMIC_RELAXED)) ||
           scant_i_interrupted() || scant_i_time_is_up(halt->limit, halt->began);
}

scant_status scant_i_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0
               ? SCANT_OK
               : scant_i_fail(SCANT_ERR_MEMORY, "out of memory in a model file");
}

scant_status scant_i_put_table(json_t *to, const char *key, const double *value, size_t rows,
                               size_t columns)
{
    size_t dim[2] = {rows, columns};
    return scant_i_put(to, key, scant_i_put_numbers(value, dim, 2));
}

scant_status scant_i_get_table(double **out, const scant_i_place *place, const json_t *from,
                               const char *key, size_t rows, size_t columns)
{
    scant_i_place at = scant_i_place_in(place, key);
    size_t dim[2] = {rows, columns};
    scant_status status = SCANT_I_NEW(out, rows * columns);
    if (status == SCANT_OK)
        status = scant_i_get_numbers(*out, &at, json_object_get(from, key), dim, 2);
    return status;
}

scant_status scant_i_get_index(size_t *out, const scant_i_place *place, const json_t *item,
                               size_t end)
{
    json_int_t index = json_integer_value(item);
    if (!json_is_integer(item) || index < 0 || (size_t)index >= end)
        return scant_i_place_fail(place, "is not a whole number below %zu", end);
    *out = (size_t)index;
    return SCANT_OK;
}
