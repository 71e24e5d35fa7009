//go:build !static && linux && (amd64 || arm64)

package llvm

// ref is a pointer to something of LLVM's.
type ref = uintptr

// functions is the part of LLVM's C interface in use: each field is the C function
// of this name after "LLVM". Results of type *byte are strings; those that C's
// headers say must be disposed of go through Library.take. A result other than 0
// of an int32 function means failure.
type functions struct {
	GetVersion     func(major, minor, patch *uint32)
	DisposeMessage func(*byte)

	ContextCreate               func() ref
	ContextDispose              func(ref)
	ContextSetDiagnosticHandler func(context, handler, data ref)
	GetDiagInfoDescription      func(info ref) *byte
	GetDiagInfoSeverity         func(info ref) uint32

	CreateMemoryBufferWithMemoryRangeCopy func(data []byte, bytes uintptr, name string) ref
	DisposeMemoryBuffer                   func(ref)
	GetBufferStart                        func(ref) *byte
	GetBufferSize                         func(ref) uintptr

	ParseIRInContext       func(context, buffer ref, module *ref, message **byte) int32 // takes the buffer
	ParseBitcodeInContext2 func(context, buffer ref, module *ref) int32
	DisposeModule          func(ref)
	VerifyModule           func(module ref, action uint32, message **byte) int32
	GetTarget              func(module ref) *byte
	SetTarget              func(module ref, triple string)
	GetDataLayoutStr       func(module ref) *byte
	SetModuleDataLayout    func(module, layout ref)

	GetFirstFunction             func(module ref) ref
	GetNextFunction              func(function ref) ref
	IsDeclaration                func(function ref) int32
	CreateStringAttribute        func(context ref, key string, keyBytes uint32, value string, valueBytes uint32) ref
	GetStringAttributeAtIndex    func(function ref, index uint32, key string, keyBytes uint32) ref
	RemoveStringAttributeAtIndex func(function ref, index uint32, key string, keyBytes uint32)
	GetStringAttributeValue      func(attribute ref, bytes *uint32) *byte
	GetEnumAttributeKindForName  func(name string, bytes uintptr) uint32
	CreateEnumAttribute          func(context ref, kind uint32, value uint64) ref
	AddAttributeAtIndex          func(function ref, index uint32, attribute ref)

	GetHostCPUName     func() *byte
	GetHostCPUFeatures func() *byte

	GetTargetFromTriple                    func(triple string, target *ref, message **byte) int32
	CreateTargetMachineOptions             func() ref
	DisposeTargetMachineOptions            func(ref)
	TargetMachineOptionsSetCPU             func(options ref, cpu string)
	TargetMachineOptionsSetFeatures        func(options ref, features string)
	TargetMachineOptionsSetABI             func(options ref, abi string)
	TargetMachineOptionsSetCodeGenOptLevel func(options ref, level uint32)
	TargetMachineOptionsSetRelocMode       func(options ref, mode uint32)
	TargetMachineOptionsSetCodeModel       func(options ref, model uint32)
	CreateTargetMachineWithOptions         func(target ref, triple string, options ref) ref
	DisposeTargetMachine                   func(ref)
	CreateTargetDataLayout                 func(machine ref) ref
	CopyStringRepOfTargetData              func(layout ref) *byte
	DisposeTargetData                      func(ref)
	TargetMachineEmitToMemoryBuffer        func(machine, module ref, kind uint32, message **byte, buffer *ref) int32

	CreatePassBuilderOptions              func() ref
	DisposePassBuilderOptions             func(ref)
	PassBuilderOptionsSetSLPVectorization func(options ref, on int32)
	RunPasses                             func(module ref, passes string, machine, options ref) ref
	GetErrorMessage                       func(err ref) *byte
	DisposeErrorMessage                   func(*byte)
}

// Values of C's enumerations.
const (
	relocationPIC    = 2 // LLVMRelocPIC: objects are mapped anywhere
	codeModelSmall   = 3 // LLVMCodeModelSmall: an object spans less than 2 GiB
	assemblyFile     = 0
	objectFile       = 1
	returnStatus     = 2         // LLVMReturnStatusAction
	severityError    = 0         // LLVMDSError
	attributeOfWhole = 1<<32 - 1 // LLVMAttributeFunctionIndex
)
