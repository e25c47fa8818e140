package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"atelier/internal/contract"
)

// recover does about a failed call what the routing table says, as often as it
// allows for one input file, and returns the outcome that stands in the end,
// under the call that the model has made. notes tell what was done.
func (x *turn) recover(ctx context.Context, o Outcome) (Outcome, []string, error) {
	asked := o.Call
	var notes []string
	for {
		fault := o.Err()
		if fault == nil || o.Job == nil {
			break
		}
		route, known := RouteOf(fault.Code)
		key := fault.Code + " " + fileOf(asked.Input)
		if !known || route.Escalates() || x.script.Tried[key] >= route.RetryLimit {
			break
		}
		steps := remedy(fault, o.Call)
		if len(steps) == 0 || !x.offers(steps) {
			break
		}
		x.script.Tried[key]++
		next, err := x.runRemedy(ctx, steps, route.Action)
		if err != nil {
			return o, notes, err
		}
		notes = append(notes, note(o, fault, route, next))
		o = next
	}
	shown := *o.Call
	shown.ID = asked.ID
	o.Call = &shown
	return o, notes, nil
}

func note(o Outcome, fault *contract.Error, route ErrorRoute, next Outcome) string {
	text := fmt.Sprintf("%s failed with %s (%s); by the rule %s %s was called", o.Call.Name, fault.Code, fault.Message, route.Action, next.Call.Name)
	if next.Job != nil {
		text += " as job " + next.Job.ID + " with " + cut(string(next.Call.Input), 500)
	}
	return text + "."
}

// fix is one call of a remedy; its input may need the result of the one before.
type fix struct {
	tool  string
	input func(before Outcome) (json.RawMessage, error)
}

func (x *turn) offers(steps []fix) bool {
	for _, s := range steps {
		if _, err := x.conversation.Tools.Reach.Available().Find(s.tool); err != nil {
			return false
		}
	}
	return true
}

// runRemedy makes the calls of a remedy, mending those that fail by the table too.
func (x *turn) runRemedy(ctx context.Context, steps []fix, action string) (o Outcome, err error) {
	for _, s := range steps {
		tool, err := x.conversation.Tools.Reach.Find(s.tool)
		if err != nil {
			return o, err
		}
		input, err := s.input(o)
		if err != nil {
			return o, err
		}
		if o, err = x.single(ctx, tool, input, action); err != nil {
			return o, err
		}
		if o.Err() != nil && len(steps) > 1 {
			if o, _, err = x.recover(ctx, o); err != nil {
				return o, err
			}
		}
		if o.Err() != nil {
			return o, nil
		}
	}
	return o, nil
}

// remedy is what the table's row for an error means for the call that met it;
// nil where it means no call.
func remedy(fault *contract.Error, c *Call) []fix {
	var input map[string]json.RawMessage
	if json.Unmarshal(c.Input, &input) != nil {
		return nil
	}
	again := func(changes map[string]any) []fix {
		return []fix{{c.Name, func(Outcome) (json.RawMessage, error) { return with(input, changes) }}}
	}
	var dx float64
	_ = json.Unmarshal(input["dx"], &dx) // 0 where the mesher chose it
	switch fault.Code {
	case contract.CodeNotWatertight:
		return repairFirst(c.Name, input)
	case contract.CodeInvalidDx, contract.CodeDxTooCoarse:
		if dx = mendedDX(fault, dx); dx > 0 {
			return again(map[string]any{"dx": dx})
		}
	case contract.CodeHoleTooLarge:
		return again(map[string]any{"resolve_intersections": true})
	case contract.CodeHeadlessContextFailed, contract.CodeBufferExtractionFailed:
		return again(map[string]any{"output_depth": false, "output_normal": false})
	}
	return nil
}

// farthest is how many times as coarse as asked for a remedy may make a mesh. One
// with a hundredth of the elements answers another question, at the highest price
// that the mesher's limit allows: whoever asked has to choose.
const farthest = 4

// mendedDX is the dx for another try; 0 where none is known, or none that is near
// the one asked for. How far it is follows from the elements, as dx may have a unit.
func mendedDX(fault *contract.Error, dx float64) float64 {
	if fault.Code == contract.CodeDxTooCoarse {
		return detail(fault, "suggested_dx")
	}
	smallest, most := detail(fault, "smallest_dx"), detail(fault, "max_tetrahedra")
	switch {
	case most > 0 && math.Cbrt(detail(fault, "estimated_tetrahedra")/most) > farthest:
		return 0
	case smallest > 0:
		return smallest * 1.05
	}
	return 2 * dx
}

// repairFirst sends the call's surface through the repair, then makes the call
// with the repaired file.
func repairFirst(tool string, input map[string]json.RawMessage) []fix {
	mesh := map[string]json.RawMessage{}
	for _, name := range []string{"input_path", "length_unit"} {
		if v, ok := input[name]; ok {
			mesh[name] = v
		}
	}
	return []fix{
		{"mesh_repair_pmp", func(Outcome) (json.RawMessage, error) { return with(mesh, nil) }},
		{tool, func(repaired Outcome) (json.RawMessage, error) {
			var output struct {
				URL string `json:"artifact_url"`
			}
			if err := json.Unmarshal(repaired.Job.Result.OutputJSON(), &output); err != nil || output.URL == "" {
				return nil, contract.Errorf(contract.CodeInvalidToolOutput, "the answer of the repair names no file")
			}
			return with(input, map[string]any{"input_path": output.URL})
		}},
	}
}

// with is an input with some of its arguments changed.
func with(input map[string]json.RawMessage, changes map[string]any) (json.RawMessage, error) {
	all := map[string]any{}
	for k, v := range input {
		all[k] = v
	}
	for k, v := range changes {
		all[k] = v
	}
	return json.Marshal(all)
}

func fileOf(input json.RawMessage) string {
	var file struct {
		Path string `json:"input_path"`
	}
	if json.Unmarshal(input, &file) != nil || file.Path == "" {
		return string(input)
	}
	return file.Path
}
