/* Texture instructions: decoded, printed and assembled; running one is a named error (docs/maxwell.md, "Field values").
 * SM50 refuses the predicate of sparse textures and .LC; later architectures have both. */
#include "isa/sass/rows_bits.h"

#define ROW(does, archs, mask, value, more, set, ignored, flags, text)                    \
    {                                                                                     \
        text, TOP(mask) | (more), TOP(value) | (set), ignored, archs, flags, &does_##does \
    }
/* A row of SM50 with the predicate PT and `off` clear, and one of the later architectures. */
#define SPARSE(does, class, mask, value, more, set, off, ignored, head, mods50, mods52, tail)       \
    ROW(does, SASS_SM50, mask, value, (more) | BITS(51, 53) | (off), (set) | BITS(51, 53), ignored, \
        SASS_IS_TEXTURE | (class), head mods50 " {Rd@0}, " tail),                                   \
        ROW(does, SASS_SPARSE, mask, value, more, set, ignored, SASS_IS_TEXTURE | (class),          \
            head mods52 " <{Ps@51 =7}, >{Rd@0}, " tail)

/* Ra, Rb unless it is RZ */
#define RR    "{Ra@8}<, {Rb@20 =255}>, "
#define PHASE "{phase@81-82}" /* from the control bits */
#define DIM   ", {texdim@28}, {mask:x@31-34}"
#define NODEP "{.NODEP@49}"

/* Short forms: Dest2 (RZ: the mask counts two or less registers), then Rd. `target`: dimension and mode in one field.
 */
#define SHORT_FORM(does, class, archs, mask, value, low, target, wmask, more, set, flags, head, mods, dim) \
    ROW(does, archs, mask, value, BITS(low, (low) + 3) | (more), (UINT64_C(target) << (low)) | (set), 0,   \
        (flags) | SASS_IS_TEXTURE | SASS_IS_SHORT | (class),                                               \
        "@" head mods NODEP PHASE " {Rd2@28}, {Rd@0}, " RR "{Header:x@36-48}, " dim ", {" wmask "@50-52}")
#define SHORT(does, class, archs, mask, value, target, head, mods, dim)                                               \
    SHORT_FORM(does, class, archs, mask, value, 53, target, "wmask", 0, 0, 0, head, mods, dim),                       \
        SHORT_FORM(does, class, archs, mask, value, 53, target, "wmask1", BITS(28, 35), BITS(28, 35), ISA_OVER, head, \
                   mods, dim)
#define TEXS(class, archs, value, head)                                                               \
    SHORT(TEXS, (class) | SASS_TAKES(1, 0), archs, 0xfe00, value, 0, head, ".LZ", "1D"),              \
        SHORT(TEXS, (class) | SASS_TAKES(1, 1), archs, 0xfe00, value, 1, head, "", "2D"),             \
        SHORT(TEXS, (class) | SASS_TAKES(1, 1), archs, 0xfe00, value, 2, head, ".LZ", "2D"),          \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 3, head, ".LL", "2D"),          \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 4, head, ".DC", "2D"),          \
        SHORT(TEXS, (class) | SASS_TAKES(2, 2), archs, 0xfe00, value, 5, head, ".LL.DC", "2D"),       \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 6, head, ".LZ.DC", "2D"),       \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 7, head, "", "ARRAY_2D"),       \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 8, head, ".LZ", "ARRAY_2D"),    \
        SHORT(TEXS, (class) | SASS_TAKES(2, 2), archs, 0xfe00, value, 9, head, ".LZ.DC", "ARRAY_2D"), \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 10, head, "", "3D"),            \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 11, head, ".LZ", "3D"),         \
        SHORT(TEXS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 12, head, "", "CUBE"),          \
        SHORT(TEXS, (class) | SASS_TAKES(2, 2), archs, 0xfe00, value, 13, head, ".LL", "CUBE")
#define TLDS(class, archs, value, head)                                                            \
    SHORT(TLDS, (class) | SASS_TAKES(1, 0), archs, 0xfe00, value, 0, head, ".LZ", "1D"),           \
        SHORT(TLDS, (class) | SASS_TAKES(1, 1), archs, 0xfe00, value, 1, head, ".LL", "1D"),       \
        SHORT(TLDS, (class) | SASS_TAKES(1, 1), archs, 0xfe00, value, 2, head, ".LZ", "2D"),       \
        SHORT(TLDS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 4, head, ".LZ.AOFFI", "2D"), \
        SHORT(TLDS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 5, head, ".LL", "2D"),       \
        SHORT(TLDS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 6, head, ".LZ.MS", "2D"),    \
        SHORT(TLDS, (class) | SASS_TAKES(2, 1), archs, 0xfe00, value, 7, head, ".LZ", "3D"),       \
        SHORT(TLDS, (class) | SASS_TAKES(1, 2), archs, 0xfe00, value, 8, head, ".LZ", "ARRAY_2D"), \
        SHORT(TLDS, (class) | SASS_TAKES(2, 2), archs, 0xfe00, value, 12, head, ".LL.AOFFI", "2D")
#define TLD4S(class, archs, value, head)                                                 \
    ROW(TLD4S, archs, 0xffc0, value, 0, 0, 0, SASS_IS_TEXTURE | SASS_IS_SHORT | (class), \
        "@" head "{comp:texcomp@52-53}{.AOFFI@51}{.DC@50}" NODEP PHASE                   \
        " {Rd2@28}, {Rd@0}, {Ra@8}, {Rb@20}, {Header:x@36-48}")

DOES(CCTLT, nothing, "cache control, texture", "no effect: caches cannot be seen", DOC_WARPS);
STOPS(TEX, "texture fetch with filtering", "d.. = texture(coordinates)", DOC_FIELDS);
STOPS(TEXS, "texture fetch, short form", "d.. = texture(coordinates)", DOC_FIELDS);
STOPS(TLD, "texel fetch", "d.. = texel[coordinates]", DOC_FIELDS);
STOPS(TLD4, "fetch of one component of four texels", "d.. = component of the four nearest texels", DOC_FIELDS);
STOPS(TLD4S, "fetch of one component of four texels, short form", "d.. = component of the four nearest texels",
      DOC_FIELDS);
STOPS(TLDS, "texel fetch, short form", "d.. = texel[coordinates]", DOC_FIELDS);
STOPS(TMML, "level of detail that a fetch would use", "d.. = level", DOC_FIELDS);
STOPS(TXA, "texture address", "-", DOC_FIELDS);
STOPS(TXD, "texture fetch with derivatives", "d.. = texture(coordinates, derivatives)", DOC_FIELDS);
DOES(TXQ, txq, "texture query", "d.. = field of the texture header: the size runs, of a surface too", DOC_FIELDS);

const struct isa_row sass_rows_texture[] = {
    SPARSE(TEX, 0, 0xf800, 0xc000, 0, 0, BIT(58), 0, "@TEX{lod:texlod@55-57}",
           "{.AOFFI@54}{.DC@50}{.NDV@35}" NODEP PHASE, "{.LC@58}{.AOFFI@54}{.DC@50}{.NDV@35}" NODEP PHASE,
           RR "{Header:x@36-48}" DIM),
    SPARSE(TEX, 0, 0xffc0, 0xde80, 0, 0, BIT(40), BITS(41, 48), "@TEX.B{lod:texlod@37-39}",
           "{.AOFFI@36}{.DC@50}{.NDV@35}" NODEP PHASE, "{.LC@40}{.AOFFI@36}{.DC@50}{.NDV@35}" NODEP PHASE,
           RR "0x0" DIM),
    SPARSE(TLD, 0, 0xff00, 0xdc00, 0, 0, 0, 0, "@TLD{tldlod@55}", "{.AOFFI@35}{.MS@50}{.CL@54}" NODEP PHASE,
           "{.AOFFI@35}{.MS@50}{.CL@54}" NODEP PHASE, RR "{Header:x@36-48}" DIM),
    SPARSE(TLD, 0, 0xff00, 0xdd00, 0, 0, 0, BITS(36, 48), "@TLD.B{tldlod@55}",
           "{.AOFFI@35}{.MS@50}{.CL@54}" NODEP PHASE, "{.AOFFI@35}{.MS@50}{.CL@54}" NODEP PHASE, RR "0x0" DIM),
    SPARSE(TLD4, 0, 0xfc00, 0xc800, 0, 0, BIT(58), 0, "@TLD4{comp:texcomp@56-57}",
           "{tld4off@54}{.DC@50}{.NDV@35}" NODEP PHASE, "{.LC@58}{tld4off@54}{.DC@50}{.NDV@35}" NODEP PHASE,
           RR "{Header:x@36-48}" DIM),
    SPARSE(TLD4, 0, 0xffc0, 0xdec0, BIT(40), 0, 0, BITS(41, 48), "@TLD4{comp:texcomp@38-39}.B",
           "{tld4off@36}{.DC@50}{.NDV@35}" NODEP PHASE, "{tld4off@36}{.DC@50}{.NDV@35}" NODEP PHASE, RR "0x0" DIM),
    SPARSE(TXD, SASS_GRADIENTS, 0xffc0, 0xde00, 0, 0, BIT(50), 0, "@TXD", "{.AOFFI@35}" NODEP PHASE,
           "{.LC@50}{.AOFFI@35}" NODEP PHASE, "{Ra@8}, {Rb@20}, {Header:x@36-48}" DIM),
    SPARSE(TXD, SASS_GRADIENTS, 0xffc0, 0xde40, 0, 0, BIT(50), BITS(36, 48), "@TXD.B", "{.AOFFI@35}" NODEP PHASE,
           "{.LC@50}{.AOFFI@35}" NODEP PHASE, "{Ra@8}, {Rb@20}, 0x0" DIM),
    TEXS(0, SASS_ALL, 0xd800, "TEXS"),
    TEXS(SASS_IS_HALVES, SASS_SPARSE, 0xd000, "TEXS.F16"),
    TLDS(0, SASS_ALL, 0xda00, "TLDS"),
    TLDS(SASS_IS_HALVES, SASS_SPARSE, 0xd200, "TLDS.F16"),
    TLD4S(0, SASS_ALL, 0xdf00, "TLD4S"),
    TLD4S(SASS_IS_HALVES, SASS_SPARSE, 0xdf80, "TLD4S.F16"),
    ROW(TMML, SASS_ALL, 0xfff8, 0xdf58, 0, 0, BITS(20, 27) | BIT(50), SASS_IS_TEXTURE,
        "@TMML.LOD{.NDV@35}" NODEP PHASE " {Rd@0}, {Ra@8}, {Header:x@36-48}" DIM),
    ROW(TMML, SASS_ALL, 0xfff8, 0xdf60, 0, 0, BITS(36, 48) | BIT(50), SASS_IS_TEXTURE,
        "@TMML.B.LOD{.NDV@35}" NODEP PHASE " {Rd@0}, " RR "0x0" DIM),
    ROW(TXA, SASS_ALL, 0xfff8, 0xdf40, 0, 0, BITS(20, 30) | BIT(50), SASS_IS_TEXTURE | SASS_TAKES(4, 0),
        "@TXA{.NDV@35}" NODEP PHASE " {Rd@0}, {Ra@8}, {Header:x@36-48}, {mask:x@31-34}"),
    ROW(TXQ, SASS_ALL, 0xfff8, 0xdf48, 0, 0, BITS(20, 21) | BITS(28, 30) | BIT(35) | BIT(50),
        SASS_IS_TEXTURE | SASS_TAKES(1, 0),
        "@TXQ" NODEP PHASE " {Rd@0}, {Ra@8}, {query:texquery@22-27}, {Header:x@36-48}, {mask:x@31-34}"),
    ROW(TXQ, SASS_ALL, 0xfff8, 0xdf50, 0, 0, BITS(20, 21) | BITS(28, 30) | BITS(35, 48) | BIT(50),
        SASS_IS_TEXTURE | SASS_TAKES(2, 0),
        "@TXQ.B" NODEP PHASE " {Rd@0}, {Ra@8}, {query:texquery@22-27}, 0x0, {mask:x@31-34}"),
    ROW(CCTLT, SASS_ALL, 0xfff8, 0xebf0, BITS(0, 1) | BITS(36, 48), 0, BITS(2, 15) | BITS(20, 35) | BITS(49, 50),
        ISA_OVER, "@CCTLT.IVALL"),
    ROW(CCTLT, SASS_ALL, 0xfff8, 0xebf0, 0, 0, BITS(2, 15) | BITS(20, 35) | BITS(49, 50), 0,
        "@CCTLT{cctlt@0} {x@36-48}"),
    ROW(CCTLT, SASS_ALL, 0xfff8, 0xebe8, 0, 0, BITS(2, 15) | BITS(20, 38) | BITS(47, 50), 0, "@CCTLT{cctlt@0} {Rc@39}"),
};
const unsigned sass_nrows_texture = sizeof sass_rows_texture / sizeof sass_rows_texture[0];
