package agent

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"atelier/internal/agent/answer"
	"atelier/internal/agent/plan"
	"atelier/internal/contract"
	"atelier/internal/session"
	"atelier/internal/shape"
)

// Planner works without a model: it reads the prompt,
// asks for what is missing before its first step (the unit of a surface once it has
// been read), runs the pipeline and answers
// in sentences. After the first step only an error that the table of routes puts
// to a person stops it for one.
type Planner struct {
	tools     *contract.Registry
	artifacts Artifacts
}

// NewPlanner makes a Planner of the tools and of what their jobs have made.
func NewPlanner(tools *contract.Registry, artifacts Artifacts) *Planner {
	return &Planner{tools, artifacts}
}

// curved says whether CAD models can be meshed on their exact faces.
func (p *Planner) curved() bool {
	_, err := p.tools.Available().Find(plan.ToolCAD)
	return err == nil
}

// Facts of the manifest that the planner keeps from turn to turn.
const (
	factEarlier = "planner_earlier" // prompts whose questions are still open
	factAsked   = "planner_asked"   // the topics of those questions
	factPlan    = "plan"            // the plan that is or was carried out, and the words that made it
	factFaces   = "cad_faces"       // the names of the part's CAD faces
)

// carried is a plan with the messages that it was made of.
type carried struct {
	*plan.Plan
	plan.Talk
}

// faceFact is what an import told of a file.
type faceFact struct {
	File  string   `json:"file"`
	Faces []string `json:"faces"`
}

// Asks says whether the last turn of a session ended with questions, which the next is to
// answer.
func Asks(m *session.Manifest) bool {
	_, asked := m.Facts[factAsked]
	return asked
}

// talkOf is the conversation so far: the plan in force, and the open questions.
func talkOf(m *session.Manifest) plan.Talk {
	var last carried
	var t plan.Talk
	// What cannot be read was written by someone else and is no fact of ours.
	if json.Unmarshal(m.Facts[factPlan], &last) == nil && last.Plan != nil && len(last.Said) > 0 {
		t = last.Talk
		t.Physics = last.Plan.Physics
	}
	_ = json.Unmarshal(m.Facts[factEarlier], &t.Open)
	_ = json.Unmarshal(m.Facts[factAsked], &t.Asked)
	return t
}

// Run works a turn; Agent calls it where there is no model.
func (p *Planner) run(ctx context.Context, r *session.Run, budget Budget) (string, error) {
	m, err := r.Manifest(ctx)
	if err != nil {
		return "", err
	}
	facts := factsOf(m)
	facts.Curved = p.curved()
	pl, talk := talkOf(m).Next(r.Turn.Prompt, facts)
	if len(pl.Questions) > 0 {
		return p.ask(ctx, r, pl, talk)
	}
	remember := func(d *session.Draft) error {
		delete(d.Facts, factEarlier)
		delete(d.Facts, factAsked)
		d.PlannedTool = pl.Steps()[0].Tool
		return setFact(d, factPlan, carried{pl, talk})
	}
	if _, err := r.Update(ctx, remember); err != nil {
		return "", err
	}
	r.Text(announcement(pl))
	found, err := p.execute(ctx, newRunHandler(r, p.artifacts.Jobs), pl, budget)
	var unit *shape.UnknownUnit
	if errors.As(err, &unit) {
		r.Text(plan.AskUnit(unit).Sentence()) // its answer changes the plan in force
		return "", nil
	}
	if err != nil {
		return p.stopped(ctx, r, err)
	}
	text, err := answer.Write(found)
	if err != nil {
		return "", err
	}
	finish := func(d *session.Draft) error {
		d.PlannedTool = ""
		if found.Faces == nil {
			return nil
		}
		return setFact(d, factFaces, faceFact{pl.File, found.Faces})
	}
	if _, err := r.Update(ctx, finish); err != nil {
		return "", err
	}
	r.Text(text)
	return "", nil
}

// ask puts the plan's questions and remembers what they were about.
func (p *Planner) ask(ctx context.Context, r *session.Run, pl *plan.Plan, talk plan.Talk) (string, error) {
	_, err := r.Update(ctx, func(d *session.Draft) error {
		if err := setFact(d, factEarlier, talk.Open); err != nil {
			return err
		}
		return setFact(d, factAsked, talk.Asked)
	})
	if err != nil {
		return "", err
	}
	r.Text(pl.Asks())
	return "", nil
}

// stopped ends a run: with a question where a person has to decide, else as failed.
func (p *Planner) stopped(ctx context.Context, r *session.Run, err error) (string, error) {
	var fault *contract.Error
	if !errors.As(err, &fault) {
		return "", err
	}
	if route, known := RouteOf(fault.Code); !Denied(fault) && fault.Code != contract.CodeBudgetExhausted && (!known || !route.Escalates()) {
		if fault.Code != contract.CodeCancelled {
			r.Text(Stopping(fault)) // the answer must not end where it said what it would do
		}
		return "", err
	}
	if err := r.ReportError(ctx, fault); err != nil {
		return "", err
	}
	r.Text(Stopping(fault))
	return "", nil
}

func announcement(pl *plan.Plan) string {
	var tools []string
	for _, s := range pl.Steps() {
		tools = append(tools, s.Tool)
	}
	return "I run " + strings.Join(tools, ", ") + ".\n\n"
}

func setFact(d *session.Draft, key string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if d.Facts == nil {
		d.Facts = map[string]json.RawMessage{}
	}
	d.Facts[key] = raw
	return nil
}

// geometryTypes are the files that a plan can begin with.
var geometryTypes = []string{".step", ".stp", ".iges", ".igs", ".brep", ".brp", ".stl", ".obj", ".ply", ".off", ".glb", ".mesh", ".msh", ".vtu"}

// factsOf reads what the manifest knows: the newest uploaded part and its faces.
func factsOf(m *session.Manifest) plan.Facts {
	var f plan.Facts
	for _, a := range m.AssetDetails {
		if a.JobID == "" && slices.Contains(geometryTypes, strings.ToLower(path.Ext(a.Path))) {
			f.File = a.Reference
		}
	}
	var known faceFact
	if json.Unmarshal(m.Facts[factFaces], &known) == nil && known.File == f.File {
		f.Faces = known.Faces
	}
	return f
}
