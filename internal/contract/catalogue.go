package contract

import (
	"slices"
	"sort"
)

// The codes that the server itself uses; those of tools are only in the table.
const (
	CodeInvalidRequest     = "invalid_request"
	CodeInvalidInput       = "invalid_input"
	CodeUnknownTool        = "unknown_tool"
	CodeNotFound           = "not_found"
	CodeMethodNotAllowed   = "method_not_allowed"
	CodeUnsupportedMedia   = "unsupported_media_type"
	CodeUnauthorized       = "unauthorized"
	CodeForbidden          = "forbidden"
	CodeConflict           = "conflict"
	CodePreconditionFailed = "precondition_failed"
	CodePreconditionNeeded = "precondition_required"
	CodePayloadTooLarge    = "payload_too_large"
	CodeTooManyRequests    = "too_many_requests"
	CodeTimeout            = "timeout"
	CodeCancelled          = "cancelled"
	CodeInterrupted        = "interrupted"
	CodeMissingDependency  = "missing_dependency"
	CodeSolverFailed       = "solver_failed"
	CodeEngineCrashed      = "engine_crashed"
	CodeMemoryExceeded     = "memory_exceeded"
	CodeOutputFlood        = "output_flood"
	CodeInvalidConfig      = "invalid_configuration"
	CodeInvalidToolOutput  = "invalid_tool_output"
	CodeArtifactTooLarge   = "artifact_too_large"
	CodeArtifactTooMany    = "artifact_too_many"
	CodeQuotaExceeded      = "quota_exceeded"
	CodeStorageUnavailable = "storage_unavailable"
	CodeContentDamaged     = "content_damaged"
	CodeUnsupportedVersion = "unsupported_version"
	CodeTimeoutTooSmall    = "timeout_too_small"
	CodeDuplicateRequest   = "duplicate_request"
	CodeModelMissing       = "model_missing"
	CodeModelUnavailable   = "model_unavailable"
	CodeModelRefused       = "model_refused"
	CodeModelReplyInvalid  = "model_reply_invalid"
	CodeBudgetExhausted    = "budget_exhausted"
	CodeRepeatedCall       = "repeated_call"
	CodeFetchFailed        = "fetch_failed"
	CodeParseFailed        = "parse_failed"
	CodeInternal           = "internal_error"

	CodeInvalidPort   = "invalid_port"
	CodePortBusy      = "port_busy"
	CodeNotListening  = "not_listening"
	CodeModelNotFound = "model_not_found"
	CodeLaunchFailed  = "launch_failed"

	CodeInvalidQuery    = "invalid_query"
	CodeUpstreamFailure = "upstream_failure"
	CodeModelError      = "model_error"
	CodeTranscriptEmpty = "empty_transcript"

	CodeFileNotFound     = "ERR_FILE_NOT_FOUND"
	CodeFileOutsideRoots = "ERR_FILE_OUTSIDE_ROOTS"
	CodeFileEmpty        = "ERR_FILE_EMPTY"
	CodeFileUnreadable   = "ERR_FILE_UNREADABLE"
)

// CatalogueEntry is the one place where a code is explained. HTTPStatus is that
// of the direct dialect unless a contract says otherwise.
type CatalogueEntry struct {
	Code       string `json:"code"`
	HTTPStatus int    `json:"http_status"`
	Retryable  bool   `json:"retryable"`
	Meaning    string `json:"meaning"`
}

var catalogue = index([]CatalogueEntry{
	{CodeInvalidRequest, 400, false, "The request itself is malformed: not JSON, a wrong parameter, a wrong limit."},
	{CodeInvalidInput, 400, false, "The tool's input does not validate against its input schema, or its values contradict each other."},
	{CodeUnknownTool, 404, false, "No tool has this name or alias."},
	{CodeNotFound, 404, false, "The job, file, artifact or route does not exist."},
	{CodeMethodNotAllowed, 405, false, "The route exists, but not for this method."},
	{CodeUnsupportedMedia, 415, false, "The body must be sent as application/json."},
	{CodeUnauthorized, 401, false, "The server needs a bearer token and none, or a wrong one, was sent."},
	{CodeForbidden, 403, false, "The Host or Origin of the request is not allowed."},
	{CodeConflict, 409, false, "The request contradicts the present state of the resource."},
	{CodePreconditionFailed, 412, false, "The resource has changed since the version that If-Match names."},
	{CodePreconditionNeeded, 428, false, "The change must name the version that it was made from, with If-Match."},
	{CodePayloadTooLarge, 413, false, "The body is larger than the server's or the tool's limit."},
	{CodeTooManyRequests, 429, true, "All places are taken; try again after the time that Retry-After gives."},
	{CodeTimeout, 504, true, "The call passed its time limit and was ended."},
	{CodeCancelled, 409, false, "The job was cancelled."},
	{CodeInterrupted, 503, true, "The server or worker stopped while the job ran, and the job was not run again."},
	{CodeMissingDependency, 501, false, "The engine that the tool needs is not installed on this machine."},
	{CodeSolverFailed, 422, false, "The engine ran and reported a failure."},
	{CodeEngineCrashed, 500, true, "The engine's process died without an answer."},
	{CodeMemoryExceeded, 422, false, "The engine needed more memory than its limit."},
	{CodeOutputFlood, 422, false, "The engine wrote far more output or files than its limits allow and was ended."},
	{CodeInvalidConfig, 400, false, "The configuration of a solver or of the server is contradictory."},
	{CodeInvalidToolOutput, 500, false, "The tool's output does not fit its own output schema: a fault of the tool."},
	{CodeArtifactTooLarge, 422, false, "The primary artifact is larger than max_artifact_bytes."},
	{CodeArtifactTooMany, 422, false, "The call makes more artifacts than max_artifacts."},
	{CodeQuotaExceeded, 507, false, "The storage quota is used up."},
	{CodeContentDamaged, 500, false, "A stored content no longer has the hash under which it was stored."},
	{CodeStorageUnavailable, 503, true, "The database or the artifact store did not answer."},
	{CodeUnsupportedVersion, 404, false, "The tool is installed, but not in the version that the invocation names."},
	{CodeTimeoutTooSmall, 400, false, "The time limit asked for is below what the tool can work within."},
	{CodeDuplicateRequest, 409, false, "An invocation with this request_id was run already."},
	{CodeModelMissing, 400, false, "The request needs a language model, and none is configured on this server."},
	{CodeModelUnavailable, 503, true, "The language model's endpoint could not be reached, failed, or was too slow."},
	{CodeModelRefused, 400, false, "The language model's endpoint refused the request: its content, the key or the model's name."},
	{CodeModelReplyInvalid, 502, true, "The language model's endpoint answered something that is not a chat completion."},
	{CodeBudgetExhausted, 422, false, "The agent has used up its budget of turns, tool calls, tokens or time."},
	{CodeRepeatedCall, 409, false, "The agent has made this very call already; it is not run again."},
	{CodeFetchFailed, 502, false, "The page could not be had; details.reason says why: refused, robots, dns, tls, connect, http_status, too_large …"},
	{CodeParseFailed, 422, false, "The page was had, but no text can be read from it; details.reason says why."},
	{CodeInternal, 500, false, "A fault of the server."},

	{CodeFileNotFound, 404, false, "The file argument names nothing that exists."},
	{CodeFileOutsideRoots, 403, false, "The file argument leads outside the folders that the server may read."},
	{CodeFileEmpty, 422, false, "The file has no content."},
	{CodeFileUnreadable, 422, false, "The file is not what its format asks for: truncated, noise, or of another kind."},

	{"ERR_STEP_UNSUPPORTED_SCHEMA", 422, false, "The file is not STEP, or of a schema that the importer does not read."},
	{"ERR_TESSELLATION_FAILED", 422, false, "The CAD shape could not be turned into triangles."},
	{"ERR_NON_MANIFOLD_UNRESOLVABLE", 422, false, "The surface cannot be made a closed manifold without guessing; a person must decide."},
	{"ERR_HOLE_TOO_LARGE", 422, false, "A hole is too large, or too twisted, to be filled without inventing the shape."},
	{"ERR_MESH_PROCESSING_FAILED", 422, false, "The mesh could not be read or processed."},
	{"ERR_NOT_WATERTIGHT", 422, false, "The surface is not closed: some edge is not shared by exactly two triangles."},
	{"ERR_INVALID_DX", 422, false, "dx is so small that the mesh would be too large."},
	{"ERR_DX_TOO_COARSE", 422, false, "The part is too thin for the dx asked for; details.suggested_dx would do."},
	{"ERR_VOLUME_MESH_FAILED", 422, false, "No valid tetrahedral mesh could be made."},
	{"ERR_HEADLESS_CONTEXT_FAILED", 422, true, "No off-screen graphics context could be made."},
	{"ERR_BUFFER_EXTRACTION_FAILED", 422, true, "A depth or normal image could not be read back."},
	{"ERR_RENDER_PACK_FAILED", 422, false, "The picture could not be drawn."},

	{"ERR_MESH_UNREADABLE", 422, false, "The volume mesh could not be read by the solver."},
	{"ERR_MESH_INVERTED", 422, false, "The volume mesh has inverted or degenerate elements."},
	{"ERR_UNKNOWN_ATTRIBUTE", 422, false, "A boundary condition or material names an attribute that the mesh does not have."},
	{"ERR_SELECTION_EMPTY", 422, false, "A place selector matches no boundary face."},
	{"ERR_CONFLICTING_CONDITIONS", 422, false, "Two conditions contradict each other on the same place."},
	{"ERR_SINGULAR_SYSTEM", 422, false, "The problem has no unique solution, e.g. a body that nothing holds."},
	{"ERR_NOT_CONVERGED", 422, false, "The solution did not reach its tolerance."},
	{"ERR_IMPLAUSIBLE_VALUE", 422, false, "A value is far outside what its quantity can be."},

	{"ERR_NETLIST_INVALID", 422, false, "The netlist has a line that the simulator does not understand."},
	{"ERR_NO_GROUND", 422, false, "The netlist has no node 0 (ground)."},
	{"ERR_CONTROL_FORBIDDEN", 422, false, "The netlist or control script uses a command that could reach outside the job."},
	{"ERR_UNKNOWN_VECTOR", 422, false, "A probe names a node or device that the circuit does not have."},

	{"ERR_NOTEBOOK_FINALIZED", 409, false, "The notebook was finalised already; another one must be begun."},
	{"ERR_NOTEBOOK_INCOMPLETE", 422, false, "A section of the notebook lacks a markdown step or a code cell."},
	{"ERR_SECTION_ORDER", 422, false, "The section comes before one that has cells already, or has no step yet."},
	{"ERR_DEPENDENCY_CONFLICT", 409, false, "The notebook needs the package already, in another version or from another manager."},
	{"ERR_REVIEW_NEEDED", 409, false, "The notebook was flagged for a person's review."},
	{"ERR_CELL_NOT_FOUND", 404, false, "No call made a cell with this index, or the cell was removed."},
	{"ERR_NOTEBOOK_UNREADABLE", 422, false, "The file is not a Jupyter notebook."},
	{"ERR_CELL_FAILED", 422, false, "A cell of the notebook raised an exception."},
	{"ERR_CELL_TIMEOUT", 504, false, "A cell ran longer than it may, and the kernel was ended."},
	{"ERR_KERNEL_DIED", 422, false, "The notebook's kernel died, or did not start."},
	{"ERR_KERNEL_LANGUAGE", 422, false, "The notebook is in a language for which there is no kernel."},

	{CodeInvalidPort, 400, false, "The port is not one of 8100 to 8139."},
	{CodePortBusy, 409, false, "The port is taken: by another model, or by a program that atelier has not started."},
	{CodeNotListening, 404, false, "No model is loaded on the port."},
	{CodeModelNotFound, 404, false, "The model is not on this machine, or no loaded model has this id."},
	{CodeLaunchFailed, 500, false, "The model's server ended, or could not load the model; the end of its log is told."},

	{CodeInvalidQuery, 400, false, "The search query is empty, too long, or asks for more results than one call gives."},
	{CodeUpstreamFailure, 502, true, "The search service could not be reached, refused the call, or answered something that is no search result."},
	{CodeModelError, 502, true, "The language model that the tool uses failed or answered something that is no answer."},
	{CodeTranscriptEmpty, 422, false, "Nothing is left of the transcript: it holds no spoken word."},
})

func index(entries []CatalogueEntry) map[string]CatalogueEntry {
	m := make(map[string]CatalogueEntry, len(entries))
	for _, e := range entries {
		if _, twice := m[e.Code]; twice {
			panic("error catalogue: " + e.Code + " stands twice")
		}
		m[e.Code] = e
	}
	return m
}

// Known says whether the catalogue has the code.
func Known(code string) bool { _, ok := catalogue[code]; return ok }

// Lookup returns the entry of a code; that of internal_error for an unknown one.
func Lookup(code string) CatalogueEntry {
	if e, ok := catalogue[code]; ok {
		return e
	}
	return catalogue[CodeInternal]
}

// Catalogue lists all entries by code.
func Catalogue() []CatalogueEntry {
	all := make([]CatalogueEntry, 0, len(catalogue))
	for _, e := range catalogue {
		all = append(all, e)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Code < all[j].Code })
	return slices.Clip(all)
}
