/* SCANT_I_CLONES before a function: compiled once for each generation of processors, chosen when the
 * program starts. Sanitizers cannot be up that early, and clang does without. */
#ifndef SCANT_I_CLONES_H
#define SCANT_I_CLONES_H

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define SCANT_I_CLONES                                                                             \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SCANT_I_CLONES
#endif

#endif
