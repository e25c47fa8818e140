// Package invocation speaks api/spec/invocation.md: manifests of the tools, and
// invocations, which answer every call of a tool in one envelope.
package invocation

import (
	"encoding/json"
	"fmt"
	"net/http"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/job/view"
	"atelier/internal/protocol/httpapi"
)

// Server holds what the handlers need.
type Server struct {
	Tools        *contract.Registry
	Jobs         job.API
	MaxBodyBytes int64 // the server's limit of a body
}

// keyPrefix keeps request ids apart from the Idempotency-Key of other protocols.
const keyPrefix = "invocation:"

// invoke runs a tool. The status is 200 whatever comes of the call; it is a
// 4xx only when the body is no invocation, and so nothing could be called.
func (s *Server) invoke(w http.ResponseWriter, r *http.Request) error {
	var body json.RawMessage
	if err := httpapi.ReadCall(r, &body, false, "arguments"); err != nil {
		return err
	}
	inv, faults := contract.ParseInvocation(body)
	if len(faults) > 0 {
		return contract.Faults(faults)
	}
	httpapi.JSON(w, http.StatusOK, s.answer(w, r, inv, len(body)))
	return nil
}

// answer is the envelope of a well-formed invocation.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, inv *contract.Invocation, payload int) contract.InvocationResult {
	tool, err := s.Tools.Find(inv.ToolName)
	if err != nil {
		return contract.RefusedInvocation(nil, []*contract.Error{contract.AsError(err).At("/tool_name")}, nil)
	}
	version, err := tool.Version(inv.ToolVersion)
	if err != nil {
		return contract.RefusedInvocation(tool.Contract, contract.ErrorsOf(err), nil)
	}
	w.Header().Set(versionHeader, version.Version)
	envelope := inv.Faults(version, payload, s.MaxBodyBytes)
	arguments := version.ValidateInput(inv.Arguments)
	if len(envelope)+len(arguments) > 0 {
		return contract.RefusedInvocation(version, envelope, arguments)
	}
	done, err := s.Jobs.Submit(r.Context(), job.Request{
		Tool: tool.Contract.Name, Input: inv.Arguments, Context: inv.Context(),
		Limits:    json.RawMessage(fmt.Sprintf(`{"timeout_ms":%d}`, inv.TimeoutMS)),
		RequestID: inv.RequestID, IdempotencyKey: keyPrefix + inv.RequestID, Once: true,
	})
	if err != nil {
		return refused(w, version, contract.ErrorsOf(err))
	}
	if !done.State.Finished() { // only when this request ended first
		return refused(w, version, []*contract.Error{contract.Errorf(contract.CodeInterrupted, "the request ended before job %s did", done.ID).
			With("job_id", done.ID).With("uri", "/v1/jobs/"+done.ID)})
	}
	w.Header().Set("X-Atelier-Job-Id", done.ID)
	out := present(version, tool.Contract, contract.LimitWords(limitWords).Result(view.Result(done)), baseURL(r), done.ID)
	out.Warnings = append(out.Warnings, remarks(tool, version, inv)...)
	return out
}

// limitWords are how an invocation asks for a limit: it has a field for time, and
// for no other.
func limitWords(name string) string {
	if name == "timeout_ms" {
		return name
	}
	return "limits." + name + " of POST /v1/jobs"
}

// versionHeader tells the version whose contract the answer keeps to.
const versionHeader = "X-Atelier-Tool-Version"

// remarks tell what of the invocation was not followed to the letter.
func remarks(tool *contract.Tool, version *contract.Contract, inv *contract.Invocation) []contract.Warning {
	var warnings []contract.Warning
	if inv.ToolVersion != version.Version {
		warnings = append(warnings, contract.Warning{Code: "VERSION_SUBSTITUTED",
			Message: fmt.Sprintf("tool_version %s is not installed; %s answered, which differs by a patch only.", inv.ToolVersion, version.Version)})
	}
	s := inv.Capture.Selectors
	if !tool.TakesCapture && (inv.Capture.CaptureID != "" || s.TimeRange != nil || len(s.Channels)+len(s.Filters) > 0) {
		warnings = append(warnings, contract.Warning{Code: "CAPTURE_IGNORED",
			Message: fmt.Sprintf("%s works on its arguments alone; the capture_selection was ignored.", version.Alias())})
	}
	return warnings
}

// refused tells why the job engine took no job.
func refused(w http.ResponseWriter, c *contract.Contract, errs []*contract.Error) contract.InvocationResult {
	httpapi.RetryAfter(w, errs)
	if errs[0].Code == contract.CodeDuplicateRequest {
		return contract.RefusedInvocation(c, []*contract.Error{errs[0].At("/request_id")}, nil)
	}
	return contract.RefusedInvocation(c, nil, errs)
}

// present shows a result as the version that was asked for describes it.
func present(version, current *contract.Contract, result *contract.Result, base, jobID string) contract.InvocationResult {
	if version != current && result.Status != contract.StatusError {
		output, faults := version.ProjectOutput(result.OutputJSON())
		if len(faults) > 0 {
			for _, f := range version.OutputFaults(faults) {
				_ = f.WithHint("Version %s cannot say this; ask for %s.", version.Version, current.Version)
			}
			result = contract.Failure(result.Solver, faults...)
		} else {
			older := *result
			older.Output = output
			result = &older
		}
	}
	return result.InvocationResult(version, func(name string) string { return base + contract.ArtifactURL(jobID, name) })
}

// baseURL is the address at which the caller reached the server.
func baseURL(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// Envelope shows what never became an invocation in the same shape.
func Envelope(w http.ResponseWriter, _ *http.Request, errs []*contract.Error) {
	httpapi.RetryAfter(w, errs)
	httpapi.JSON(w, contract.HTTPStatus(errs), contract.RefusedInvocation(nil, errs, nil))
}

func (s *Server) listManifests(w http.ResponseWriter, r *http.Request) error {
	selected, err := s.Tools.Select(httpapi.Selection(r))
	if err != nil {
		return err
	}
	manifests := make([]contract.Manifest, 0, len(selected.All()))
	for _, t := range selected.All() {
		manifests = append(manifests, t.Contract.Manifest(s.MaxBodyBytes))
	}
	httpapi.JSON(w, http.StatusOK, struct {
		Manifests    []contract.Manifest              `json:"manifests"`
		Availability map[string]contract.Availability `json:"availability"` // beside them: their shape is api/spec/invocation.md's
	}{manifests, contract.AvailabilityOf(selected.All(), (*contract.Contract).Alias)})
	return nil
}

func (s *Server) getManifest(w http.ResponseWriter, r *http.Request) error {
	tool, err := s.Tools.Find(r.PathValue("name"))
	if err != nil {
		return err
	}
	found := tool.Contract
	if query := r.URL.Query(); query.Has("version") {
		version := query.Get("version")
		if !contract.IsVersion(version) {
			return contract.Errorf(contract.CodeInvalidRequest, "version is %q; it must be major.minor.patch", version).At("version")
		}
		if found, err = tool.Version(version); err != nil {
			return contract.AsError(err).At("version")
		}
	}
	httpapi.JSON(w, http.StatusOK, found.Manifest(s.MaxBodyBytes))
	return nil
}
