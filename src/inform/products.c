#include "inform/products.h"

#include <stdlib.h>

/* A product of two features as the letters it is spelled with, in order; 0 is no letter. */
enum { LETTERS = 2 * SCANT_I_MONOMIAL };
typedef struct spelling {
    uint32_t letter[LETTERS];
    uint32_t a, b;
} spelling;

/* Letters (m x SCANT_I_MONOMIAL) of all features; factors have letters of their own. */
static void spell_features(const scant_i_mixture *mixture, uint32_t *letters)
{
    for (size_t f = 0, first = 0; f < mixture->nfactors; f++) {
        const scant_i_factor *factor = mixture->factor[f];
        const scant_i_family_natural *form = factor->family->natural;
        size_t m = form->nfeatures(factor);
        for (size_t a = 0; a < m; a++, letters += SCANT_I_MONOMIAL) {
            size_t own[SCANT_I_MONOMIAL] = {form->begins_with_one ? a : a + 1};
            if (form->monomial)
                form->monomial(factor, a, own);
            for (size_t k = 0; k < SCANT_I_MONOMIAL; k++)
                letters[k] = own[k] ? (uint32_t)(first + own[k]) : 0;
        }
        first += m;
    }
}

static spelling spell(const uint32_t *letters, size_t a, size_t b)
{
    spelling s = {.a = (uint32_t)a, .b = (uint32_t)b};
    for (size_t k = 0; k < LETTERS; k++) {
        uint32_t next = letters[(k % 2 ? b : a) * SCANT_I_MONOMIAL + k / 2];
        size_t at = k;
        for (; at > 0 && s.letter[at - 1] > next; at--)
            s.letter[at] = s.letter[at - 1];
        s.letter[at] = next;
    }
    return s;
}

static int compare_letters(const spelling *x, const spelling *y)
{
    for (size_t k = 0; k < LETTERS; k++)
        if (x->letter[k] != y->letter[k])
            return x->letter[k] < y->letter[k] ? -1 : 1;
    return 0;
}

/* Equal ones by features, so that no sort of the system's decides how a product is rounded. */
static int compare(const void *left, const void *right)
{
    const spelling *x = left, *y = right;
    int by_letters = compare_letters(x, y);
    if (by_letters != 0)
        return by_letters;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

/* Numbers them in the order of their letters. */
static void number(scant_i_products *p, const spelling *pair, size_t npairs)
{
    for (size_t k = 0; k < npairs; k++) {
        uint32_t a = pair[k].a, b = pair[k].b;
        if (k == 0 || compare_letters(&pair[k - 1], &pair[k]) != 0) {
            p->of[2 * p->n] = a;
            p->of[2 * p->n++ + 1] = b;
        }
        p->place[a * p->m + b] = p->place[b * p->m + a] = (uint32_t)(p->n - 1);
    }
}

scant_status scant_i_products_new(scant_i_products *out, const scant_i_mixture *mixture)
{
    scant_status status = SCANT_OK;
    uint32_t *letters = NULL;
    spelling *pair = NULL;
    size_t npairs = 0;
    *out = (scant_i_products){0};
    for (size_t f = 0; f < mixture->nfactors; f++)
        out->m += mixture->factor[f]->family->natural->nfeatures(mixture->factor[f]);
    SCANT_I_TRY(SCANT_I_NEW(&letters, out->m * SCANT_I_MONOMIAL));
    SCANT_I_TRY(SCANT_I_NEW(&pair, out->m * (out->m + 1) / 2));
    SCANT_I_TRY(SCANT_I_NEW(&out->of, out->m * (out->m + 1)));
    SCANT_I_TRY(SCANT_I_NEW(&out->place, out->m * out->m));
    spell_features(mixture, letters);
    for (size_t a = 0; a < out->m; a++)
        for (size_t b = a; b < out->m; b++)
            pair[npairs++] = spell(letters, a, b);
    qsort(pair, npairs, sizeof *pair, compare);
    number(out, pair, npairs);
done:
    scant_i_free(letters);
    scant_i_free(pair);
    if (status != SCANT_OK)
        scant_i_products_clear(out);
    return status;
}

void scant_i_products_clear(scant_i_products *products)
{
    scant_i_free(products->of);
    scant_i_free(products->place);
    *products = (scant_i_products){0};
}
