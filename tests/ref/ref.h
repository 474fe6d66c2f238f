/* Plain C versions of the example kernels: what each must compute. They are written from the description of the work,
 * not from the PTX, except that floating-point references keep the fused multiply-adds that the PTX contains. */
#ifndef ATOLL_TESTS_REF_H
#define ATOLL_TESTS_REF_H

#include <stddef.h>
#include <stdint.h>

/* images.c. Pictures are row-major, tightly packed. */
enum ref_border { REF_INTERIOR, REF_CLAMP, REF_ZERO };
void ref_sobel(const uint8_t *src, uint8_t *dst, int width, int height, enum ref_border border);
void ref_layers_sum(const uint32_t *src, uint32_t *dst, int width, int height, int layers);
void ref_layers_shift(const uint32_t *src, uint32_t *dst, int width, int height, int layers);
void ref_volume_blur(const uint32_t *src, uint32_t *dst, int width, int height, int depth);
void ref_volume_mip(const uint32_t *src, uint32_t *dst, int width, int height, int depth); /* extents of dst */
void ref_cube_paint(uint32_t *dst, int size);
/* table: cos, sin of each angle in 1/4096; votes is angles x rows. */
void ref_hough_vote(const uint8_t *src, uint32_t *votes, const int32_t *table, int width, int height, int angles,
                    int rows, int offset, int threshold);
/* Four floats a texel, before conversion to the surface's format. */
void ref_hough_draw(const uint32_t *votes, float *rgba, int count, float most);
uint64_t ref_hough_peak(const uint32_t *votes, int width, int height);
/* As sust.p does it: in fixed point of 12 bits, of two codes as near the lower one. */
uint8_t ref_unorm8(float value);
void ref_mandelbrot(uint8_t *rgba, int width, int height);
void ref_mandelbrot_gray(uint8_t *gray, int width, int height);
void ref_mandelbrot_at(uint32_t *counts, int width, int height, double x0, double y0, double step, uint32_t limit);

/* ctm.c. Four floats a pixel in pictures, one an element elsewhere. */
int ref_ctm_rounds(float x0, float y0, int most); /* of z = z*z + c, until |z| >= 2 */
/* view: left, top, distance of two pixels, 1 / most. */
void ref_ctm_mandelbrot(float *rgba, int width, int height, const float view[4], const float weights[3], int most);
void ref_ctm_filter(const float *src, float *dst, int width, int height, const float weights[9], float bias);
void ref_ctm_halve(const float *src, float *dst, int width, int height); /* means of 2 x 2; extents of dst */
void ref_ctm_life(float *cells, float *scratch, int width, int height);  /* a generation, edges meet */

/* numbers.c */
void ref_histogram(const uint8_t *bytes, size_t count, uint32_t bins[256]);
uint32_t ref_sum(const uint32_t *in, size_t count);
/* Sums of blocks of 256 in the order of a binary tree: element i takes i + 128, then i + 64 ... */
void ref_tree_sums(const float *in, size_t count, float *out);
void ref_sha256(const uint8_t *message, size_t length, uint32_t digest[8]);
uint32_t ref_sha256_mine(uint32_t word, uint32_t bits, uint32_t count);
uint32_t ref_list_sum(uint32_t id, uint32_t length);
uint32_t ref_ackermann(uint32_t m, uint32_t n);
uint32_t ref_fibonacci(uint32_t n);
int32_t ref_dispatch(int32_t which, int32_t x);

#endif
