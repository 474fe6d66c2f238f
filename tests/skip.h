/* Tests that need what is not everywhere: they say why they are left out, and scripts/test tells. */
#ifndef ATOLL_TESTS_SKIP_H
#define ATOLL_TESTS_SKIP_H

/* After <cmocka.h>. */
#define skip_because(...) (print_message("skipped: " __VA_ARGS__), print_message("\n"), skip())

#endif
