/* Names of field values, as the vendor's disassembler 11.8 writes them (docs/maxwell.md, "Field values").
 * NAMES(list, rest, entries...): entry of value 0 first; "" = nothing is written, NULL = refused; values past the last
 * entry are written by `rest`, or refused when that is NULL. NAMES_ALSO: values with further spellings that are read.
 */

/* ---- memory, surfaces, atomics ---- */
NAMES(atomop, ".INVALIDATOMOP%u", SASS_OPERATIONS(SASS_TEXT) ".INVALIDATOMOP9", ".SAFEADD")
NAMES(atomsop, ".INVALIDATOMSOP%u", SASS_OPERATIONS(SASS_TEXT))
NAMES(redop, NULL, SASS_REDUCTIONS(SASS_TEXT))
NAMES_ALSO(atomssize, NULL, ({0, ".U32"}, {0, ".32"}, {2, ".64"}), "", ".S32", ".U64", ".S64")
NAMES_ALSO(atomsize, ".INVALIDATOMICSIZE%u", ({0, ".U32"}, {0, ".32"}, {2, ".64"}), "", ".S32", ".U64", ".F32.FTZ.RN",
           ".U128", ".S64")
NAMES_ALSO(atomsize52, ".INVALIDATOMICSIZE%u", ({0, ".U32"}, {0, ".32"}, {2, ".64"}, {4, ".F16x2.RN"}), "", ".S32",
           ".U64", ".F32.FTZ.RN", ".F16x2.FTZ.RN", ".S64")
NAMES_ALSO(suatomsize, NULL, ({SASS_TYPE_U32, ".U32"}, {SASS_TYPE_U32, ".32"}, {SASS_TYPE_U64, ".64"}),
           SASS_SUATOMTYPES(SASS_TEXT, ".INVALIDATOMICSIZE4"))
NAMES_ALSO(suatomsize52, NULL,
           ({SASS_TYPE_U32, ".U32"}, {SASS_TYPE_U32, ".32"}, {SASS_TYPE_U64, ".64"}, {SASS_TYPE_F16X2, ".F16x2.RN"}),
           SASS_SUATOMTYPES(SASS_TEXT, ".F16x2.FTZ.RN"))
NAMES_ALSO(casbit, NULL, ({0, ".U32"}, {0, ".S32"}, {0, ".32"}, {1, ".U64"}), "", ".64")
NAMES(castkind, NULL, SASS_CASTKIND(SASS_TEXT))
NAMES_ALSO(lssize, NULL, ({4, ".32"}), ".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".INVALIDSIZE7")
NAMES_ALSO(ldsize, NULL, ({4, ".32"}), ".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".U.128")
NAMES_ALSO(ldcsize, NULL, ({4, ".32"}), ".U8", ".S8", ".U16", ".S16", "", ".64", ".INVALIDSIZE6", ".INVALIDSIZE7")
NAMES(ldcmode, NULL, "", ".IL", ".IS", ".ISL")
NAMES(ldcache, NULL, SASS_LDCACHE(SASS_TEXT))
NAMES(ldlcache, NULL, "", ".LU", ".CI", ".CV")
NAMES(stcache, NULL, SASS_STCACHE(SASS_TEXT))
NAMES(sudim, ".INVALIDSURFACEDIM%u", ".1D", ".1D_BUFFER", ".1D_ARRAY", ".2D", ".2D_ARRAY", ".3D", ".INVALIDSURFACEDIM6",
      ".INVALIDSURFACEDIM7") /* enum lane_dim */
NAMES_ALSO(clamp, NULL, ({SASS_CLAMP_NEAR, ".NEAR"}), SASS_CLAMP(SASS_TEXT) ".INVALIDSURFACECLAMP3")
NAMES_ALSO(rgba, NULL, ({15, ".RGBA"}), ".???0", ".R", ".G", ".RG", ".B", ".RB", ".GB", ".RGB", ".A", ".RA", ".GA",
           ".RGA", ".BA", ".RBA", ".GBA", "")
NAMES(cctlop, ".INVALIDCCTLOP%u ", ".QRY1", ".PF1 ", ".PF1.5 ", ".PF2 ", ".WB ", ".IV ", NULL, ".RS ", NULL, ".RSLB ")
NAMES(cctllop, ".INVALIDCCTLOP%u ", NULL, ".PF1 ", ".PF1.5 ", ".PF2 ", ".WB ", ".IV ", NULL, ".RS ", NULL, ".RSLB ")
NAMES(cctlcache, ".INVALIDCACHETYPE%u", "", ".U", ".C", ".I", ".CRS", ".INVALIDCACHETYPE5", ".INVALIDCACHETYPE6",
      ".INVALIDCACHETYPE7")
NAMES(cctllcache, NULL, "", ".???1", ".INVALIDLCACHETYPE2", ".INVALIDLCACHETYPE3")
NAMES(membar, NULL, ".CTA", ".GL", ".SYS", ".VC")
NAMES(ivall, NULL, "", ".IVALLD", ".IVALLT", ".IVALLTD")
NAMES_ALSO(ldssize, NULL, ({4, ".32"}), ".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ".INVALIDSIZE7", ".U.U8",
           ".U.S8", ".U.U16", ".U.S16", ".U.32", ".U.64", ".U.128", ".U.INVALIDSIZE7")
NAMES(alsize, NULL, "", ".64", ".96", ".128")
NAMES(ipaop, NULL, ".PASS", "", ".CONSTANT", ".SC")
NAMES(msi, NULL, "", ".CENTROID", ".OFFSET", ".INVALID")
NAMES(isize, NULL, "", ".U16", ".32", ".???3")
NAMES(ibase, NULL, "", ".PATCH", ".PRIM", ".ATTR")
NAMES(pixmode, NULL, "", ".COVMASK", ".COVERED", ".OFFSET", ".CENTROID_OFFSET", ".MY_INDEX", ".INVALID0", ".INVALID1")
NAMES(pcas, ".???%u", ".CAS")

/* ---- flow, barriers, special registers ---- */
NAMES(cctest, NULL, SASS_TESTS(SASS_TEXT, "CC."))
NAMES(scoreboard, "???%u", "SB0", "SB1", "SB2", "SB3", "SB4", "SB5")
NAMES(rtt, NULL, "", ".TERMINATE", ".FALLTHROUGH", ".PREEMPTED")
NAMES(bpt, NULL, SASS_BPT(SASS_TEXT) ".???6", ".???7")
NAMES(barred, NULL, ".POPC", ".AND", ".OR", ".INVALIDBARMODE3")
NAMES(r2b, NULL, "", ".RESULT", ".WARP", ".INVALID")
NAMES(shfl, NULL, ".IDX", ".UP", ".DOWN", ".BFLY")
NAMES(vote, NULL, ".ALL", ".ANY", ".EQ", ".INVALIDVMODE3")
NAMES(vtg, NULL, ".R", ".A", ".RA", ".INVALIDVTGMODE3")
NAMES(outtype, NULL, ".INVALIDOUTSTYPE0", ".EMIT", ".CUT", ".EMIT_THEN_CUT")
NAMES(sreg, "SR%u", SASS_SREGS(SASS_TEXT, "SR15"))
NAMES(sreg52, "SR%u", SASS_SREGS(SASS_TEXT, "SR_ORDERING_TICKET"))

/* ---- textures ---- */
NAMES(phase, NULL, "", ".T", ".P", ".INVALIDPHASE3")
NAMES(texdim, NULL, "1D", "ARRAY_1D", "2D", "ARRAY_2D", "3D", "ARRAY_3D", "CUBE", "ARRAY_CUBE")
NAMES(texlod, NULL, "", ".LZ", ".LB", ".LL", ".INVALIDBLOD4", ".INVALIDBLOD5", ".LBA", ".LLA")
NAMES(tldlod, NULL, ".LZ", ".LL")
NAMES(texcomp, NULL, ".R", ".G", ".B", ".A")
NAMES(tld4off, NULL, "", ".AOFFI", ".PTP", ".INVALIDBTOFF03")
NAMES(wmask, NULL, "RGB", "RGA", "RBA", "GBA", "RGBA", "INVALID5", "INVALID6", "INVALID7")
NAMES(wmask1, NULL, "R", "G", "B", "A", "RG", "RA", "GA", "BA")
NAMES(texquery, NULL, SASS_QUERIES(SASS_TEXT) "TEX_HEADER_TEXTURE_TYPE", NULL, NULL, "TEX_HEADER_SAMPLER_POS", "3",
      NULL, "4", NULL, "5", NULL, "6", NULL, "7", NULL, "TEX_SAMPLER_FILTER", NULL, "TEX_SAMPLER_LOD", NULL,
      "TEX_SAMPLER_WRAP", NULL, "TEX_SAMPLER_BORDER_COLOR", NULL, "12", NULL, "13", NULL, "14", NULL, "15", NULL, "16",
      NULL, "17", NULL, "18", NULL, "19", NULL, "20", NULL, "21", NULL, "22", NULL, "23", NULL, "24", NULL, "25", NULL,
      "26", NULL, "27", NULL, "28", NULL, "29", NULL, "30", NULL, "31", NULL)
NAMES(cctlt, NULL, NULL, ".IVTH", ".INVALIDCCTLTOP2", ".INVALIDCCTLTOP3")
