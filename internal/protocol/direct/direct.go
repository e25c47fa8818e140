// Package direct serves the dialect of api/spec/tool-contracts.md: POST /v1/tools/{name} takes a
// tool's input as its body and answers with the tool's output, and an error has
// the contract's own code and HTTP status. Beside it stand the contracts
// themselves, whole and in the form of that paper.
package direct

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/job/view"
	"atelier/internal/protocol/httpapi"
	"atelier/internal/session"
)

// Server holds what the handlers need.
type Server struct {
	Tools *contract.Registry
	Jobs  job.API
}

// Routes lists the protocol's routes: one of its own for each tool, so that each
// has its own operation, and the one that takes aliases.
func (s *Server) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		{Path: "/v1/tools/{name}", Methods: httpapi.Methods{
			"GET":  {Serve: s.contract, Doc: docContract()},
			"POST": {Serve: s.call, Doc: docCall()},
		}},
		{Path: "/v1/contracts", Methods: httpapi.Methods{"GET": {Serve: s.documents, Doc: docDocuments()}}},
		{Path: "/v1/contracts.md", Methods: httpapi.Methods{"GET": {Serve: s.markdown, Doc: docMarkdown()}}},
	}
	for _, tool := range s.Tools.All() {
		routes = append(routes, httpapi.Route{Path: Path(tool.Contract), Methods: httpapi.Methods{
			"GET":  {Serve: s.contractOf(tool), Doc: docToolContract(tool.Contract)},
			"POST": {Serve: s.callOf(tool), Doc: docTool(tool.Contract)},
		}})
	}
	return routes
}

// Path of a tool's own route.
func Path(c *contract.Contract) string { return "/v1/tools/" + c.Name }

func (s *Server) contract(w http.ResponseWriter, r *http.Request) error {
	tool, err := s.Tools.Find(r.PathValue("name"))
	if err != nil {
		return err
	}
	return s.contractOf(tool)(w, r)
}

func (s *Server) contractOf(tool *contract.Tool) httpapi.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		httpapi.JSON(w, http.StatusOK, contract.Whole(tool))
		return nil
	}
}

func (s *Server) documents(w http.ResponseWriter, r *http.Request) error {
	tools, err := s.Tools.Select(httpapi.Selection(r))
	if err != nil {
		return err
	}
	httpapi.JSON(w, http.StatusOK, map[string]any{"contracts": tools.Documents()})
	return nil
}

func (s *Server) markdown(w http.ResponseWriter, r *http.Request) error {
	tools, err := s.Tools.Select(httpapi.Selection(r))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = w.Write(tools.Markdown()) // a client that went away is no fault of ours
	return nil
}

func (s *Server) call(w http.ResponseWriter, r *http.Request) error {
	tool, err := s.Tools.Find(r.PathValue("name"))
	if err != nil {
		return err
	}
	return s.callOf(tool)(w, r)
}

// callOf runs a tool: its output is the answer, or its error in its own code.
func (s *Server) callOf(tool *contract.Tool) httpapi.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		done, prefer, err := s.submit(r, tool)
		if err != nil {
			refuse(w, tool, contract.ErrorsOf(err))
			return nil
		}
		w.Header().Set(JobHeader, done.ID)
		if !done.State.Finished() {
			if prefer.async {
				w.Header().Set("Preference-Applied", "respond-async")
			}
			w.Header().Set("Location", "/v1/jobs/"+done.ID)
			httpapi.JSON(w, http.StatusAccepted, map[string]any{"job_id": done.ID, "status": done.State})
			return nil
		}
		result := contract.LimitWords(limitWords).Result(view.Result(done))
		if result.Status == contract.StatusError {
			errs := result.Errors
			if len(errs) == 0 {
				errs = []*contract.Error{contract.Errorf(contract.CodeInternal, "%s failed without an error", tool.Contract.Name)}
			}
			refuse(w, tool, errs)
			return nil
		}
		answer(w, done.ID, result)
		return nil
	}
}

// JobHeader names the job of a call.
const JobHeader = "X-Atelier-Job-Id"

const warningsHeader = "X-Atelier-Warnings"

func (s *Server) submit(r *http.Request, tool *contract.Tool) (*job.Job, preference, error) {
	prefer := preferences(r)
	input, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, prefer, httpapi.BodyFault(err)
	}
	if len(strings.TrimSpace(string(input))) == 0 {
		return nil, prefer, contract.Errorf(contract.CodeInvalidRequest, "the body is empty; it must be the input of %s", tool.Contract.Name).
			WithHint("Send at least {}. GET %s shows the input schema.", Path(tool.Contract))
	}
	limits, err := limitsOf(r)
	if err == nil {
		err = httpapi.Once(r, "timeout_ms", "session_id")
	}
	if err != nil {
		return nil, prefer, err
	}
	made, err := s.Jobs.Submit(r.Context(), job.Request{
		Tool: tool.Contract.Name, Input: input, Limits: limits, Context: contextOf(r), RequestID: httpapi.RequestID(r),
		IdempotencyKey: r.Header.Get("Idempotency-Key"), Async: prefer.async && prefer.wait == 0, Wait: prefer.wait,
	})
	return made, prefer, inQuery(err)
}

// limitWords are how a call of this dialect asks for a limit: time has a parameter
// of the query, all others need a route with limits.
func limitWords(name string) string {
	if name == "timeout_ms" {
		return "?timeout_ms="
	}
	return "context.limits." + name + " of POST /v1/tools/execute"
}

// limitsOf reads ?timeout_ms: the body is the input itself and has no place
// for limits.
func limitsOf(r *http.Request) ([]byte, error) {
	query := r.URL.Query()
	if !query.Has("timeout_ms") {
		return nil, nil
	}
	text := query.Get("timeout_ms")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return nil, contract.Errorf(contract.CodeInvalidRequest, "timeout_ms is %q; it must be a whole number from 1 to %d", text, int64(math.MaxInt64)).At("timeout_ms").
			WithHint("The limit of the tool holds where it is lower.")
	}
	return fmt.Appendf(nil, `{"timeout_ms":%d}`, n), nil
}

// contextOf reads ?session_id, the session that the call belongs to.
func contextOf(r *http.Request) json.RawMessage {
	query := r.URL.Query()
	if !query.Has("session_id") {
		return nil
	}
	return session.Context(query.Get("session_id"))
}

// inQuery gives a fault of the session the place that it has in this dialect.
func inQuery(err error) error {
	var faults contract.Faults
	if err != nil {
		faults = contract.ErrorsOf(err)
	}
	for _, e := range faults {
		if e.Field == "/context/session_id" {
			_ = e.At("session_id")
			err = faults
		}
	}
	return err
}

// preference is what the Prefer header (RFC 7240) asks for.
type preference struct {
	async bool
	wait  time.Duration // 0 where it does not say
}

// longestWait bounds Prefer: wait, which counts in seconds.
const longestWait = 24 * 60 * 60

// preferences reads respond-async and wait; what is malformed is ignored, as
// RFC 7240 section 2 asks. Without respond-async a call waits for its end,
// which the tool's time limit bounds.
func preferences(r *http.Request) preference {
	var p preference
	for _, line := range r.Header.Values("Prefer") {
		for _, one := range strings.FieldsFunc(line, func(c rune) bool { return c == ',' || c == ';' }) {
			name, value, _ := strings.Cut(strings.TrimSpace(one), "=")
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "respond-async":
				p.async = true
			case "wait":
				if n, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 32); err == nil {
					p.wait = time.Duration(min(n, longestWait)) * time.Second
				}
			}
		}
	}
	if !p.async {
		p.wait = 0
	}
	return p
}

func refuse(w http.ResponseWriter, tool *contract.Tool, errs []*contract.Error) {
	var envelope map[string]any
	if tool.Contract.Family == contract.NotebookFamily { // status, error_code and error_message beside the error
		raw := contract.Failure("atelier", errs...).NotebookResult()
		_ = json.Unmarshal(raw, &envelope) // it was just encoded
	}
	httpapi.ErrorAs(w, errs[0].Code, tool.Contract.ErrorStatus(errs[0].Code), errs, envelope)
}

// Bounds of the headers that are made of results: a client that meets a longer line
// (Python's ends at 64 KiB, many a proxy at 8) cannot read the answer at all. The job
// has everything.
const (
	linked       = 64 // artifacts that the Link header names
	linkBytes    = 8 << 10
	warningBytes = 4 << 10
)

// answer writes the output. What the body has no place for stands in
// headers: the job, its artifacts as links (RFC 8288), the codes of warnings.
func answer(w http.ResponseWriter, jobID string, result *contract.Result) {
	artifacts := contract.Links(jobID, result.Artifacts)
	var links []string
	for _, a := range artifacts[:min(len(artifacts), linked)] {
		links = append(links, fmt.Sprintf(`<%s>; rel="enclosure"; type=%+q`, a.Path, a.MIMEType))
	}
	if len(artifacts) > 0 {
		all := fmt.Sprintf(`</v1/jobs/%s/artifacts>; rel="related"`, jobID)
		links, _ = within(links, linkBytes-len(all)-2)
		w.Header().Set("Link", strings.Join(append(links, all), ", ")) // one line: clients bound their number
	}
	var codes []string
	for _, warning := range result.Warnings {
		codes = append(codes, url.PathEscape(warning.Code)) // a word as it is; a header is ASCII
	}
	if len(codes) > 0 {
		shown, left := within(codes, warningBytes-len("... 1000000000 more"))
		if left > 0 {
			shown = append(shown, fmt.Sprintf("... %d more", left))
		}
		w.Header().Set(warningsHeader, strings.Join(shown, ", "))
	}
	httpapi.JSON(w, http.StatusOK, result.OutputJSON())
}

// within are the first entries of a header that fit into some bytes, and how many are
// left out.
func within(entries []string, most int) (shown []string, left int) {
	for i, entry := range entries {
		if most -= len(entry) + len(", "); most < 0 {
			return entries[:i:i], len(entries) - i
		}
	}
	return entries, 0
}
