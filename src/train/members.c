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

bool scant_i_interrupted_enough(size_t iteration, double value, void *payload)
{
    enum { FEWEST_ITERATIONS = 10 };
    (void)value;
    (void)payload;
    return iteration >= FEWEST_ITERATIONS && scant_i_interrupted();
}
