package solve

import (
	"context"
	_ "embed"

	"atelier/internal/contract"
	"atelier/internal/engine"
)

// Tools lists the family's tools.
func Tools(host engine.Host) []contract.Tool {
	tools := []contract.Tool{feaSolve(host), heatSolve(host), cfdSolve(host)}
	for i := range tools {
		tools[i].Available = func() error { return host.Check(engineName) }
	}
	return tools
}

// requireClass accepts an absent class, or the tool's own in any spelling.
func requireClass(given, own string) error {
	if given == "" {
		return nil
	}
	if class, ok := className(given); !ok || class != own {
		return contract.Errorf(contract.CodeInvalidInput, "this tool solves %s, not %q", own, given).
			At("/solver_class").WithHint("Leave solver_class out, or call fea.solve.")
	}
	return nil
}

//go:embed fea_solve.json
var feaContract []byte

//go:embed fea_solve.1.0.json
var feaContract10 []byte

//go:embed fea_solve.1.1.json
var feaContract11 []byte

// FeaInput is the input of fea.solve.
type FeaInput struct {
	SolverClass string    `json:"solver_class"`
	Mesh        MeshRef   `json:"mesh"`
	Config      FeaConfig `json:"config"`
}

// Conditional implements contract.Conditional: the engine completes config, by
// the class that it solves.
func (*FeaInput) Conditional() []string { return []string{"/config"} }

func feaSolve(host engine.Host) contract.Tool {
	return keepsTexts(contract.Bind(feaContract, func(ctx context.Context, call *contract.Call, in FeaInput) (*contract.Result, error) {
		class, ok := className(in.SolverClass)
		if !ok {
			return nil, contract.Errorf(contract.CodeInvalidInput, "there is no solver class %q", in.SolverClass).
				At("/solver_class").WithHint("fea.solve knows LinearElasticity, Poisson, HeatTransfer and NavierStokes.")
		}
		if err := checkCases(class, in.Config); err != nil {
			return nil, err
		}
		var named taken
		if err := named.elastic(in.Config.Materials, in.Config.Density); err != nil {
			return nil, err
		}
		if err := in.heat(class, &named); err != nil {
			return nil, err
		}
		if t := in.Config.Temperature; t != nil && t.Heat != nil {
			if err := named.heatOf(t.Heat, in.Config.Materials, "/config/temperature/heat"); err != nil {
				return nil, err
			}
		}
		return run(ctx, host, call, class, in.Mesh, in.Config, named)
	}, feaContract10, feaContract11))
}

// heat completes the one material of conduction: those of bodies are elastic here.
func (in *FeaInput) heat(class string, named *taken) error {
	c := &in.Config
	if class == classHeat && len(c.Materials) > 0 {
		return contract.Errorf(contract.CodeInvalidInput, "fea.solve conducts heat in one material, and materials are elastic ones").
			At("/config/materials").WithHint("Call heat.solve, which takes materials of conduction by body, or give conductivity here.")
	}
	one := HeatMaterial{Material: c.Material, Conductivity: constant(c.Conductivity), SpecificHeat: constant(c.SpecificHeat), Density: c.Density}
	err := named.conducting(&one, "/config", c.Steady)
	c.Conductivity, c.SpecificHeat, c.Density = one.Conductivity.number(), one.SpecificHeat.number(), one.Density
	return err
}

//go:embed heat_solve.json
var heatContract []byte

//go:embed heat_solve.1.0.json
var heatContract10 []byte

// HeatInput is the input of heat.solve.
type HeatInput struct {
	SolverClass string     `json:"solver_class,omitempty"`
	Mesh        MeshRef    `json:"mesh"`
	Config      HeatConfig `json:"config"`
}

// Conditional implements contract.Conditional, as FeaInput does.
func (*HeatInput) Conditional() []string { return []string{"/config"} }

func heatSolve(host engine.Host) contract.Tool {
	return contract.Bind(heatContract, func(ctx context.Context, call *contract.Call, in HeatInput) (*contract.Result, error) {
		if err := requireClass(in.SolverClass, classHeat); err != nil {
			return nil, err
		}
		var named taken
		if err := named.heat(&in.Config.HeatProblem, "/config"); err != nil {
			return nil, err
		}
		return run(ctx, host, call, classHeat, in.Mesh, in.Config, named)
	}, heatContract10)
}

//go:embed cfd_solve.json
var cfdContract []byte

// CfdInput is the input of cfd.solve.
type CfdInput struct {
	SolverClass string     `json:"solver_class,omitempty"`
	Mesh        MeshRef    `json:"mesh"`
	Config      FlowConfig `json:"config"`
}

// Conditional implements contract.Conditional, as FeaInput does.
func (*CfdInput) Conditional() []string { return []string{"/config"} }

func cfdSolve(host engine.Host) contract.Tool {
	return contract.Bind(cfdContract, func(ctx context.Context, call *contract.Call, in CfdInput) (*contract.Result, error) {
		if err := requireClass(in.SolverClass, classFlow); err != nil {
			return nil, err
		}
		return run(ctx, host, call, classFlow, in.Mesh, in.Config, taken{})
	})
}
