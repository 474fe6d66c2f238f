/* Names of field values of the ALU instructions, as the vendor's disassembler 11.8 writes them (docs/maxwell.md,
 * "Field values"). NAMES: see names_list.h. Where several values are written alike, reading takes the first that fits
 * the other fields. */
#define FOUR(text) text, text, text, text
/* comparisons and logic */
NAMES(cmp3, NULL, SASS_COMPARES(SASS_TEXT, ".GT") ".T")
NAMES(cmp4, NULL, SASS_FLOAT_COMPARES(SASS_TEXT, ".GT"))
NAMES_ALSO(fcmp, NULL, ({SASS_CMP_GT, ".GT"}), SASS_FLOAT_COMPARES(SASS_TEXT, ""))
NAMES(cccode, NULL, SASS_TESTS(SASS_TEXT, "."))
NAMES(bop, NULL, ".AND", ".OR", ".XOR", ".INVALIDBOP3")
NAMES(hbop, NULL, ".AND", ".OR", ".XOR", ".???3")
NAMES(lop, NULL, ".AND", ".OR", ".XOR", ".PASS_B")
NAMES(predop, NULL, "", ".T", ".Z", ".NZ")
NAMES(ccpr, NULL, SASS_CCPR(SASS_TEXT))

/* parts of a register */
NAMES(h1, NULL, "", ".H1")
NAMES(half, NULL, "", ".H0", ".H1", ".???3")
NAMES(byte, NULL, "", ".B1", ".B2", ".B3")
/* by the source format's width (bits 10-11): only 16-bit sources have halves */
NAMES(part, NULL, "", ".B1", ".B2", ".B3", "", ".INVALIDSIZE1", ".H1", ".INVALIDSIZE3", "", ".B1", ".B2", ".B3", "",
      ".B1", ".B2", ".B3")
NAMES(hsw, NULL, SASS_HSW(SASS_TEXT))

/* integers */
NAMES(lrs, NULL, "", ".RS", ".LS", ".???3")
NAMES(mulsign, NULL, ".U32.U32", ".S32.U32", ".U32.S32", "")
NAMES(xsign, NULL, "", ".S16.U16", ".U16.S16", ".S16.S16")
NAMES(xcop, NULL, "", ".CLO", ".CHI", ".CSFU", ".CBCC", ".???5", ".???6", ".???7")
NAMES(xcop2, NULL, "", ".CLO", ".CHI", ".CSFU")
NAMES(spa, NULL, ".U32", ".S32", ".U24", ".S24", ".U16H0", ".S16H0", ".U16H1", ".S16H1")
NAMES(spb, NULL, ".U24", ".S24", ".U16H0", ".S16H0")
/* C is signed when A or B is (bits 48, 53) */
#define SIGNED_C ".S32", ".S24", ".S16H0", NULL
NAMES(spc, NULL, ".U32", ".U24", ".U16H0", NULL, SIGNED_C, SIGNED_C, SIGNED_C)
#undef SIGNED_C
NAMES(prmt, ".???%u", "", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16", ".INVALIDPMODE7")
NAMES(minmaxx, NULL, "", ".XLO", ".XMED", ".XHI")
NAMES(shrx, NULL, "", ".INVALIDSHRXMODE1", ".X", ".XHI")
NAMES(shfx, NULL, "", ".HI", ".X", ".XHI")
NAMES(shfmax, NULL, "", ".INVALIDMAXSHIFT3", ".U64", ".S64")

/* floats */
NAMES(round, NULL, "", ".RM", ".RP", ".RZ")
NAMES(pass, NULL, "", ".PASS", ".PASS", ".PASS", ".ROUND", ".FLOOR", ".CEIL", ".TRUNC")
NAMES(iround, NULL, "", ".FLOOR", ".CEIL", ".TRUNC")
NAMES(fmz, NULL, SASS_FMZ(SASS_TEXT, ".INVALIDFMZ3"))
NAMES(hfmz, NULL, SASS_FMZ(SASS_TEXT, ".INVALID"))
NAMES(scale, NULL, "", ".D2", ".D4", ".D8", ".M8", ".M4", ".M2", ".INVALIDSCALE37")
NAMES(chk, ".INVALIDCHKMODE%u", ".DIVIDE")
NAMES(mufu, ".INVALIDMUFUOPCODE%X", ".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H")
NAMES(mufu52, ".INVALIDMUFUOPCODE%X", ".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT")
NAMES(rro, NULL, ".SINCOS", ".EX2")
/* FSWZADD: the signs of four lanes, two letters each, the last lane first */
#define PN1(lanes) lanes "PP", lanes "NP", lanes "PN", lanes "ZP"
#define PN2(lanes) PN1(lanes "PP"), PN1(lanes "NP"), PN1(lanes "PN"), PN1(lanes "ZP")
#define PN3(lanes) PN2(lanes "PP"), PN2(lanes "NP"), PN2(lanes "PN"), PN2(lanes "ZP")
NAMES(pn, NULL, PN3("PP"), PN3("NP"), PN3("PN"), PN3("ZP"))
#undef PN1
#undef PN2
#undef PN3
NAMES(ofmt, NULL, SASS_OFMT(SASS_TEXT))

/* formats of conversions; four bits: the sign is the upper one */
NAMES(fdst, NULL, ".INVALIDFPDEST0", ".F16", ".F32", ".F64")
NAMES(i2fdst, NULL, ".INVALIDFPSRC0", ".F16", ".F32", ".F64")
NAMES(fsrc, NULL, ".INVALIDFPSRC0", ".F16", ".F32", ".F64")
NAMES(f2idst, NULL, ".INVALID0", ".U16", ".U32", ".U64", ".INVALID1", ".S16", ".S32", ".S64")
NAMES(i2fsrc, NULL, ".U8", ".U16", ".U32", ".U64", ".S8", ".S16", ".S32", ".S64")
NAMES(i2idst, NULL, ".U8", ".U16", ".U32", ".???6", ".S8", ".S16", ".S32", ".???7")
NAMES(i2isrc, NULL, ".U8", ".U16", ".U32", ".INVALID6", ".S8", ".S16", ".S32", ".INVALID7")

/* video: the type (three bits and above them the sign) and the part of the register that the same three bits choose */
NAMES(vtype, NULL, FOUR(".U8"), ".U16", ".U16", ".U32", ".INVALIDSEL6", FOUR(".S8"), ".S16", ".S16", ".S32",
      ".INVALIDSEL7")
NAMES(vshtype, NULL, FOUR(".U8"), ".U16", ".U16", ".U32", ".INVALIDSEL7") /* shifts: B has no sign */
NAMES(vpart, NULL, "", ".B1", ".B2", ".B3", "", ".H1", "", "")
NAMES(vimm, NULL, ".U16", ".S16")
NAMES(vop, NULL, ".MRG_16H", ".MRG_16L", ".MRG_8B0", ".MRG_8B2", ".ACC", ".MIN", ".MAX", "")
NAMES(vscale, NULL, "", ".SHR_7", ".SHR_15", ".INVALIDVMADSCALE3")
NAMES(v4type, NULL, ".U8.U8", ".S8.U8", ".U8.S8", "")
NAMES(v4red, NULL, "", ".ACC", ".INVALIDRED2", ".INVALIDRED3")
NAMES(v4a, NULL, ".0000", ".1111", ".2222", ".3333", "", ".4321", ".5432", ".6543", ".3201", ".3012", ".0213", ".3120",
      ".1230", ".2310", ".INVALIDASEL4E", ".INVALIDASEL4F")
NAMES(v4b, NULL, ".4444", ".5555", ".6666", ".7777", "", ".6543", ".5432", ".4321", ".4567", ".6745", ".5476",
      ".INVALIDBSEL4B", ".INVALIDBSEL4C", ".INVALIDBSEL4D", ".INVALIDBSEL4E", NULL)
/* lanes written: X, Y, Z, W from the lowest bit up */
NAMES(v4lanes, NULL, ".???0", ".X", ".Y", ".XY", ".Z", ".XZ", ".YZ", ".XYZ", ".W", ".XW", ".YW", ".XYW", ".ZW", ".XZW",
      ".YZW", "")

#undef FOUR
