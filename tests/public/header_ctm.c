/* amDeviceManaged.h is the first and only header here; built in several standards of C. */
#include "amDeviceManaged.h"

#include "amDeviceManaged.h"

int header_ctm_compiles(void);

int header_ctm_compiles(void)
{
    AMmanagedDeviceInfo info = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* as clients of 2006 write it */
    return (int)info.arenaSizeGPU;
}
