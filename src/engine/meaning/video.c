/* The kernels and rows of video.h. */
#define MEANINGS "engine/meaning/video.h"
#define ROWS     meanings_video
#include "engine/meaning/family.h"
