package claim

import (
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

// find looks the figure up by its name or pointer.
func (o *output) find(result *contract.Result, path string) error {
	if o.Tool == ownName {
		return o.ofRecord(result, path)
	}
	var stated []evidence.Quantity
	if e := result.Evidence; e != nil {
		stated = e.Quantities()
		o.Inputs = append(o.Inputs, e.Inputs()...)
		if i := listed(stated, path); i >= 0 {
			o.take(stated[i], e.Accuracy())
			o.against = e.Contradicted(stated[i].Pointer)
			return nil
		}
	}
	value, ok := contract.Figure(result.OutputJSON(), path)
	number, isNumber := value.(float64)
	if !ok || !isNumber {
		return o.noFigure(stated, path)
	}
	o.Figure, o.Value, o.Trust, o.Unit = path, &number, evidence.Computed, unitBeside(result.OutputJSON(), path, stated)
	o.Reasons = append(o.Reasons, "Nothing checks this figure: it is none of the result's quantities.")
	if result.Evidence != nil {
		o.unlisted(result.Evidence, result.OutputJSON())
	} else {
		o.Inputs = append(o.Inputs, result.Inputs...)
		if trust, reasons := result.Trust(); trust == evidence.Suspect {
			o.Trust, o.doubts = trust, reasons
		}
	}
	return nil
}

var inQuantities = regexp.MustCompile(`^/quantities/(0|[1-9]\d*)/(.+)$`)

// listed is the index of the quantity of a name or pointer; -1 for none. The list of
// quantities in the output holds each of them once more.
func listed(stated []evidence.Quantity, path string) int {
	if m := inQuantities.FindStringSubmatch(path); m != nil && m[2] == "value" {
		if i, err := strconv.Atoi(m[1]); err == nil && i < len(stated) {
			return i
		}
	}
	return slices.IndexFunc(stated, func(q evidence.Quantity) bool { return q.Name == path || q.Pointer == path })
}

func (o *output) take(q evidence.Quantity, accuracy float64) {
	o.Figure, o.Value, o.Unit, o.Error, o.Trust = q.Pointer, q.Value, q.Unit, q.Error, q.Trust()
	o.accuracy, o.scale, o.name = accuracy, math.Abs(q.Scale), q.Name
	if q.Trust() == evidence.Suspect {
		o.doubts = q.Reasons()
	}
}

func (o *output) noFigure(stated []evidence.Quantity, path string) error {
	var known []string
	for _, q := range stated {
		known = append(known, q.Name, q.Pointer)
	}
	e := contract.Errorf(contract.CodeInvalidInput, "the result of %s has no figure %q", o.Tool, path).At("/path")
	if near := contract.Nearest(path, known); near != "" {
		return e.WithHint("Did you mean %s?", near)
	}
	if len(known) == 0 {
		return e.WithHint("It states no quantities: give a JSON pointer to a number of its output.")
	}
	return e.WithHint("Give a name or a pointer of its quantities: %s.", strings.Join(known[:min(len(known), 20)], ", "))
}

// unlisted lowers the trust of a number that is no quantity: by the checks that failed
// about its place and by what the result was made from, by the suspect quantity that it
// repeats or whose field it describes. In a result that is suspect elsewhere no claim
// is supported by a number that nothing checks.
func (o *output) unlisted(e *evidence.Evidence, text json.RawMessage) {
	record := strings.HasPrefix(o.Figure, "/evidence/") // what a check measured, failed or not
	if trust, reasons := e.At(o.Figure); trust.Below(o.Trust) && !record {
		o.Trust, o.doubts, o.against = trust, reasons, e.Contradicted(o.Figure)
		return
	}
	for i, q := range e.Quantities() {
		why := ""
		switch m := inQuantities.FindStringSubmatch(o.Figure); {
		case q.Trust() != evidence.Suspect:
			continue
		case m != nil && m[1] == strconv.Itoa(i):
			why = fmt.Sprintf("It belongs to the quantity %q, which is suspect.", q.Name)
		case o.repeats(q):
			why = fmt.Sprintf("It is the number of the quantity %q, which is suspect.", q.Name)
		case ofSameField(o.Figure, q, text):
			why = fmt.Sprintf("It is an extreme of the field that the quantity %q describes, which is suspect.", q.Name)
		default:
			continue
		}
		o.Trust, o.doubts, o.against = evidence.Suspect, append([]string{why}, q.Reasons()...), e.Contradicted(q.Pointer)
		return
	}
	if e.Trust() == evidence.Suspect {
		o.beside = strings.TrimSpace("The result that it stands in is suspect. " + strings.Join(e.Reasons()[:min(1, len(e.Reasons()))], ""))
	}
}

// mostCount is the size below which a whole number without a unit may be a count that
// a quantity is equal to by chance.
const mostCount = 1e6

// repeats says that the number is that of a quantity, in its unit or in another one:
// outputs show ten digits.
func (o *output) repeats(q evidence.Quantity) bool {
	if q.Value == nil {
		return false
	}
	value := *q.Value
	if o.Unit != "" && o.Unit != q.Unit {
		var err error
		if value, err = quantity.Convert(value, q.Unit, o.Unit); err != nil {
			return false
		}
	}
	chance := *o.Value == math.Trunc(*o.Value) && math.Abs(*o.Value) < mostCount
	return math.Abs(*o.Value-value) <= 1e-9*math.Abs(value) && (o.Unit != "" || !chance)
}

var ofFields = regexp.MustCompile(`^(/fields/\d+)/(?:min|max|mean|value)$`)

// ofSameField says that a pointer leads to an extreme of the field that a quantity
// describes: /fields/1/min of von_mises, beside /von_mises/max or /max_displacement.
func ofSameField(figure string, q evidence.Quantity, text json.RawMessage) bool {
	m := ofFields.FindStringSubmatch(figure)
	if m == nil {
		return false
	}
	found, _ := contract.Figure(text, m[1]+"/name")
	name, _ := found.(string)
	first, _, _ := strings.Cut(strings.TrimPrefix(q.Pointer, "/"), "/")
	return name != "" && strings.TrimPrefix(strings.TrimPrefix(first, "max_"), "min_") == name
}

// ownName is this tool: a job of it repeats the figure of another job.
const ownName = "verify_claim"

// ofRecord takes the figure that an earlier claim was held against for what it was
// found to be: a claim of a claim is one of that figure.
func (o *output) ofRecord(result *contract.Result, path string) error {
	var r output
	if err := json.Unmarshal(result.OutputJSON(), &r); err != nil {
		return o.noFigure(nil, path)
	}
	value, trust := r.Value, r.Trust
	switch path {
	case "/value":
		o.Error = r.Error
	case "/error": // nothing checks the bar itself
		value, trust = r.Error, evidence.Weakest(trust, evidence.Computed)
	default:
		return contract.Errorf(contract.CodeInvalidInput, "%q of a job of %s is what somebody claimed, or follows from it: it is no figure", path, ownName).At("/path").
			WithHint("Give the job of %s, and %s as the path.", r.Tool, r.Figure)
	}
	o.Figure, o.Value, o.Unit, o.Trust, o.accuracy = path, value, r.Unit, trust, evidence.DefaultAccuracy
	o.Inputs = append(o.Inputs, r.Inputs...)
	o.Reasons = append(o.Reasons, fmt.Sprintf("It is that of %s at %s, as a job of %s found it.", r.Tool, r.Figure, ownName))
	if r.Trust == evidence.Suspect {
		o.doubts, o.against = r.Reasons, r.Verdict == contradicted
	} else if r.Verdict == stale {
		o.outdated = r.Reasons[:min(1, len(r.Reasons))]
	}
	return nil
}
