/* Names and scopes: what a name means at the place that is being parsed. */
#ifndef ATOLL_ISA_PTX_NAMES_H
#define ATOLL_ISA_PTX_NAMES_H

#include "base/namemap.h"
#include "isa/ptx/ast.h"

struct binding;

/* A name that was declared somewhere. A range %r<8> is kept under its prefix "%r". */
struct name {
    struct name *before;              /* in order of first declaration, for hints */
    struct binding *single, *range;   /* innermost meaning; NULL = none in scope */
    struct binding *numbered_singles; /* of a prefix %r: the single names %r5 in scope, innermost first */
    bool numbered; /* prefix of a single name such as %r5, or of a range such as %r1<4>: look further */
    uint32_t length;
    char text[]; /* terminated */
};

struct binding {
    struct ptx_decl *decl;
    struct name *name;
    struct binding *outer;          /* the meaning this one hides */
    struct binding *next;           /* of the same scope */
    struct name *prefix;            /* of a single name that ends in digits, else NULL */
    struct binding *numbered_below; /* the next one in prefix->numbered_singles */
    uint32_t depth;
    bool is_range;
};

enum { SCOPES = 256 };

/* Zero it, set arena. */
struct names {
    struct arena *arena;
    struct namemap map; /* name.text */
    struct name *last;  /* declared */
    uint32_t depth;     /* 0 = module */
    struct binding *scopes[SCOPES];
    struct binding *spare; /* of closed scopes, to be used again */
    bool failed;           /* out of memory */
};

/* A name as it is used: a single name, or number `number` of a range. */
struct meaning {
    struct ptx_decl *decl; /* NULL: no such name in scope */
    uint64_t number;
    uint32_t depth;
};

void names_free(struct names *names);

/* False when scopes are nested too deeply. */
bool names_open(struct names *names);
void names_close(struct names *names);

struct meaning names_find(const struct names *names, const char *text, uint32_t length);

/* Gives decl->name (text[0..length), set here) its meaning in the innermost scope. Returns the declaration of that
 * scope that has it already (decl stays without a binding), or NULL. */
struct ptx_decl *names_declare(struct names *names, const char *text, uint32_t length, struct ptx_decl *decl);

/* The innermost range with this prefix, NULL = none. */
struct ptx_decl *names_range(const struct names *names, const char *prefix, uint32_t length);

/* The visible name closest to text, NULL if none is close. `budget` counts down the names looked at. */
const char *names_closest(const struct names *names, const char *text, uint32_t length, uint32_t *budget);

/* Edit distance with transpositions if it is at most `limit`, else a larger number. */
unsigned names_distance(const char *a, uint32_t na, const char *b, uint32_t nb, unsigned limit);

#endif
