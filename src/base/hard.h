/* The hard build (meson -Dhard=true): all that grows begins with next to no room, arenas ask the host for every piece,
 * and turns are as short as can be. What rarely happens - a stack that moves, a table that grows, lanes that change
 * between two branches - then happens all the time, in every test. Nothing that a kernel can see differs, but the order
 * in which things run. */
#ifndef ATOLL_BASE_HARD_H
#define ATOLL_BASE_HARD_H

#ifdef ATOLL_HARD
#define HARD(usual, hard) hard
#else
#define HARD(usual, hard) usual
#endif

#endif
