// Package claim holds verify_claim, which compares a number that somebody quotes
// with the figure of the job that it comes from.
package claim

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

//go:embed verify_claim.json
var file []byte

// Jobs are the finished jobs.
type Jobs interface {
	// Result is that of a job, with its tool: not_found without such a job, conflict for
	// one that has no result.
	Result(ctx context.Context, jobID string) (tool string, result *contract.Result, err error)
	// MadeFrom are the files that a job was made from, also of one that has been deleted.
	MadeFrom(ctx context.Context, jobID string) ([]evidence.Input, error)
}

// Tools lists the tools of this family.
func Tools(jobs Jobs) []contract.Tool {
	return []contract.Tool{contract.Bind(file, func(ctx context.Context, call *contract.Call, in input) (*contract.Result, error) {
		return verify(ctx, call, in, jobs)
	})}
}

type input struct {
	Number json.Number `json:"number"`
	Unit   string      `json:"unit"`
	JobID  string      `json:"job_id"`
	Path   string      `json:"path"`
}

type output struct {
	Verdict    string           `json:"verdict"`
	Reasons    []string         `json:"reasons"`
	Tool       string           `json:"tool"`
	Figure     string           `json:"figure"`
	Value      *float64         `json:"value"`
	Unit       string           `json:"unit"`
	Error      *float64         `json:"error"`
	Trust      evidence.Trust   `json:"trust"`
	Claimed    float64          `json:"claimed"`
	Difference *float64         `json:"difference"`
	Inputs     []evidence.Input `json:"inputs"`

	doubts   []string // of the figure
	against  bool     // they are a check of that very figure, and not of all of the result
	beside   string   // why the result is suspect that a figure stands in which nothing checks
	outdated []string // what had changed when an earlier claim was held against the figure
	accuracy float64  // the widest error bar that supports a claim, relative to the figure
	scale    float64  // against which the figure may vanish; 0 for none
	name     string   // of the quantity
	shifted  *float64 // the claim in the figure's unit if the figure is a difference, where that is another number
	factor   float64  // a difference in the unit of the claim is so many in the figure's; 0 is 1
}

const (
	supported    = "supported"
	contradicted = "contradicted"
	undecided    = "undecided"
	stale        = "stale"
)

func verify(ctx context.Context, call *contract.Call, in input, jobs Jobs) (*contract.Result, error) {
	tool, result, err := jobs.Result(ctx, in.JobID)
	if err != nil {
		return nil, contract.AsError(err).At("/job_id")
	}
	out := output{Tool: tool, Reasons: []string{}, Inputs: []evidence.Input{}}
	if err := out.find(result, in.Path); err != nil {
		return nil, err
	}
	if err := out.claim(in); err != nil {
		return nil, err
	}
	out.judge(in.Number)
	changed, deleted := (&chain{call: call, jobs: jobs, seen: map[string]bool{in.JobID: true}}).changes(ctx, placed(ctx, jobs, in.JobID, out.Inputs))
	changed = slices.Concat(out.outdated, damages(ctx, call, in.JobID, result.Artifacts), changed)
	if len(changed) > 0 {
		out.Verdict, out.Reasons = stale, append(changed, out.Reasons...)
	}
	out.Reasons = append(out.Reasons, deleted...)
	return &contract.Result{Summary: fmt.Sprintf("%s: %s", strings.ToUpper(out.Verdict[:1])+out.Verdict[1:], out.Reasons[0]), Output: out, Inputs: out.quoted(in.JobID)}, nil
}

// placed are the inputs with the places that only the database knows.
func placed(ctx context.Context, jobs Jobs, jobID string, inputs []evidence.Input) []evidence.Input {
	made, err := jobs.MadeFrom(ctx, jobID)
	if err != nil {
		return inputs // they have their references
	}
	inputs = slices.Clone(inputs)
	for i := range inputs {
		if k := slices.IndexFunc(made, func(m evidence.Input) bool { return m.Reference == inputs[i].Reference }); k >= 0 {
			inputs[i].Path = made[k].Path
		}
	}
	return inputs
}

// quoted is the figure as what the verdict stands on: it is no better than that.
func (o *output) quoted(jobID string) []evidence.Input {
	if o.Value == nil {
		return nil
	}
	reason := ""
	if len(o.doubts) > 0 {
		reason = o.doubts[0]
	}
	return []evidence.Input{{Reference: o.Figure + " of " + jobID, JobID: jobID, Tool: o.Tool, Trust: o.Trust, Reason: reason}}
}

// claim turns the number into the figure's unit.
func (o *output) claim(in input) error {
	v, err := in.Number.Float64()
	if err != nil {
		return contract.Errorf(contract.CodeInvalidInput, "%s is no number", in.Number).At("/number")
	}
	o.Claimed = v
	if in.Unit == "" || sameText(in.Unit, o.Unit) {
		return nil
	}
	if o.Unit == "" {
		return contract.Errorf(contract.CodeInvalidInput, "the output states no unit of %s, so %s cannot be compared with it", o.Figure, in.Unit).At("/unit").
			WithHint("Leave unit out, and give the number in the unit that the tool's page names.")
	}
	if strings.EqualFold(in.Unit, decibel) != strings.EqualFold(o.Unit, decibel) {
		return contract.Errorf(contract.CodeInvalidInput, "%s and %s cannot be compared: decibels are a logarithm, of powers or of amplitudes", in.Unit, o.Unit).At("/unit").
			WithHint("Give the number in %s, the unit of the figure.", o.Unit)
	} else if strings.EqualFold(in.Unit, decibel) {
		return nil
	}
	return o.convert(in, v)
}

// convert turns the number of the claim, and what a difference of 1 is, into the
// figure's unit. They differ in scales with a zero of their own: 1 degC is 274.15 K,
// and a digit of it is 1 K.
func (o *output) convert(in input, v float64) error {
	if angle, err := quantity.ParseIn(in.Number.String()+" "+in.Unit, quantity.Angle, o.Unit); err == nil {
		o.Claimed = angle
		o.factor, err = quantity.ParseIn("1 "+in.Unit, quantity.Angle, o.Unit)
		return err
	}
	_, angle := quantity.ParseIn("0 rad", quantity.Angle, o.Unit)
	if _, ok := quantity.ParseUnit(o.Unit); !ok && angle != nil {
		return contract.Errorf(contract.CodeInvalidInput, "the figure is in %q, which does not convert into other units, so %s cannot be compared with it", o.Unit, in.Unit).At("/unit").
			WithHint("Leave unit out, and give the number in %q.", o.Unit)
	}
	offset := 0.0
	var err error
	if o.Claimed, err = quantity.Convert(v, in.Unit, o.Unit); err == nil {
		o.factor, offset, err = quantity.Affine(in.Unit, o.Unit)
	}
	if err != nil {
		return contract.AsError(err).At("/unit").WithHint("The figure is in %s.", o.Unit)
	}
	if shifted := v * o.factor; strings.HasSuffix(o.Figure, "/error") { // an error bar is a difference
		o.Claimed = shifted
	} else if offset != 0 && !temperature.MatchString(o.Figure+" "+o.name) {
		o.shifted = &shifted
	}
	return nil
}

// temperature marks figures that are one, and no difference, by what they are called.
var temperature = regexp.MustCompile(`(?i)temperature(?:$|[ /](?:min|max|mean|at|of)\b)`)

var powers = strings.NewReplacer("²", "^2", "³", "^3", "µ", "u", "μ", "u")

// sameText says that two units are written alike, whether or not they are known.
func sameText(a, b string) bool {
	return powers.Replace(strings.TrimSpace(a)) == powers.Replace(strings.TrimSpace(b))
}

const decibel = "dB"

func (o *output) judge(number json.Number) {
	if o.Value == nil {
		o.Verdict, o.Reasons = contradicted, append(o.Reasons, "The figure is undefined in that result.")
		return
	}
	difference := o.Claimed - *o.Value
	o.Difference = &difference
	half := quantity.HalfDigit(number.String()) * math.Abs(cmp.Or(o.factor, 1))
	bar := 0.0
	value, claimed := apart(*o.Value, o.Claimed)
	unit := ""
	if o.Unit != "1" && o.Unit != "" {
		unit = " " + o.Unit
	}
	said := "The job's figure is " + value + unit
	if o.Error != nil {
		bar = *o.Error
		said += fmt.Sprintf(" ± %.2g", bar)
	}
	reason := ""
	switch slack := 1e-12 * math.Abs(*o.Value); { // of conversions
	case math.Abs(difference) > half+bar+slack && o.shifted != nil && math.Abs(*o.shifted-*o.Value) <= half+bar+slack:
		o.Verdict = undecided
		reason = fmt.Sprintf("%s. The claim agrees if that is a difference of temperatures, and is off by %.3g if it is a temperature: give the number in %s.", said, difference, o.Unit)
	case math.Abs(difference) > half+bar+slack:
		o.Verdict = contradicted
		reason = fmt.Sprintf("%s, the claim is %s: off by %.3g%s.", said, claimed+unit, difference, unit)
		if len(o.doubts) > 0 {
			reason += " That figure itself is suspect. " + strings.Join(o.doubts, " ")
		}
	case len(o.doubts) > 0:
		o.Verdict = undecided
		if o.against {
			o.Verdict = contradicted
		}
		reason = "The claim repeats the job's figure, but that is suspect. " + strings.Join(o.doubts, " ")
	case o.beside != "":
		o.Verdict = undecided
		reason = "The claim repeats the job's figure, but nothing checks that. " + o.beside
	case bar > o.accuracy*math.Abs(*o.Value) && !o.decided(difference, bar, half+slack):
		o.Verdict = undecided
		reason = fmt.Sprintf("%s, and the claim of %s lies within that error bar, but that is wider than %.0f %% of the figure, so it supports no number and contradicts only those outside of it.", said, claimed, 100*o.accuracy)
	case o.nothing(bar):
		o.Verdict = undecided
		reason = fmt.Sprintf("%s, and the claim of zero stands for all that is less than %.3g%s: it says nothing of how large the figure is.", said, half, unit)
	default:
		o.Verdict = supported
		reason = fmt.Sprintf("%s, and it is %s.", said, o.Trust)
		if math.Abs(difference) > bar+slack {
			from, to := apart(o.Claimed-half, o.Claimed+half)
			reason = fmt.Sprintf("%s, and it is %s; as it is written, the claim stands for %s to %s.", said, o.Trust, from, to)
		}
	}
	o.Reasons = append([]string{reason}, o.Reasons...)
}

// apart writes two numbers with six digits, or as many more as it takes to see that
// they differ.
func apart(a, b float64) (string, string) {
	for digits := 6; ; digits++ {
		x, y := strconv.FormatFloat(a, 'g', digits, 64), strconv.FormatFloat(b, 'g', digits, 64)
		if x != y || a == b || digits == 17 {
			return x, y
		}
	}
}

// decided says that a claim is supported beside a wide error bar: all of the bar
// rounds to it, or the figure is verified, which is then beside a scale that it
// vanishes against, and rounds to it.
func (o *output) decided(difference, bar, half float64) bool {
	return math.Abs(difference)+bar <= half || o.Trust == evidence.Verified && math.Abs(difference) <= half
}

// nothing says that zero is claimed of a figure that is not, and does not vanish beside
// its scale; the zero of a temperature or of decibels is a value like others.
func (o *output) nothing(bar float64) bool {
	value := math.Abs(*o.Value)
	if o.Claimed != 0 || value <= bar || value <= o.accuracy*o.scale || strings.EqualFold(o.Unit, decibel) {
		return false
	}
	units, known := quantity.ParseUnit(o.Unit)
	if !known || len(units) == 0 {
		return true
	}
	_, offset, err := quantity.Affine(o.Unit, units[0].Dim.String())
	return err != nil || offset == 0
}

// damages tells of each file of the job itself whose stored content is damaged: who
// looks for what the figure was read from finds another content, or none.
func damages(ctx context.Context, call *contract.Call, jobID string, artifacts []contract.Artifact) []string {
	var damaged []string
	for _, a := range artifacts {
		_, err := call.File(ctx, contract.ArtifactURL(jobID, a.Name), "/job_id")
		if err != nil && contract.AsError(err).Code == contract.CodeContentDamaged {
			damaged = append(damaged, fmt.Sprintf("The stored content of %s, a file of that job, is damaged; run the job again.", a.Name))
		}
	}
	return damaged
}
