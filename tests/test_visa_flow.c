/* vISA's control flow, masks and regions: which channels do what, and what they see of each other. */
#include "visa_run.h"

#define N(a) (sizeof(a) / sizeof *(a))
enum { ITEMS = 64 };

/* R of each work item; l: its channel. */
typedef uint32_t want_fn(uint32_t item, uint32_t l, unsigned simd);
struct one {
    const char *name, *text; /* # is the execution size */
    want_fn *want;
};

#define WANT(name, expression)                                     \
    static uint32_t name(uint32_t item, uint32_t l, unsigned simd) \
    {                                                              \
        (void)item, (void)l, (void)simd;                           \
        return (uint32_t)(expression);                             \
    }

/* A is the work item's number. */
WANT(w_parted, l < 4 ? 10 + l : 20 + l)
WANT(w_loop, l *(l + 1) / 2)
WANT(w_nested, l & 1 ? (l & 2 ? 3 : 2) : 1)
WANT(w_called, l < 4 ? l + 101 : l)
WANT(w_called_twice, 5 * (l + 1))
WANT(w_deep, l + 111)
WANT(w_fcall, l + 2)
WANT(w_ifcall, l & 1 ? l + 100 : l + 200)
WANT(w_switch, 300)
WANT(w_all_lanes, 7)
WANT(w_ballot, 0xF)
WANT(w_any, 1)
WANT(w_last, item - l + simd - 1)
WANT(w_reversed, item - l + simd - 1 - l)
WANT(w_pairs, (item & ~1u) + ((item & ~1u) | 1))
WANT(w_quarter, l < 8 ? 1 : l < 16 ? 2 : 3)
WANT(w_setp, 0xA5 >> (l & 15) & 1)
WANT(w_packed, l % 8 < 4 ? l % 8 : l % 8 - 8)
WANT(w_float_packed, l % 4 == 0 ? 0 : l % 4 == 1 ? 1 : l % 4 == 2 ? 2 : 8)
WANT(w_five, 5)
WANT(w_item, item)
WANT(w_r0, l == 1 ? item / simd : l == 2 ? 0 : 0)
WANT(w_r0_pair, item / simd)
WANT(w_bytes, 0x01010101 * (l & 255))

static const struct one tests[] = {
    {"a transposed load of one element",
     "lsc_load.ugm (M1_NM, 1) B:d32t flat[IN+0x14]:a64\nmov (M1, #) R(0,0)<1> B(0,0)<0;1,0>", w_five},
    {"a transposed load of four",
     "lsc_load.ugm (M1_NM, 1) B:d32x4t flat[IN+0x8]:a64\nmov (M1, #) R(0,0)<1> B(0,3)<0;1,0>", w_five},
    {"scratch memory",
     "shl (M1, #) B(0,0)<1> L(0,0)<1;1,0> 0x2:d\nscatter4_scaled.R (M1, #) %scratch 0x100:ud B.0 I.0\n"
     "gather4_scaled.R (M1, #) %scratch 0x100:ud B.0 R.0",
     w_item},
    {"channels part and meet",
     "cmp.lt (M1, #) P1 L(0,0)<1;1,0> 0x4:w\n(!P1) goto (M1, #) else\nadd (M1, #) R(0,0)<1> L(0,0)<1;1,0> 0xa:d\n"
     "goto (M1, 1) both\nelse:\nadd (M1, #) R(0,0)<1> L(0,0)<1;1,0> 0x14:d\nboth:",
     w_parted},
    {"loops of different lengths",
     "mov (M1, #) B(0,0)<1> L(0,0)<1;1,0>\nloop:\nadd (M1, #) R(0,0)<1> R(0,0)<1;1,0> B(0,0)<1;1,0>\n"
     "add (M1, #) B(0,0)<1> B(0,0)<1;1,0> -1:w\ncmp.gt (M1, #) P1 B(0,0)<1;1,0> 0x0:d\n(P1) goto (M1, #) loop",
     w_loop},
    {"nested",
     "and (M1, #) B(0,0)<1> I(0,0)<1;1,0> 0x1:d\nand (M1, #) C(0,0)<1> I(0,0)<1;1,0> 0x2:d\n"
     "cmp.eq (M1, #) P1 B(0,0)<1;1,0> 0x0:d\ncmp.eq (M1, #) P2 C(0,0)<1;1,0> 0x0:d\nmov (M1, #) R(0,0)<1> 0x1:d\n"
     "(P1) goto (M1, #) out\nmov (M1, #) R(0,0)<1> 0x2:d\n(P2) goto (M1, #) out\nmov (M1, #) R(0,0)<1> 0x3:d\nout:",
     w_nested},
    {"a call of some channels",
     "mov (M1, #) R(0,0)<1> L(0,0)<1;1,0>\ncmp.lt (M1, #) P1 L(0,0)<1;1,0> 0x4:w\n(P1) call (M1, #) f\n"
     "(P1) add (M1, #) R(0,0)<1> R(0,0)<1;1,0> 0x1:d\f.function \"f\"\nf:\nadd (M1, #) R(0,0)<1> R(0,0)<1;1,0> 0x64:d\n"
     "ret (M1, #)\n",
     w_called},
    {"a subroutine goes back to where it was called",
     "add (M1, #) R(0,0)<1> L(0,0)<1;1,0> 0x1:d\ncall (M1, #) f\nmul (M1, #) C(0,0)<1> B(0,0)<1;1,0> 0x1:d\n"
     "call (M1, #) f\nadd (M1, #) R(0,0)<1> C(0,0)<1;1,0> B(0,0)<1;1,0>\nadd (M1, #) R(0,0)<1> R(0,0)<1;1,0> 0x0:d\n"
     "add (M1, #) R(0,0)<1> R(0,0)<1;1,0> L(0,0)<1;1,0>\nadd (M1, #) R(0,0)<1> R(0,0)<1;1,0> 0x1:w\n"
     "\f.function \"f\"\nf:\nshl (M1, #) B(0,0)<1> R(0,0)<1;1,0> 0x1:d\nret (M1, #)\n",
     w_called_twice},
    {"subroutines call subroutines",
     "mov (M1, #) R(0,0)<1> L(0,0)<1;1,0>\ncall (M1, #) f\n\f.function \"f\"\nf:\n"
     "add (M1, #) R(0,0)<1> R(0,0)<1;1,0> 0x1:d\ncall (M1, #) g\nadd (M1, #) R(0,0)<1> R(0,0)<1;1,0> 0x64:d\nret (M1, "
     "#)\n"
     ".function \"g\"\ng:\nadd (M1, #) R(0,0)<1> R(0,0)<1;1,0> 0xa:d\nret (M1, #)\n",
     w_deep},
    {"a call on the stack",
     "mov (M1, #) %arg(0,0)<1> L(0,0)<1;1,0>\nfcall (M1, #) g 1 1\nadd (M1, #) R(0,0)<1> %retval(0,0)<1;1,0> 0x1:d\n\f"
     ".global_function \"g\"\n.decl V32 v_type=G type=d num_elts=# align=GRF\n.function \"g_BB\"\ng_BB:\n"
     "mov (M1, #) V32(0,0)<1> %arg(0,0)<1;1,0>\nadd (M1, #) %retval(0,0)<1> V32(0,0)<1;1,0> 0x1:d\nfret (M1, #)\n",
     w_fcall},
    {"functions by their addresses",
     "and (M1, #) B(0,0)<1> I(0,0)<1;1,0> 0x1:d\ncmp.eq (M1, #) P1 B(0,0)<1;1,0> 0x1:d\n"
     "mov (M1, #) %arg(0,0)<1> L(0,0)<1;1,0>\nfaddr f X(0,0)<1>\nfaddr g Y(0,0)<1>\n(P1) ifcall (M1, #) X(0,0)<0;1,0> "
     "1 1\n"
     "(!P1) ifcall (M1, #) Y(0,0)<0;1,0> 1 1\nmov (M1, #) R(0,0)<1> %retval(0,0)<1;1,0>\n\f"
     ".global_function \"f\"\n.function \"f_BB\"\nf_BB:\nadd (M1, #) %retval(0,0)<1> %arg(0,0)<1;1,0> 0x64:d\nfret "
     "(M1, #)\n"
     ".global_function \"g\"\n.function \"g_BB\"\ng_BB:\nadd (M1, #) %retval(0,0)<1> %arg(0,0)<1;1,0> 0xc8:d\nfret "
     "(M1, #)\n",
     w_ifcall},
    {"a switch",
     "mov (M1_NM, 1) X(0,0)<1> 0x2:d\nswitchjmp (M1, 1) X(0,0)<0;1,0> (c0, c1, c2)\nc0:\nmov (M1, #) R(0,0)<1> 0x64:d\n"
     "jmp (M1, 1) end\nc1:\nmov (M1, #) R(0,0)<1> 0xc8:d\njmp (M1, 1) end\nc2:\nmov (M1, #) R(0,0)<1> 0x12c:d\nend:",
     w_switch},
    {"no mask: channels that wait write too",
     "cmp.lt (M1, #) P1 L(0,0)<1;1,0> 0x4:w\n(!P1) goto (M1, #) on\nmov (M1_NM, #) R(0,0)<1> 0x7:d\non:", w_all_lanes},
    {"the bits of a predicate",
     "cmp.lt (M1, #) P1 L(0,0)<1;1,0> 0x4:w\nmov (M1, 1) UBA(0,0)<1> P1\nmov (M1, #) R(0,0)<1> UBA(0,0)<0;1,0>",
     w_ballot},
    {"any and all",
     "cmp.lt (M1, #) P1 L(0,0)<1;1,0> 0x4:w\n(P1.any) mov (M1, #) R(0,0)<1> 0x1:d\n(P1.all) mov (M1, #) R(0,0)<1> "
     "0x2:d\n"
     "(!P1.any) mov (M1, #) R(0,0)<1> 0x3:d",
     w_any},
    {"an element of another channel",
     "mov (M1_NM, 1) X(0,0)<1> %sr0(0,2)<0;1,0>\ncbit (M1_NM, 1) Y(0,0)<1> X(0,0)<0;1,0>\n"
     "mul (M1_NM, 1) Y(0,0)<1> Y(0,0)<0;1,0> 0x4:d\nadd (M1_NM, 1) Y(0,0)<1> Y(0,0)<0;1,0> -4:w\n"
     "mov (M1_NM, 1) L(0,0)<1> Y(0,0)<0;1,0>\naddr_add (M1_NM, 1) A0(0)<1> &A L(0,0)<0;1,0>\n"
     "mov (M1, #) R(0,0)<1> r[A0(0),0]<0;1,0>:d",
     w_last},
    {"addresses of their own",
     "mov (M1_NM, 1) X(0,0)<1> %sr0(0,2)<0;1,0>\ncbit (M1_NM, 1) Y(0,0)<1> X(0,0)<0;1,0>\n"
     "add (M1_NM, 1) Y(0,0)<1> Y(0,0)<0;1,0> -1:w\nadd (M1, #) B(0,0)<1> Y(0,0)<0;1,0> (-)L(0,0)<1;1,0>\n"
     "shl (M1, #) B(0,0)<1> B(0,0)<1;1,0> 0x2:d\nmov (M1, 8) L(0,0)<1> B(0,0)<1;1,0>\n"
     "addr_add (M1, 8) A0(0)<8> &A L(0,0)<1;1,0>\nmov (M1, 8) R(0,0)<1> r[A0(0),0]<1,0>:d\n"
     "cmp.lt (M1, #) P1 I(0,0)<1;1,0> 0x0:d\n"
     "add (M1, #) C(0,0)<1> A(0,0)<1;1,0> Y(0,0)<0;1,0>\nmov (M1, #) L(0,0)<1> 0x76543210:v\n"
     "add (M1_NM, 8) L(0,8)<1> L(0,0)<1;1,0> 0x8:w\nadd (M1_NM, 16) L(0,16)<1> L(0,0)<1;1,0> 0x10:w\n"
     "mul (M1, #) B(0,0)<1> L(0,0)<1;1,0> 0x2:w\nadd (M1, #) R(0,0)<1> C(0,0)<1;1,0> (-)B(0,0)<1;1,0>",
     w_reversed},
    {"regions of two elements", "add (M1, #) R(0,0)<1> A(0,0)<2;2,0> A(0,1)<2;2,0>", w_pairs},
    {"quarters",
     "mov (M1, #) R(0,0)<1> 0x3:d\nmov (M1, 8) R(0,0)<1> 0x1:d\n.decl Q v_type=G type=d num_elts=32 align=GRF\n"
     "mov (M3_NM, 8) Q(1,0)<1> 0x2:d\ncmp.ge (M1, #) P1 L(0,0)<1;1,0> 0x8:w\ncmp.lt (M1, #) P2 L(0,0)<1;1,0> 0x10:w\n"
     "and (M1, #) P1 P1 P2\n(P1) mov (M1, #) R(0,0)<1> Q(1,0)<0;1,0>",
     w_quarter},
    {"setp", "setp (M1, 16) P1 0xa5:uw\nsetp (M5, 16) P1 0xa5:uw\n(P1) mov (M1, #) R(0,0)<1> 0x1:d", w_setp},
    {"packed integers", "mov (M1, #) R(0,0)<1> 0xfedc3210:v", w_packed},
    {"packed floats", "mov (M1, #) FB(0,0)<1> 0x60403000:vf\nmov (M1, #) R(0,0)<1> FB(0,0)<1;1,0>", w_float_packed},
    {"r0 by channels", "mov (M1, 8) R(0,0)<1> %r0(0,0)<1;1,0>", w_r0},
    {"the group's number, by several names",
     "mov (M1_NM, 1) X(0,0)<1> %r0(0,1)<0;1,0>\nmov (M1_NM, 1) Y(0,0)<1> %thread_x(0,0)<0;1,0>\n"
     "cmp.eq (M1, #) P1 X(0,0)<0;1,0> Y(0,0)<0;1,0>\n(P1) mov (M1, #) R(0,0)<1> %group_id_x(0,0)<0;1,0>",
     w_r0_pair},
    {"bytes of a dword",
     "mov (M1, #) BA(0,0)<4> L(0,0)<1;1,0>\nmov (M1, #) BA(0,1)<4> L(0,0)<1;1,0>\nmov (M1, #) BA(0,2)<4> "
     "L(0,0)<1;1,0>\n"
     "mov (M1, #) BA(0,3)<4> L(0,0)<1;1,0>\nmov (M1, #) R(0,0)<1> A(0,0)<1;1,0>",
     w_bytes},
};

/* Halves and quarters of 32 channels, side by side, in periods, and such as see what others wrote. A is the item. */
WANT(w_halves, l % 8)
WANT(w_thrice, 3 * item + 1)
WANT(w_as_before, l < 16 ? item : item + 16)
WANT(w_gathered, item + 100)
static const struct one parts[] = {
    {"packed numbers of halves", "mov (M1, 16) R(0,0)<1> 0x76543210:uv\nmov (M5, 16) R(2,0)<1> 0x76543210:uv",
     w_halves},
    {"halves after each other",
     "add (M1, 16) B(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>\nadd (M1, 16) R(0,0)<1> A(0,0)<1;1,0> 0x1:d\n"
     "add (M1, 16) R(0,0)<1> R(0,0)<1;1,0> B(0,0)<1;1,0>\nadd (M5, 16) B(2,0)<1> A(2,0)<1;1,0> A(2,0)<1;1,0>\n"
     "add (M5, 16) R(2,0)<1> A(2,0)<1;1,0> 0x1:d\nadd (M5, 16) R(2,0)<1> R(2,0)<1;1,0> B(2,0)<1;1,0>",
     w_thrice},
    {"halves after each other, of which the second sees the first",
     "mov (M1, 16) R(0,0)<1> A(0,0)<1;1,0>\nadd (M1, 16) A(0,0)<1> A(0,0)<1;1,0> 0x20:d\n"
     "mov (M5, 16) R(2,0)<1> A(0,0)<1;1,0>\nadd (M5, 16) A(2,0)<1> A(2,0)<1;1,0> 0x20:d",
     w_as_before},
    {"quarters after each other, with a load each",
     "add (M1, 8) B(0,0)<1> A(0,0)<1;1,0> 0x63:d\nsvm_gather.4.1 (M1, 8) ADDR.0 C.0\n"
     "add (M1, 8) R(0,0)<1> B(0,0)<1;1,0> 0x1:d\n"
     "add (M3, 8) B(1,0)<1> A(1,0)<1;1,0> 0x63:d\nsvm_gather.4.1 (M3, 8) ADDR.64 C.32\n"
     "add (M3, 8) R(1,0)<1> B(1,0)<1;1,0> 0x1:d\n"
     "add (M5, 8) B(2,0)<1> A(2,0)<1;1,0> 0x63:d\nsvm_gather.4.1 (M5, 8) ADDR.128 C.64\n"
     "add (M5, 8) R(2,0)<1> B(2,0)<1;1,0> 0x1:d\n"
     "add (M7, 8) B(3,0)<1> A(3,0)<1;1,0> 0x63:d\nsvm_gather.4.1 (M7, 8) ADDR.192 C.96\n"
     "add (M7, 8) R(3,0)<1> B(3,0)<1;1,0> 0x1:d",
     w_gathered},
};

static void check_one(const struct one *one, unsigned simd, unsigned group)
{
    uint32_t in[3 * ITEMS], out[ITEMS];
    struct visa_run t;
    char *body = sized(one->text, simd);
    for (unsigned i = 0; i < 3 * ITEMS; i++)
        in[i] = i % ITEMS;
    visa_open_groups(&t, simd, group, body, in, ITEMS);
    if (!visa_launch_it(&t, out))
        fail_msg("%s, SIMD%u: %s", one->name, simd, t.error.message);
    for (unsigned i = 0; i < ITEMS; i++)
        if (out[i] != one->want(i, i % simd, simd))
            fail_msg("%s, SIMD%u: item %u: 0x%x, wanted 0x%x", one->name, simd, i, out[i],
                     one->want(i, i % simd, simd));
    visa_close(&t);
    free(body);
}

/* What it gives is the group's number, of one thread. */
static bool tells_group(const struct one *one)
{
    return one->want == w_r0 || one->want == w_r0_pair;
}

static void channels_do_what_they_should(void **state)
{
    static const unsigned widths[] = {8, 16, 32};
    (void)state;
    for (size_t i = 0; i < N(tests); i++)
        for (size_t w = 0; w < N(widths); w++)
            for (unsigned group = widths[w]; group <= (tells_group(&tests[i]) ? widths[w] : ITEMS); group *= 2)
                check_one(&tests[i], widths[w], group); /* of one thread, of several */
}

static void parts_are_like_their_channels(void **state)
{
    (void)state;
    for (size_t i = 0; i < N(parts); i++)
        check_one(&parts[i], 32, 32);
}

/* ---- barriers of a group of several hardware threads --------------------------------------------------------- */

struct halves {
    const char *name, *first, *second; /* of the barriers; Y is the thread's number & 1, Z half as many threads */
    unsigned step;                     /* reads what the thread so many further on wrote */
};

static const struct halves halves[] = {
    {"barrier", "barrier", "barrier", 1},
    {"sbarrier", "sbarrier.signal\nadd (M1, #) B(0,0)<1> B(0,0)<1;1,0> 0x1:d\nsbarrier.wait",
     "sbarrier.signal\nsbarrier.wait", 1},
    {"a whole barrier and its halves", "sbarrier.signal\nsbarrier.wait", "barrier", 1},
    {"one thread comes to the barrier as a whole", /* thread 0 is the one whose number is below 1 */
     "cmp.lt (M1, #) P2 C(0,0)<1;1,0> 0x1:d\n(P2) goto (M1, #) whole\nsbarrier.signal\nsbarrier.wait\n"
     "goto (M1, #) both\nwhole:\nbarrier\nboth:",
     "sbarrier.signal\nsbarrier.wait", 1},
    {"nbarrier", "nbarrier.signal 0x3:ub Z(0,0)<0;1,0>\nnbarrier.wait 0x3:ub",
     "nbarrier.signal 0x0:ub Z(0,0)<0;1,0>\nnbarrier.wait 0x0:ub", 0},
    {"a barrier for every other thread", "nbarrier.signal Y(0,0)<0;1,0> Z(0,0)<0;1,0>\nnbarrier.wait Y(0,0)<0;1,0>",
     "nbarrier.signal Y(0,0)<0;1,0> Z(0,0)<0;1,0>\nnbarrier.wait Y(0,0)<0;1,0>", 2},
};

static void items_address(char *to, unsigned simd)
{
    sprintf(to,
            "shl (M1, %u) ADDR(0,0)<1> B(0,0)<1;1,0> 0x2:d\nadd (M1, %u) ADDR(0,0)<1> ADDR(0,0)<1;1,0> "
            "OUT(0,0)<0;1,0>\n",
            simd, simd);
}

/* Each thread writes, meets the others, reads what another has written, meets them again, and writes that. */
static void check_halves(const struct halves *h, unsigned simd)
{
    uint32_t in[3 * ITEMS] = {0}, out[ITEMS];
    unsigned threads = ITEMS / simd, step = h->step ? h->step : 1;
    char body[8192], address[512], access[512], *both[2] = {sized(h->first, simd), sized(h->second, simd)};
    struct visa_run t;
    items_address(address, simd);
    visa_access(access, sizeof access, simd, true, "R");
    int used = sprintf(body,
                       ".decl Z v_type=G type=ud num_elts=1 align=dword\nmov (M1_NM, 1) X(0,0)<1> %%r0(0,2)<0;1,0>\n"
                       "and (M1_NM, 1) Y(0,0)<1> X(0,0)<0;1,0> 0x1:d\nmov (M1_NM, 1) Z(0,0)<1> 0x%x:ud\n"
                       "mov (M1, %u) C(0,0)<1> X(0,0)<0;1,0>\nmov (M1, %u) B(0,0)<1> I(0,0)<1;1,0>\nmul (M1, %u) "
                       "R(0,0)<1> I(0,0)<1;1,0> "
                       "0x3:d\n%s%s%s\n",
                       h->step == 2 ? (threads + 1) / 2 : threads, simd, simd, simd, address, access, both[0]);
    visa_access(access, sizeof access, simd, false, "R");
    sprintf(body + used,
            "add (M1, %u) B(0,0)<1> I(0,0)<1;1,0> 0x%x:d\nand (M1, %u) B(0,0)<1> B(0,0)<1;1,0> 0x3f:d\n%s%s%s\n"
            "add (M1, %u) R(0,0)<1> R(0,0)<1;1,0> 0x1:d",
            simd, step * simd, simd, address, access, both[1], simd);
    visa_open_groups(&t, simd, ITEMS, body, in, ITEMS);
    if (!visa_launch_it(&t, out))
        fail_msg("%s, SIMD%u: %s", h->name, simd, t.error.message);
    for (unsigned i = 0; i < ITEMS; i++)
        if (out[i] != (i + step * simd) % ITEMS * 3 + 1)
            fail_msg("%s, SIMD%u: item %u: 0x%x", h->name, simd, i, out[i]);
    visa_close(&t);
    free(both[0]);
    free(both[1]);
}

static void barriers_in_halves(void **state)
{
    static const unsigned widths[] = {8, 16, 32};
    (void)state;
    for (size_t i = 0; i < N(halves); i++)
        for (size_t w = 0; w < N(widths); w++)
            check_halves(&halves[i], widths[w]);
}

/* ---- threads of a group, side by side --------------------------------------------------------------------------- */

WANT(w_odd, (item / simd & 1 ? 9u : 5u) * 1000 + item / simd * 10 + 4)
WANT(w_turn, item / simd + 1)
WANT(w_turn_back, ITEMS / simd - item / simd)
WANT(w_sum, ITEMS / simd)

/* X is the thread's number. */
#define NUMBER "mov (M1_NM, 1) X(0,0)<1> %r0(0,2)<0;1,0>\n"
/* Each thread waits until a word is C, and adds one to it. */
#define WAIT                                                                               \
    "mov (M1, #) ADDR(0,0)<1> IN(0,0)<0;1,0>\nagain:\nsvm_gather.4.1 (M1, #) ADDR.0 B.0\n" \
    "cmp.ne (M1, #) P1 B(0,0)<1;1,0> C(0,0)<1;1,0>\n(P1) goto (M1, #) again\n"             \
    "add (M1, #) R(0,0)<1> B(0,0)<1;1,0> 0x1:d\nsvm_scatter.4.1 (M1, #) ADDR.0 R.0"

static const struct one beside[] = {
    {"scalar branches",
     NUMBER "and (M1_NM, 1) Y(0,0)<1> X(0,0)<0;1,0> 0x1:d\ncmp.ne (M1_NM, 1) P1 Y(0,0)<0;1,0> 0x0:d\n"
            "(P1) jmp (M1, 1) odd\nmov (M1_NM, 1) Y(0,0)<1> 0x5:d\njmp (M1, 1) both\n"
            "odd:\nmov (M1_NM, 1) Y(0,0)<1> 0x9:d\nboth:\nmul (M1_NM, 1) Y(0,0)<1> Y(0,0)<0;1,0> 1000:d\n"
            "mad (M1_NM, 1) Y(0,0)<1> X(0,0)<0;1,0> 0xa:d Y(0,0)<0;1,0>\n"
            "cmp.lt (M1, #) P2 L(0,0)<1;1,0> 0x4:w\nmov (M1_NM, 1) X(0,0)<1> P2\n"
            "cbit (M1_NM, 1) X(0,0)<1> X(0,0)<0;1,0>\nadd (M1, #) R(0,0)<1> Y(0,0)<0;1,0> X(0,0)<0;1,0>",
     w_odd},
    {"one after the other", NUMBER "mov (M1, #) C(0,0)<1> X(0,0)<0;1,0>\n" WAIT, w_turn},
    {"from the last one on", NUMBER "mov (M1, #) C(0,0)<1> Y(0,0)<0;1,0>\n" WAIT, w_turn_back},
    {"one channel counts, all meet, one reads",
     NUMBER "mov (M1, #) ADDR(0,0)<1> IN(0,0)<0;1,0>\nsvm_atomic.inc (M1, 1) ADDR.0 %null.0 %null.0 %null.0\n"
            "barrier\nsvm_gather.4.1 (M1, #) ADDR.0 R.0",
     w_sum},
};

static void threads_side_by_side(void **state)
{
    (void)state;
    for (unsigned simd = 8; simd <= 16; simd *= 2)
        for (size_t i = 0; i < N(beside); i++) {
            struct one one = beside[i];
            char text[2000];
            snprintf(text, sizeof text,
                     "mov (M1_NM, 1) Y(0,0)<1> %%r0(0,2)<0;1,0>\nadd (M1_NM, 1) Y(0,0)<1> "
                     "(-)Y(0,0)<0;1,0> 0x%x:d\n%s",
                     ITEMS / simd - 1, one.text);
            one.text = text;
            check_one(&one, simd, ITEMS);
        }
}

static void ids_end_at_15(void **state)
{
    uint32_t in[3 * ITEMS] = {0}, out[ITEMS];
    struct visa_run t;
    (void)state;
    visa_open(&t, 16, "nbarrier.signal 0x10:ub 0x1:ub\nnbarrier.wait 0x10:ub", in, ITEMS);
    assert_false(visa_launch_it(&t, out));
    assert_string_equal(t.trap.cause, "bad-barrier");
    assert_non_null(strstr(t.error.message, "barrier 16 does not exist (0 to 15)"));
    visa_close(&t);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(channels_do_what_they_should),
        cmocka_unit_test(parts_are_like_their_channels),
        cmocka_unit_test(barriers_in_halves),
        cmocka_unit_test(threads_side_by_side),
        cmocka_unit_test(ids_end_at_15),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
