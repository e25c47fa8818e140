package harmony

import (
	"mime"
	"net/http"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/job"
	"atelier/internal/protocol/httpapi"
)

// Server holds what the handlers need.
type Server struct {
	Tools *contract.Registry
	Jobs  job.API
}

// Routes lists the protocol's routes.
func (s *Server) Routes() []httpapi.Route {
	return []httpapi.Route{
		{Path: "/v1/harmony", Methods: httpapi.Methods{"GET": {Serve: s.prompt, Doc: promptDoc()}}},
		{Path: "/v1/harmony/calls", Methods: httpapi.Methods{"POST": {Serve: s.calls, Doc: callsDoc()}}},
	}
}

// parameters of GET /v1/harmony, in the order of its description.
var parameters = []string{"family", "tools", "role", "reasoning", "date"}

func (s *Server) prompt(w http.ResponseWriter, r *http.Request) error {
	if err := httpapi.OnlyParameters(r, parameters...); err != nil {
		return err
	}
	query := r.URL.Query()
	for name, values := range query {
		if name != "family" && name != "tools" && (len(values) > 1 || values[0] == "") {
			return contract.Errorf(contract.CodeInvalidRequest, "the parameter %q is empty, or stands twice", name).At(name).
				WithHint("Leave it out, or give it one value.")
		}
	}
	tools, err := s.Tools.Available().Select(httpapi.Selection(r))
	if err != nil {
		return err
	}
	prompt, err := NewPrompt(tools, Options{Role: query.Get("role"), Effort: Effort(query.Get("reasoning")), Date: query.Get("date")})
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "Accept")
	if wantsText(r) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte(prompt.System + prompt.Developer)) // a client that went away is no fault of ours
		return nil
	}
	httpapi.JSON(w, http.StatusOK, prompt)
	return nil
}

// wantsText says whether text/plain is asked for and JSON is not.
func wantsText(r *http.Request) bool {
	plain := false
	for _, part := range strings.Split(r.Header.Get("Accept"), ",") {
		mediaType, _, err := mime.ParseMediaType(strings.TrimSpace(part))
		switch {
		case err != nil:
		case mediaType == "application/json":
			return false
		case mediaType == "text/plain":
			plain = true
		}
	}
	return plain
}
