package contract

import "slices"

// serversCodes are about the request, the server or what it does with a job: a
// client acts on them (it logs in, drops the tool, sends the call again), so that
// no program may say them of its own work.
var serversCodes = []string{
	CodeUnknownTool, CodeNotFound, CodeMethodNotAllowed, CodeUnsupportedMedia, CodeUnauthorized, CodeForbidden,
	CodeConflict, CodePreconditionFailed, CodePreconditionNeeded, CodePayloadTooLarge, CodeTooManyRequests,
	CodeTimeout, CodeCancelled, CodeInterrupted, CodeEngineCrashed, CodeMemoryExceeded, CodeOutputFlood, CodeInvalidToolOutput,
	CodeArtifactTooLarge, CodeArtifactTooMany, CodeQuotaExceeded, CodeStorageUnavailable, CodeContentDamaged,
	CodeUnsupportedVersion, CodeTimeoutTooSmall, CodeDuplicateRequest, CodeModelMissing, CodeModelUnavailable, CodeModelRefused,
	CodeModelReplyInvalid, CodeBudgetExhausted, CodeRepeatedCall, CodeInternal, CodeFileOutsideRoots,
}

// OfServer says whether a code is the server's alone, and not one of a tool's work.
func OfServer(code string) bool { return slices.Contains(serversCodes, code) }
