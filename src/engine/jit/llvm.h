/* LLVM's functions, found when code is compiled for the first time: a process that compiles nothing does not load the
 * library. The headers give the types, libLLVM the functions; whoever calls one that is not in the list adds it. */
#ifndef ATOLL_ENGINE_JIT_LLVM_H
#define ATOLL_ENGINE_JIT_LLVM_H

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/error.h"

/* clang-format off */
#define LLVM_FUNCTIONS(X) \
    X(GetIntTypeWidth) \
    X(AddGlobal) X(GetNamedGlobal) X(SetGlobalConstant) X(SetInitializer) X(ConstArray2) \
    X(AddAttributeAtIndex) X(AddCase) X(AddFunction) X(AddIncoming) X(AddTargetDependentFunctionAttr) \
    X(AppendBasicBlockInContext) X(ArrayType2) \
    X(BuildAtomicCmpXchg) X(BuildAtomicRMW) X(BuildAShr) X(BuildAdd) X(BuildAlloca) X(BuildAnd) X(BuildBitCast) X(BuildBr) X(BuildCall2) X(BuildCondBr) \
    X(BuildExtractElement) X(BuildExtractValue) X(BuildFAdd) X(BuildFCmp) X(BuildFDiv) X(BuildFMul) X(BuildFNeg) \
    X(BuildFPExt) X(BuildFence) X(BuildFPToSI) X(BuildFPToUI) X(BuildFPTrunc) X(BuildFSub) X(BuildFreeze) X(BuildGEP2) X(BuildICmp) \
    X(BuildInsertElement) X(BuildIntToPtr) X(BuildLShr) X(BuildLoad2) X(BuildMul) X(BuildNeg) X(BuildNot) X(BuildOr) \
    X(BuildPhi) X(BuildPtrToInt) X(BuildRet) X(BuildRetVoid) X(BuildSDiv) X(BuildSExt) X(BuildSIToFP) X(BuildSRem) X(BuildSelect) \
    X(BuildShl) X(BuildShuffleVector) X(BuildStore) X(BuildSub) X(BuildSwitch) X(BuildTrunc) X(BuildUDiv) \
    X(BuildUIToFP) X(BuildURem) X(BuildUnreachable) X(BuildXor) X(BuildZExt) \
    X(ConstInt) X(ConstIntOfArbitraryPrecision) X(ConstNull) X(ConstNot) X(ConstAllOnes) X(ConstVector) X(ConstReal) \
    X(ContextCreate) X(ContextDispose) X(CreateBuilderInContext) \
    X(CreateEnumAttribute) X(CreateStringAttribute) X(CreatePassBuilderOptions) X(CreateTargetDataLayout) \
    X(CreateTargetMachine) X(DisposeBuilder) X(DisposeErrorMessage) X(DisposeMemoryBuffer) X(DisposeMessage) \
    X(DisposeModule) X(DisposePassBuilderOptions) X(DisposeTargetData) X(DisposeTargetMachine) \
    X(DoubleTypeInContext) X(FloatTypeInContext) X(FunctionType) X(GetBasicBlockTerminator) X(GetBufferSize) \
    X(GetBufferStart) X(GetEnumAttributeKindForName) X(GetErrorMessage) X(GetFirstBasicBlock) \
    X(GetInlineAsm) X(GetHostCPUFeatures) X(GetHostCPUName) X(GetInsertBlock) X(GetIntrinsicDeclaration) X(GetMDKindIDInContext) \
    X(GetTargetFromTriple) X(GetUndef) X(GetPoison) X(HalfTypeInContext) X(InstructionSetDebugLoc) \
    X(Int16TypeInContext) X(Int1TypeInContext) X(Int32TypeInContext) X(Int64TypeInContext) X(Int8TypeInContext) \
    X(IntTypeInContext) X(IntrinsicGetType) X(LookupIntrinsicID) X(MDNodeInContext2) X(MDStringInContext2) \
    X(MetadataAsValue) X(ValueAsMetadata) \
    X(ModuleCreateWithNameInContext) X(PointerTypeInContext) X(PositionBuilderAtEnd) X(PositionBuilderBefore) \
    X(PrintModuleToString) X(RunPasses) X(SetAlignment) X(SetDataLayout) X(SetFunctionCallConv) X(SetInstructionCallConv) X(SetLinkage) X(SetMetadata) \
    X(SetModuleDataLayout) X(SetTarget) X(SetVolatile) X(TargetMachineEmitToMemoryBuffer) X(TypeOf) X(VectorType) \
    X(GetCalledValue) X(GetFCmpPredicate) X(GetFirstInstruction) X(GetICmpPredicate) X(GetInstructionOpcode) X(GetIntrinsicID) X(IsAFunction) \
    X(GetNextBasicBlock) X(GetNextInstruction) X(GetNumOperands) X(IsAInstruction) X(GetOperand) X(SetOperand) \
    X(IsConstant) X(IsUndef) X(IsAConstantInt) X(ConstIntGetZExtValue) X(GetAggregateElement) X(GetFirstUse) X(GetNextUse) X(GetUser) X(GetNumSuccessors) X(GetSuccessor) X(BasicBlockAsValue) \
    X(ReplaceAllUsesWith) X(GetMaskValue) X(BuildBinOp) X(VerifyModule) X(VoidTypeInContext) X(GetParam) X(WriteBitcodeToMemoryBuffer) \
    X(CreateMemoryBufferWithMemoryRangeCopy) X(GetDefaultTargetTriple) X(GetTypeKind) X(GetVectorSize) X(GetElementType) \
    X(OrcCreateLLJIT) X(OrcCreateLLJITBuilder) X(OrcDisposeLLJIT) X(OrcLLJITAddObjectFile) \
    X(OrcLLJITGetMainJITDylib) X(OrcLLJITLookup) X(OrcJITDylibAddGenerator) X(OrcLLJITGetGlobalPrefix) \
    X(OrcCreateDynamicLibrarySearchGeneratorForProcess)
/* clang-format on */

struct llvm {
#define LLVM_MEMBER(name) __typeof__(&LLVM##name) name;
    LLVM_FUNCTIONS(LLVM_MEMBER)
#undef LLVM_MEMBER
    void *library;
    char *triple;
    const char *cpu, *features; /* of the host, or of the processor that ATOLL_CPU names */
    bool tight;                 /* the variable ATOLL_TIGHT is set: all code is (struct emit), for tests */
};

/* Loads the library, once per process. NULL: it is not there, or not the version that is wanted; *why says so. */
const struct llvm *llvm_open(const char **why);

#endif
