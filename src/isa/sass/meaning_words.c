/* What modifiers say. */
#include "isa/sass/meaning.h"
#include "isa/sass/rows.h"

#include <string.h>

#define SIGNED_16 "signed 16-bit integer, sign-extended"
#define HINT      "cache hint: no effect here"

/* `list`: whose word it is; ANY that has no entry of its own. `word`: as it is written, without its first dot and
 * "CC.";
 * "" = nothing is written. */
enum { ANY = -2, FLAG };
#define LIST(name) SASS_LIST_##name
static const struct {
    int list;
    const char *word, *meaning;
} words[] = {
    /* surfaces and atomics */
    {LIST(sudim), "1D", "one coordinate: x"},
    {LIST(sudim), "1D_BUFFER", "one coordinate: x of a buffer"},
    {LIST(sudim), "1D_ARRAY", "two coordinates: x, layer (its low 16 bits)"},
    {LIST(sudim), "2D", "two coordinates: x, y"},
    {LIST(sudim), "2D_ARRAY", "three coordinates: x, y, layer (its low 16 bits)"},
    {LIST(sudim), "3D", "three coordinates: x, y, z"},
    {LIST(clamp), "IGN", "out of bounds: loads give 0, stores and atomics do nothing"},
    {LIST(clamp), "", ".NEAR: out of bounds moves to the nearest place that is there"},
    {LIST(clamp), "TRAP", "out of bounds stops the launch"},
    {FLAG, "BA", "x counts bytes"},
    {LIST(rgba), "", "all components: R, G, B, A"},
    {ANY, "ADD", "new value: old + data"},
    {ANY, "MIN", "new value: the smaller of both"},
    {ANY, "MAX", "new value: the larger of both"},
    {ANY, "INC", "new value: old >= data ? 0 : old + 1"},
    {ANY, "DEC", "new value: old == 0 or old > data ? data : old - 1"},
    {LIST(bop), "AND", "and with the last predicate"},
    {LIST(bop), "OR", "or with the last predicate"},
    {LIST(bop), "XOR", "exclusive or with the last predicate"},
    {LIST(hbop), "AND", "and with the last predicate"},
    {LIST(hbop), "OR", "or with the last predicate"},
    {LIST(hbop), "XOR", "exclusive or with the last predicate"},
    {ANY, "AND", "bitwise and"},
    {ANY, "OR", "bitwise or"},
    {ANY, "XOR", "bitwise exclusive or"},
    {LIST(lop), "PASS_B", "the second source as it is"},
    {ANY, "EXCH", "new value: the data"},
    {ANY, "CAS", "new value: old == compare value ? swap value : old"},
    {LIST(atomop), "SAFEADD", "its meaning is not known; the launch stops there"},
    {LIST(castkind), "CAST", "as CAS; the result, one register or a pair, is 1 where the swap was made, else 0"},
    {LIST(castkind), "CAST.SPIN", "as CAST, for one lane of each bank; the others give 0 and touch nothing"},
    /* types and sizes of atomics: "" is .U32 */
    {LIST(atomssize), "", ".U32: unsigned 32-bit integer"},
    {LIST(atomsize), "", ".U32: unsigned 32-bit integer"},
    {LIST(atomsize52), "", ".U32: unsigned 32-bit integer"},
    {LIST(suatomsize), "", ".U32: unsigned 32-bit integer"},
    {LIST(suatomsize52), "", ".U32: unsigned 32-bit integer"},
    {LIST(atomsize), "U128", "128 bits; the launch stops there"},
    {ANY, "SD32", "32-bit integer; signed where the surface's format is (inferred)"},
    {ANY, "SD64", "64-bit integer; signed where the surface's format is (inferred)"},
    {ANY, "F32.FTZ.RN", "IEEE single; subnormals are flushed, rounds to nearest"},
    {ANY, "F16x2.FTZ.RN", "two IEEE halves, each on its own"},
    /* sizes of loads and stores: "" is 32 bits */
    {LIST(lssize), "", "32 bits"},
    {LIST(ldsize), "", "32 bits"},
    {LIST(ldcsize), "", "32 bits"},
    {LIST(ldssize), "", "32 bits"},
    {LIST(lssize), "U8", "unsigned byte, zero-extended"},
    {LIST(lssize), "S8", "signed byte, sign-extended"},
    {LIST(lssize), "U16", "unsigned 16-bit integer, zero-extended"},
    {LIST(lssize), "S16", SIGNED_16},
    {LIST(ldsize), "U8", "unsigned byte, zero-extended"},
    {LIST(ldsize), "S8", "signed byte, sign-extended"},
    {LIST(ldsize), "U16", "unsigned 16-bit integer, zero-extended"},
    {LIST(ldsize), "S16", SIGNED_16},
    {ANY, "U.128", "as .128"},
    {ANY, "64", "64 bits: an even register and the next"},
    {ANY, "128", "128 bits: four registers from a multiple of 4"},
    {ANY, "U8", "unsigned 8-bit integer"},
    {ANY, "S8", "signed 8-bit integer"},
    {ANY, "U16", "unsigned 16-bit integer"},
    {ANY, "S16", "signed 16-bit integer"},
    {ANY, "U32", "unsigned 32-bit integer"},
    {ANY, "S32", "signed 32-bit integer"},
    {ANY, "U64", "unsigned 64-bit integer"},
    {ANY, "S64", "signed 64-bit integer"},
    {ANY, "F16", "IEEE half"},
    {ANY, "F32", "IEEE single"},
    {ANY, "F64", "IEEE double"},
    {FLAG, "E", "the address has 64 bits: an even register and the next"},
    {LIST(ldcache), "CV", "do not trust cached lines: volatile"},
    {LIST(stcache), "WT", "write through: volatile"},
    {ANY, "CG", HINT},
    {ANY, "CI", HINT},
    {ANY, "CS", HINT},
    {ANY, "LU", HINT},
    {LIST(ldcache), "", "no cache hint"},
    {LIST(stcache), "", "no cache hint"},
    {LIST(ldlcache), "", "no cache hint"},
    {LIST(membar), "CTA", "for the threads of the block"},
    {LIST(membar), "GL", "for all threads of the GPU"},
    {LIST(membar), "SYS", "for all of the system"},
    /* comparisons */
    {ANY, "F", "never"},
    {ANY, "T", "always"},
    {ANY, "LT", "less"},
    {ANY, "EQ", "equal"},
    {ANY, "LE", "less or equal"},
    {ANY, "GT", "greater"},
    {ANY, "NE", "not equal"},
    {ANY, "GE", "greater or equal"},
    {ANY, "NUM", "both are numbers"},
    {ANY, "NAN", "one is NaN"},
    {ANY, "LTU", "less, or unordered"},
    {ANY, "EQU", "equal, or unordered"},
    {ANY, "LEU", "less or equal, or unordered"},
    {ANY, "GTU", "greater, or unordered"},
    {ANY, "NEU", "not equal, or unordered"},
    {ANY, "GEU", "greater or equal, or unordered"},
    {LIST(fcmp), "", ".GT: greater"},
    {ANY, "OFF", "no signed overflow"},
    {ANY, "OFT", "signed overflow"},
    {ANY, "SFF", "not negative"},
    {ANY, "SFT", "negative"},
    {ANY, "LO", "lower: no carry"},
    {ANY, "LS", "lower or same: no carry, or zero"},
    {ANY, "HI", "higher: carry, not zero"},
    {ANY, "HS", "higher or same: carry"},
    {LIST(predop), "", "the predicate becomes false"},
    {LIST(predop), "Z", "the predicate: the result is 0"},
    {LIST(predop), "NZ", "the predicate: the result is not 0"},
    /* arithmetic */
    {FLAG, "CC", "writes the condition codes"},
    {FLAG, "X", "extended: takes the condition codes of the words before"},
    {FLAG, "PO", "plus one"},
    {FLAG, "SAT", "limited: integers to the range of the type, floats to [0, 1] with NaN as 0"},
    {FLAG, "HI", "the upper half"},
    {FLAG, "W", "the shift amount wraps: only its low bits count"},
    {FLAG, "BREV", "the bits of the source are reversed first"},
    {FLAG, "SH", "31 - number"},
    {FLAG, "BF", "1.0 instead of all ones"},
    {FLAG, "PSL", "the product is shifted left by 16"},
    {FLAG, "MRG", "the upper half of the result is the low half of b"},
    {FLAG, "H_AND", "P: both halves, Q: not both"},
    {FLAG, "U32", "unsigned"},
    {LIST(xcop), "", "c as it is"},
    {LIST(xcop), "CLO", "the low half of c"},
    {LIST(xcop), "CHI", "the upper half of c"},
    {LIST(xcop), "CSFU", "c corrected for signed halves"},
    {LIST(xcop), "CBCC", "c + (b << 16)"},
    {LIST(xcop2), "", "c as it is"},
    {LIST(xcop2), "CLO", "the low half of c"},
    {LIST(xcop2), "CHI", "the upper half of c"},
    {LIST(xcop2), "CSFU", "c corrected for signed halves"},
    {LIST(xsign), "", "both halves unsigned"},
    {LIST(xsign), "S16.U16", "a signed, b unsigned"},
    {LIST(xsign), "U16.S16", "a unsigned, b signed"},
    {LIST(xsign), "S16.S16", "both halves signed"},
    {LIST(h1), "", "the low half"},
    {LIST(h1), "H1", "the upper half"},
    {LIST(half), "", "all 32 bits"},
    {LIST(half), "H0", "the low half, zero-extended"},
    {LIST(half), "H1", "the upper half, zero-extended"},
    {LIST(lrs), "RS", "a + b shifted right by 16"},
    {LIST(lrs), "LS", "a + b shifted left by 16"},
    {LIST(round), "", "to nearest, ties to even"},
    {ANY, "RM", "towards minus infinity"},
    {ANY, "RP", "towards plus infinity"},
    {ANY, "RZ", "towards zero"},
    {LIST(iround), "", "to the nearest integer, ties to even"},
    {ANY, "ROUND", "to the nearest integer, ties to even"},
    {ANY, "FLOOR", "to an integer towards minus infinity"},
    {ANY, "CEIL", "to an integer towards plus infinity"},
    {ANY, "TRUNC", "to an integer towards zero"},
    {FLAG, "FTZ", "subnormal inputs and results become zeros of their sign"},
    {ANY, "FTZ", "subnormal inputs and results become zeros of their sign"},
    {ANY, "FMZ", "as .FTZ, and 0 * x = 0"},
    {LIST(fmz), "", "subnormals are kept"},
    {LIST(hfmz), "", "subnormals are kept"},
    {LIST(scale), "D2", "half of the product"},
    {LIST(scale), "D4", "a quarter of the product"},
    {LIST(scale), "D8", "an eighth of the product"},
    {LIST(scale), "M2", "twice the product"},
    {LIST(scale), "M4", "four times the product"},
    {LIST(scale), "M8", "eight times the product"},
    {LIST(minmaxx), "XLO", "the lowest words of longer integers"},
    {LIST(minmaxx), "XMED", "words between"},
    {LIST(minmaxx), "XHI", "the highest words of longer integers"},
    {LIST(shfl), "IDX", "from the lane named"},
    {LIST(shfl), "UP", "from a lower lane"},
    {LIST(shfl), "DOWN", "from a higher lane"},
    {LIST(shfl), "BFLY", "from the lane with the number changed by exclusive or"},
    {LIST(vote), "ALL", "all active lanes"},
    {LIST(vote), "ANY", "one active lane"},
    {LIST(vote), "EQ", "all active lanes alike"},
    {ANY, "H0_H0", "the low half twice"},
    {ANY, "H1_H1", "the upper half twice"},
    {ANY, "MRG_H0", "only the low half is written"},
    {ANY, "MRG_H1", "only the upper half is written"},
};
enum { WORDS = sizeof words / sizeof words[0] };

static const char *word_meaning(int list, const char *word, size_t length)
{
    const char *general = NULL;
    for (unsigned i = 0; i < WORDS; i++) {
        if (strlen(words[i].word) != length || memcmp(words[i].word, word, length) != 0)
            continue;
        if (words[i].list == list)
            return words[i].meaning;
        if (words[i].list == ANY && !general && length)
            general = words[i].meaning;
    }
    return general;
}

const char *sass_value_meaning(const struct isa_names *names, uint64_t value)
{
    const char *text = value < names->count ? names->text[value] : NULL;
    if (!text)
        return NULL;
    int list = (int)(names - sass_names);
    text += list == SASS_LIST_cctest ? strlen("CC.") : *text == '.';
    const char *meaning = word_meaning(list, text, strcspn(text, " "));
    return meaning || !sass_reserved(names, value) ? meaning : "reserved: decodes and means nothing";
}

const char *sass_flag_meaning(const struct isa_element *e)
{
    return word_meaning(FLAG, e->text + 1, e->length - 1u);
}
