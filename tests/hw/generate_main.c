/* hw_generate [FILE]: writes all cases to FILE or standard output. */
#include "hw.h"

int main(int argc, char **argv)
{
    if (argc > 2) {
        fputs("usage: hw_generate [FILE]\n", stderr);
        return 2;
    }
    FILE *file = argc == 2 ? fopen(argv[1], "w") : stdout;
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    struct hw_cases cases = {0};
    hw_generate(&cases);
    hw_cases_write(file, &cases);
    hw_cases_free(&cases);
    if (fflush(file) != 0 || ferror(file)) {
        perror("hw_generate");
        return 2;
    }
    return 0;
}
