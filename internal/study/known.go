package study

import (
	"context"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/shape"
)

// Known are the shapes of the CAD parts that the last run of a study has imported, by the
// files of the parts. What is gone or cannot be read any more is not known.
func (s *Service) Known(ctx context.Context, call *contract.Call, h *History) map[string]*shape.Geometry {
	out := map[string]*shape.Geometry{}
	if len(h.Runs) == 0 {
		return out
	}
	run, err := s.LoadRun(ctx, h.Runs[len(h.Runs)-1])
	if err != nil {
		return out
	}
	e := &execution{Service: s, call: call}
	for _, step := range run.Steps {
		part, imported := strings.CutPrefix(step.Name, stepImport+" ")
		if !imported || step.JobID == "" {
			continue
		}
		j, err := s.DB.Job(ctx, step.JobID)
		if err != nil || j.Result == nil {
			continue
		}
		if g, _, err := e.measured(ctx, j.Result); err == nil {
			out[run.study.Parts[part].File] = g
		}
	}
	return out
}
