// Package claim holds verify_claim, which compares a number that somebody quotes
// with the figure of the job that it comes from.
package claim

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/quantity"
	"atelier/internal/store"
)

//go:embed verify_claim.json
var file []byte

// Results finds the result of a finished job, with its tool: not_found without
// such a job, conflict for one that has no result.
type Results func(ctx context.Context, jobID string) (tool string, result *contract.Result, err error)

// Tools lists the tools of this family.
func Tools(results Results) []contract.Tool {
	return []contract.Tool{contract.Bind(file, func(ctx context.Context, call *contract.Call, in input) (*contract.Result, error) {
		return verify(ctx, call, in, results)
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

	doubts   []string // of the figure itself
	accuracy float64  // the widest error bar that supports a claim, relative to the figure
}

const (
	supported    = "supported"
	contradicted = "contradicted"
	undecided    = "undecided"
	stale        = "stale"
)

func verify(ctx context.Context, call *contract.Call, in input, results Results) (*contract.Result, error) {
	tool, result, err := results(ctx, in.JobID)
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
	if e := result.Evidence; e != nil {
		out.Inputs = append(out.Inputs, e.Inputs()...)
	}
	out.judge(in.Number)
	if changed := changes(ctx, call, out.Inputs); len(changed) > 0 {
		out.Verdict, out.Reasons = stale, append(changed, out.Reasons...)
	}
	return &contract.Result{Summary: fmt.Sprintf("%s: %s", strings.ToUpper(out.Verdict[:1])+out.Verdict[1:], out.Reasons[0]), Output: out}, nil
}

// find looks the figure up by its name or pointer.
func (o *output) find(result *contract.Result, path string) error {
	var known []string
	var stated []evidence.Quantity
	if e := result.Evidence; e != nil {
		stated = e.Quantities()
		for _, q := range stated {
			known = append(known, q.Name, q.Pointer)
			if q.Name != path && q.Pointer != path {
				continue
			}
			o.Figure, o.Value, o.Unit, o.Error, o.Trust = q.Pointer, q.Value, q.Unit, q.Error, q.Trust()
			o.accuracy = e.Accuracy()
			if q.Trust() == evidence.Suspect {
				o.doubts = q.Reasons()
			}
			return nil
		}
	}
	value, ok := contract.Figure(result.OutputJSON(), path)
	number, isNumber := value.(float64)
	if !ok || !isNumber {
		e := contract.Errorf(contract.CodeInvalidInput, "the result of %s has no figure %q", o.Tool, path).At("/path")
		if near := contract.Nearest(path, known); near != "" {
			return e.WithHint("Did you mean %s?", near)
		}
		return e.WithHint("Give a name or a pointer of its quantities: %s.", strings.Join(known[:min(len(known), 20)], ", "))
	}
	o.Figure, o.Value, o.Trust, o.Unit = path, &number, evidence.Computed, unitBeside(result.OutputJSON(), path, stated)
	o.Reasons = append(o.Reasons, "Nothing checks this figure: it is none of the result's quantities.")
	return nil
}

// claim turns the number into the figure's unit.
func (o *output) claim(in input) error {
	v, err := in.Number.Float64()
	if err != nil {
		return contract.Errorf(contract.CodeInvalidInput, "%s is no number", in.Number).At("/number")
	}
	o.Claimed = v
	if in.Unit == "" || in.Unit == o.Unit {
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
	if angle, err := quantity.ParseIn(in.Number.String()+" "+in.Unit, quantity.Angle, o.Unit); err == nil {
		o.Claimed = angle
		return nil
	}
	if o.Claimed, err = quantity.Convert(v, in.Unit, o.Unit); err != nil {
		return contract.AsError(err).At("/unit").WithHint("The figure is in %s.", o.Unit)
	}
	return nil
}

const decibel = "dB"

func (o *output) judge(number json.Number) {
	if o.Value == nil {
		o.Verdict, o.Reasons = contradicted, append(o.Reasons, "The figure is undefined in that result.")
		return
	}
	difference := o.Claimed - *o.Value
	o.Difference = &difference
	half := rounding(number) * math.Abs(scale(number, o.Claimed))
	bar := 0.0
	value, claimed := apart(*o.Value, o.Claimed)
	said := fmt.Sprintf("The job's figure is %s %s", value, o.Unit)
	if o.Error != nil {
		bar = *o.Error
		said += fmt.Sprintf(" ± %.2g", bar)
	}
	said = strings.TrimSpace(said)
	reason := ""
	switch slack := 1e-9 * math.Abs(*o.Value); {
	case math.Abs(difference) > half+bar+slack:
		o.Verdict = contradicted
		reason = fmt.Sprintf("%s, the claim is %s: off by %.3g.", said, claimed, difference)
	case len(o.doubts) > 0:
		o.Verdict = contradicted
		reason = "The claim repeats the job's figure, but that is suspect. " + strings.Join(o.doubts, " ")
	case bar > o.accuracy*math.Abs(*o.Value) && !o.decided(difference, bar, half+slack):
		o.Verdict = undecided
		reason = fmt.Sprintf("%s, and the claim of %s lies within that error bar, but that is wider than %.0f %% of the figure, so it supports no number and contradicts only those outside of it.", said, claimed, 100*o.accuracy)
	default:
		o.Verdict = supported
		reason = fmt.Sprintf("%s, and it is %s.", said, o.Trust)
		if math.Abs(difference) > bar+slack {
			reason = fmt.Sprintf("%s, and it is %s; as it is written, the claim stands for %.6g to %.6g.", said, o.Trust, o.Claimed-half, o.Claimed+half)
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

// rounding is half a unit of the last digit of a number as it was written: 1.9
// stands for 1.85 to 1.95. Zeros at the end of a whole number may be digits or
// may only hold the place; two digits count then: 20 stands for 19.5 to 20.5, and
// 1500 for 1450 to 1550. A bare 0 has no digit that could be rounded.
func rounding(number json.Number) float64 {
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(number.String()), "e")
	power := 0
	if scientific {
		power, _ = strconv.Atoi(exponent) // a JSON number's, which may begin with 0
	}
	if dot := strings.IndexByte(mantissa, '.'); dot >= 0 {
		return 0.5 * math.Pow(10, float64(power-(len(mantissa)-dot-1)))
	}
	digits := strings.TrimLeft(mantissa, "-0")
	if digits == "" {
		return 0
	}
	counted := max(len(strings.TrimRight(digits, "0")), min(2, len(digits)))
	return 0.5 * math.Pow(10, float64(power+len(digits)-counted))
}

// scale is the factor that the unit of the claim brought.
func scale(number json.Number, converted float64) float64 {
	v, err := number.Float64()
	if err != nil || v == 0 {
		return 1
	}
	return converted / v
}

// changes tells of each input that is no longer what the job was made from.
func changes(ctx context.Context, call *contract.Call, inputs []evidence.Input) []string {
	var changed []string
	for _, in := range inputs {
		path, err := call.File(ctx, in.Reference, "/job_id")
		if err != nil {
			if contract.AsError(err).Code == contract.CodeFileNotFound && !strings.HasPrefix(in.Reference, "session:") {
				changed = append(changed, fmt.Sprintf("%s, from which the figure was made, is no longer there.", in.Reference))
			}
			continue // a file that this call may not see says nothing
		}
		if now, err := store.HashFile(path); err == nil && now != in.SHA256 {
			changed = append(changed, fmt.Sprintf("%s has changed since the figure was made from it; run the job again.", in.Reference))
		}
	}
	return changed
}
