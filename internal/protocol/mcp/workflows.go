package mcp

import (
	"maps"
	"slices"
)

// workflow is a prompt: the steps of a common task, in tools that the view must
// have. {{x}} in its text is the argument x; {{tool:fea.solve}} a tool's shown name.
type workflow struct {
	name, title, description string
	needs                    []string // canonical names
	arguments                []workflowArgument
	text                     string
}

type workflowArgument struct {
	name, description string
	otherwise         string // what stands for an absent one; "" makes it required
	values            []string
}

// materials with E, nu, rho, k, cp in SI and the yield strength: handbook values
// of common grades, rounded (S235JR of EN 10025-2, EN AW-6061-T6, 1.4301,
// Ti-6Al-4V, ABS).
var materials = map[string]string{
	"steel S235":      "E 210 GPa, nu 0.3, density 7850 kg/m3, conductivity 54 W/(m K), specific heat 465 J/(kg K), yield 235 MPa",
	"aluminium 6061":  "E 68.9 GPa, nu 0.33, density 2700 kg/m3, conductivity 167 W/(m K), specific heat 896 J/(kg K), yield 276 MPa",
	"stainless 304":   "E 193 GPa, nu 0.29, density 8000 kg/m3, conductivity 16.2 W/(m K), specific heat 500 J/(kg K), yield 215 MPa",
	"titanium 6Al-4V": "E 113.8 GPa, nu 0.342, density 4430 kg/m3, conductivity 6.7 W/(m K), specific heat 526 J/(kg K), yield 880 MPa",
	"ABS":             "E 2.2 GPa, nu 0.37, density 1050 kg/m3, conductivity 0.17 W/(m K), specific heat 1400 J/(kg K), yield 40 MPa",
}

var materialNames = slices.Sorted(maps.Keys(materials))

const (
	meshing = "1. {{tool:cad_import_truck}} with file_path {{part}}. Note length_unit, the bounding box and the named faces.\n" +
		"2. {{tool:volume_mesh_cad}} with the same file_path: curved elements on the exact faces. Each CAD face becomes a boundary attribute: faces lists them with their names.\n" +
		"3. Only if step 2 fails or its engine is missing: {{tool:mesh_repair_pmp}} on the artifact of step 1, then {{tool:volume_mesh_quartet}} on the surface. Say in the report that the mesh follows the faces only roughly.\n"
	rendering = "5. {{tool:render_pack_vtk}} on the fields of step 4.\n"
	reporting = "Give the figures with their units and what evidence.trust and its checks say of each; say plainly what was assumed. " +
		"Pass artifacts from step to step by their artifact_url or link. A failed call lists all its faults with hints: mend them all and call again."
)

var (
	partArgument     = workflowArgument{name: "part", description: "The STEP file: a path the server may read, file:<id> of an upload, or an artifact's URL."}
	materialArgument = workflowArgument{name: "material", description: "Its material.", otherwise: "steel S235", values: materialNames}
	pipeline         = []string{"cad_import_truck", "volume_mesh_cad", "mesh_repair_pmp", "volume_mesh_quartet", "render_pack_vtk"}
)

var workflows = []workflow{
	{
		name: "stress_of_a_part", title: "Stress of a STEP part",
		description: "From a STEP file to stresses and deformation under a load, with a picture.",
		needs:       append([]string{"fea.solve"}, pipeline...),
		arguments: []workflowArgument{partArgument, materialArgument,
			{name: "load", description: "The load, and where it acts: \"1000 N downwards on the top face\"."},
			{name: "fixed", description: "Where the part is held.", otherwise: "the face at the lowest z"}},
		text: "Find the stresses and the deformation of the part {{part}}, made of {{material}} ({{material:properties}}), under this load: {{load}}. It is held at: {{fixed}}.\n\n" +
			meshing +
			"4. {{tool:fea.solve}} on the mesh, with solver_class LinearElasticity: the material, one bc of type fixed and one of type load. Choose the boundary by attribute, face name or place.\n" +
			rendering + "\nCompare the largest von Mises stress with the yield strength, unless the error estimate calls the peak singular. " + reporting,
	},
	{
		name: "heat_in_a_part", title: "Heat in a part",
		description: "From a STEP file to temperatures and heat flows, with a picture.",
		needs:       append([]string{"heat.solve"}, pipeline...),
		arguments: []workflowArgument{partArgument, materialArgument,
			{name: "hot", description: "The heat source and its place: \"350 K on the bottom face\"."},
			{name: "cold", description: "Where the heat goes.", otherwise: "convection with 10 W/(m2 K) to air of 293.15 K on all other faces"}},
		text: "Find the temperatures in the part {{part}}, made of {{material}} ({{material:properties}}). Heat comes in: {{hot}}. It goes out: {{cold}}.\n\n" +
			meshing +
			"4. {{tool:heat.solve}} with conductivity, specific heat and density, and a bc for each place (fixed_temp, heat_flux, convection). Steady, unless the time matters.\n" +
			rendering + "\nCheck that the heat balance closes. " + reporting,
	},
	{
		name: "flow_in_a_channel", title: "Laminar flow",
		description: "Incompressible laminar flow through a part's inner volume: speeds and pressure drop.",
		needs:       append([]string{"cfd.solve"}, pipeline...),
		arguments: []workflowArgument{
			{name: "part", description: "STEP file of the fluid's volume: a path, file:<id> or an artifact's URL."},
			{name: "fluid", description: "The fluid.", otherwise: "water at 20 °C", values: []string{"air at 20 °C", "oil (100 mPa s)", "water at 20 °C"}},
			{name: "inlet", description: "Speed or flow rate, and the face where it enters."},
			{name: "outlet", description: "The face where it leaves.", otherwise: "the face opposite the inlet, at zero pressure"}},
		text: "Find the flow of {{fluid}} through {{part}}. Inlet: {{inlet}}. Outlet: {{outlet}}. All other faces are walls.\n\n" +
			meshing +
			"4. {{tool:cfd.solve}} with the dynamic viscosity and the density. There is no turbulence model: stop and say so where the Reynolds number is beyond the laminar range.\n" +
			rendering + "\nReport the pressure drop, the largest speed, the Reynolds number, and whether the flow rates in and out agree. " + reporting,
	},
	{
		name: "simulate_a_circuit", title: "Circuit simulation",
		description: "Operating point, frequency response or waveform of a circuit.",
		needs:       []string{"circuits.simulate"},
		arguments: []workflowArgument{
			{name: "circuit", description: "What the circuit is, or its SPICE netlist."},
			{name: "question", description: "What is to be found.", otherwise: "the operating point",
				values: []string{"the frequency response", "the operating point", "the step response", "the cut-off frequency"}}},
		text: "Circuit:\n{{circuit}}\n\nFind: {{question}}.\n\n" +
			"1. Write the SPICE netlist, with ground as node 0 and every value with its unit.\n" +
			"2. {{tool:circuits.simulate}} with the netlist, the analysis (op, ac, tran or dc) and the probes that the question needs.\n" +
			"3. Check the answer against a hand calculation where one is possible (f = 1/(2 pi R C) for one pole, the divider rule).\n\n" + reporting,
	},
	{
		name: "notebook_lesson", title: "Notebook lesson",
		description: "A teaching notebook with explanations, runnable code and questions, validated.",
		needs:       []string{"notebook.add_dependency", "notebook.emit_markdown_step", "notebook.emit_code_cell", "notebook.record_assessment", "notebook.finalize", "validator.run_quality", "validator.run_colab"},
		arguments: []workflowArgument{
			{name: "topic", description: "What the lesson is about."},
			{name: "audience", description: "Who it is for.", otherwise: "beginners", values: []string{"beginners", "experts", "practitioners"}}},
		text: "Build a notebook lesson on {{topic}} for {{audience}}.\n\n" +
			"1. {{tool:notebook.add_dependency}} for each package, before any code uses it.\n" +
			"2. For each section {{tool:notebook.emit_markdown_step}} with an explanation, then {{tool:notebook.emit_code_cell}} with code that runs.\n" +
			"3. {{tool:notebook.record_assessment}} with questions on what was taught.\n" +
			"4. {{tool:notebook.finalize}}, exactly once.\n" +
			"5. {{tool:validator.run_quality}} and {{tool:validator.run_colab}} on the notebook. Revise the sections at fault while meetsStandards is false; where Colab issues stay, stop and ask for a person's review.\n\n" +
			"After two errors of the same tool in a row, stop and report them.",
	},
}
