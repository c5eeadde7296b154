#include "parts/loopback.h"

#include <string.h>

typedef struct scant_i_letter {
    scant_i_answer answer;
    char *bytes, *text;
    bool taken;
} letter;

static void letter_clear(letter *l)
{
    scant_i_free(l->bytes);
    scant_i_free(l->text);
    *l = (letter){0};
}

/* A copy of all that an answer has, as a wire would bring it. */
static scant_status write_letter(letter *out, const scant_i_answer *answer)
{
    scant_status status = SCANT_OK;
    *out = (letter){.answer = *answer};
    SCANT_I_TRY(SCANT_I_NEW(&out->bytes, answer->nbytes));
    if (answer->nbytes)
        memcpy(out->bytes, answer->bytes, answer->nbytes);
    if (answer->text) {
        out->text = scant_i_strdup(answer->text);
        status = out->text ? SCANT_OK : SCANT_ERR_MEMORY;
    }
    out->answer.bytes = out->bytes;
    out->answer.text = out->text;
done:
    if (status != SCANT_OK)
        letter_clear(out);
    return status;
}

static scant_status post(const scant_i_answer *answer, void *payload)
{
    scant_i_loopback *l = payload;
    if (l->nletters == l->room) {
        scant_status status =
            scant_i_resize(&l->letter, l->room ? 2 * l->room : 8, sizeof *l->letter);
        if (status != SCANT_OK)
            return status;
        l->room = l->room ? 2 * l->room : 8;
    }
    scant_status status = write_letter(&l->letter[l->nletters], answer);
    l->nletters += status == SCANT_OK;
    return status;
}

/* Letters of earlier questions go, but for one now and then, which is late. */
static void sweep(scant_i_loopback *l)
{
    size_t kept = 0;
    for (size_t k = 0; k < l->nletters; k++) {
        if (kept == 0 && scant_i_random_uniform(&l->random) < 0.3)
            l->letter[kept++] = l->letter[k];
        else
            letter_clear(&l->letter[k]);
    }
    l->nletters = kept;
}

static scant_status ask_one(scant_i_loopback *l, const scant_i_query *question, scant_i_take take,
                            void *taker)
{
    scant_status status = SCANT_OK;
    sweep(l);
    for (size_t part = question->nparts; part-- > 0;) {
        SCANT_I_TRY(question->answer(question, part, post, l));
        if (scant_i_random_uniform(&l->random) <
            0.3) /* asked again: nobody knew it was under way */
            SCANT_I_TRY(question->answer(question, part, post, l));
    }
    for (size_t left = l->nletters, k; left > 0;) {
        do
            k = scant_i_random_below(&l->random, l->nletters);
        while (l->letter[k].taken && scant_i_random_uniform(&l->random) < 0.8);
        left -= !l->letter[k].taken;
        l->letter[k].taken = true;
        SCANT_I_TRY(take(&l->letter[k].answer, taker));
    }
done:
    for (size_t k = 0; k < l->nletters; k++)
        l->letter[k].taken = false;
    return status;
}

/* One question at a time is on its way. */
static scant_status ask(const scant_i_carrier *carrier, const scant_i_query *question,
                        scant_i_take take, void *taker)
{
    scant_status status;
#pragma omp critical(scant_loopback)
    status = ask_one(carrier->payload, question, take, taker);
    return status;
}

void scant_i_loopback_open(scant_i_loopback *out, size_t nparts, const double *cut, uint64_t seed)
{
    *out = (scant_i_loopback){.random = scant_i_random_new(seed, 0)};
    out->carrier = (scant_i_carrier){ask, out, nparts, cut};
}

void scant_i_loopback_close(scant_i_loopback *loopback)
{
    for (size_t k = 0; k < loopback->nletters; k++)
        letter_clear(&loopback->letter[k]);
    scant_i_free(loopback->letter);
    *loopback = (scant_i_loopback){0};
}
