/* atoll.h is the first and only header here, so it must bring all that it needs; built in several standards of C. */
#include "atoll.h"

#include "atoll.h"

int header_compiles(void);

int header_compiles(void)
{
    struct atoll_launch_options options = {0};
    return (int)options.threads;
}
