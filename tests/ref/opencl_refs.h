/* References of the jobs; see opencl.h. */
#ifndef ATOLL_TESTS_OPENCL_REFS_H
#define ATOLL_TESTS_OPENCL_REFS_H

#include "opencl.h"

void opencl_hist(const struct opencl_job *job, void **data);
void opencl_imgscale(const struct opencl_job *job, void **data);
void opencl_reduce(const struct opencl_job *job, void **data);
void opencl_transpose(const struct opencl_job *job, void **data);
void opencl_atomics(const struct opencl_job *job, void **before, void **got);
void opencl_divergent(const struct opencl_job *job, void **data);
void opencl_irw(const struct opencl_job *job, void **data);
void opencl_sg(const struct opencl_job *job, void **data);
void opencl_tat(const struct opencl_job *job, void **data);
void opencl_conv3x3(const struct opencl_job *job, void **data);
void opencl_conv_border(const struct opencl_job *job, void **data);
void opencl_matmul(const struct opencl_job *job, void **data);
void opencl_math(const struct opencl_job *job, void **data);
void opencl_half_int64(const struct opencl_job *job, void **data);
void opencl_div64(const struct opencl_job *job, void **data);
void opencl_call(const struct opencl_job *job, void **data);
void opencl_callstack(const struct opencl_job *job, void **data);
void opencl_bytes(const struct opencl_job *job, void **data);
void opencl_private_array(const struct opencl_job *job, void **data);
void opencl_structs(const struct opencl_job *job, void **data);
void opencl_image3d_nearest(const struct opencl_job *job, void **data);
void opencl_formats(const struct opencl_job *job, void **data);
void opencl_workgroup(const struct opencl_job *job, void **data);
void opencl_subgroup(const struct opencl_job *job, void **data);
void opencl_atomics64(const struct opencl_job *job, void **data);
void opencl_doubles(const struct opencl_job *job, void **data);
void opencl_threads3(const struct opencl_job *job, void **data);
void opencl_private_large(const struct opencl_job *job, void **data);
void opencl_branches(const struct opencl_job *job, void **data);

#endif
