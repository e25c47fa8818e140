package solve

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/internal/contract"
	"atelier/internal/quantity"
)

// A force in N/m is one per metre of thickness in 2-D, and nothing in 3-D or around an axis. The tool gets
// numbers, so that the texts which they were are kept beside them.

type writtenKey struct{}

// keepsTexts lets a tool see its input as it was written.
func keepsTexts(tool contract.Tool) contract.Tool {
	run := tool.Run
	tool.Run = func(ctx context.Context, call *contract.Call, input json.RawMessage) (*contract.Result, error) {
		return run(context.WithValue(ctx, writtenKey{}, input), call, input)
	}
	return tool
}

// checkForces refuses forces per length on a mesh of three dimensions, and of a body of revolution.
func (p problem) checkForces(ctx context.Context, dimension int) error {
	input, _ := ctx.Value(writtenKey{}).(json.RawMessage)
	part := "the mesh is 3-D"
	if p.axisymmetric() {
		part = "the part is a body of revolution"
	}
	if dimension != 3 && !p.axisymmetric() || input == nil {
		return nil
	}
	var written struct {
		Config struct {
			BCs   []writtenForce `json:"bcs"`
			Cases []struct {
				BCs []writtenForce `json:"bcs"`
			} `json:"cases"`
		} `json:"config"`
	}
	if err := json.Unmarshal(input, &written); err != nil {
		return fmt.Errorf("forces: %w", err) // it has been validated
	}
	if err := refuseLineLoads("/config/bcs", part, written.Config.BCs); err != nil {
		return err
	}
	for i, c := range written.Config.Cases {
		if err := refuseLineLoads(fmt.Sprintf("/config/cases/%d/bcs", i), part, c.BCs); err != nil {
			return err
		}
	}
	return nil
}

// writtenForce is the force of a condition: numbers and texts with units.
type writtenForce struct {
	Force []any `json:"force"`
}

// refuseLineLoads does so with the conditions that stand at a pointer, of such a part.
func refuseLineLoads(at, part string, conditions []writtenForce) error {
	for i, bc := range conditions {
		for k, component := range bc.Force {
			said, ok := component.(string)
			if !ok {
				continue
			}
			if _, err := quantity.ParseAs(said, quantity.LineLoad); err != nil {
				continue
			}
			e := contract.Errorf(contract.CodeInvalidInput, "%q is a force per length, and %s: the total force in N is wanted", said, part).
				At(fmt.Sprintf("%s/%d/force/%d", at, i, k)).
				WithHint("Multiply it by the length that it acts along, and write it as %s. In N/m it is a force of a 2-D part, per metre of thickness.", quantity.Force.Example)
			e.Expected, e.Actual = "a force, such as "+quantity.Force.Example, said
			return e
		}
	}
	return nil
}
