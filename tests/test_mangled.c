/* Names of C++ functions: what symbols say, and which of them a name means. Symbols are from nvcc. */
#include "base/mangled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void symbols_are_read(void **unused)
{
    (void)unused;
    static const struct {
        const char *symbol, *name; /* NULL: no name */
    } rows[] = {
        {"_Z9vectorAddPKfS0_Pfi", "vectorAdd"},
        {"_ZN2ns4fillIfEEvPT_S1_i1S", "ns::fill<float>"},
        {"_ZN1a3litILNS_1EE1ELb1ELj7EEEvv", "a::lit<(a::E)1,true,7>"},
        {"_ZN1a1b4packIJiPfNS0_1VIdLi3EEEPKS4_EEEvDpT_",
         "a::b::pack<int,float*,a::b::V<double,3>,const a::b::V<double,3>*>"},
        {"_ZN1a1b4packIJEEEvDpT_", "a::b::pack<>"},
        {"_Z2ttIN1a1b1VEEvT_IfLi2EE", "tt<a::b::V>"},
        {"_Z2fpIXadL_Z3deviEEEvPi", "fp<dev>"},
        {"_Z2k2IZ4hostPiEUlvE_EvT_", "k2<host::{lambda()}>"},
        {"_Z1hP6__halfPFviE", "h"},
        {"_Z1tIPFviEEvv", "t<void(int)*>"},
        {"_Z1tIA4_iKPcLin3EEvv", "t<int[4],char*const,-3>"},
        {"_ZL6staticPi", "static"},
        {"_ZN35_GLOBAL__N__674fef71_4_m_cu__Z3devi2anEPi", "(anonymous namespace)::an"},
        {"_ZN6thrust4cuda4coreI7St6vectorIiSaIiEEEEvv", NULL},
        {"_ZN6thrust4coreISt6vectorIiSaIiEEEEvv", "thrust::core<std::vector<int,std::allocator<int>>>"},
        {"_Z", NULL},
        {"_Z9short", NULL},
        {"_Z1kI", NULL},
        {"_Z1kIS9_Evv", NULL},
        {"_ZN", NULL},
        {"_ZNE", NULL},
        {"_Z99999999999999999999k", NULL},
        {"plain", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena arena = {0};
        const char *name = mangled_name(&arena, rows[i].symbol);
        if (!name != !rows[i].name || (name && strcmp(name, rows[i].name) != 0))
            fail_msg("%s: %s", rows[i].symbol, name ? name : "no name");
        arena_free(&arena);
    }
}

/* S1_ that doubles S0_ that doubles ... ends; so do brackets without end. */
static void hostile_symbols_end(void **unused)
{
    (void)unused;
    char symbol[3000] = "_Z1kI1aIiE";
    struct arena arena = {0};
    for (char c = '0'; c <= '9'; c++)
        snprintf(symbol + strlen(symbol), 40, "1bIS%c_S%c_S%c_E", c, c, c);
    strcat(symbol, "Evv");
    mangled_name(&arena, symbol);
    for (size_t i = 3; i < sizeof symbol - 1; i++)
        symbol[i] = "IP1N"[i % 4];
    assert_null(mangled_name(&arena, symbol));
    memset(symbol + 2, 'P', sizeof symbol - 3);
    assert_null(mangled_name(&arena, symbol));
    arena_free(&arena);
}

static void names_mean_functions(void **unused)
{
    (void)unused;
    static const char full[] = "a::b::fill<ns::V<int>, 3>";
    static const char *const right[] = {"fill",
                                        "b::fill",
                                        "a::b::fill",
                                        "fill<ns::V<int>,3>",
                                        "b::fill< ns::V< int >,3 >",
                                        "a::b::fill<ns::V<int>, 3>"};
    static const char *const wrong[] = {"",  "ill",  "a::fill", "fill<",         "fill<int>", "V<int>, 3>",
                                        "b", "a::b", "fill<>",  "c::a::b::fill", "::fill"};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        if (!mangled_is(full, right[i]))
            fail_msg("'%s' is not found", right[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (mangled_is(full, wrong[i]))
            fail_msg("'%s' is found", wrong[i]);
    assert_true(mangled_is("k", "k"));
    assert_false(mangled_is("k", "k2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_are_read),
        cmocka_unit_test(hostile_symbols_end),
        cmocka_unit_test(names_mean_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
