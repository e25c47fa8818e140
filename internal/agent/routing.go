package agent

import (
	"slices"

	"atelier/internal/contract"
)

// Role is the name of the part that an orchestrator plays, as
// GET /v1/agent/config tells it.
const Role = "orchestration_agent"

// ManifestPath is the file of a session that is its source of truth.
const ManifestPath = "manifest.json"

// StageSolve is the stage of the pipeline that any of the solver tools fills;
// every other stage is the name of its tool.
const StageSolve = "solve"

// Pipeline lists the stages from a CAD file to a picture, in their order.
func Pipeline() []string {
	return []string{"cad_import_truck", "mesh_repair_pmp", "volume_mesh_quartet", StageSolve, "render_pack_vtk"}
}

// ErrorRoute says what to do about an error of a tool without asking anyone.
type ErrorRoute struct {
	ErrorCode  string `json:"error_code"`
	Action     string `json:"action"`
	ActionTool string `json:"action_tool,omitempty"` // the tool to call; "" where none is
	RetryLimit int    `json:"retry_limit"`           // how often for one input; then the error stands
	// Unavailable says in words why this server does not take the row: it has no
	// such tool, and none that raises the error.
	Unavailable string `json:"unavailable,omitempty"`
	// Advice tells the action as an instruction to a model.
	Advice string `json:"-"`
}

const actionEscalate = "stop_and_request_user_intervention"

// ErrorRoutes is the routing table, in a fixed order.
func ErrorRoutes() []ErrorRoute { return slices.Clone(errorRoutes) }

// RouteOf finds the route of an error code.
func RouteOf(code string) (ErrorRoute, bool) {
	i := slices.IndexFunc(errorRoutes, func(r ErrorRoute) bool { return r.ErrorCode == code })
	if i < 0 {
		return ErrorRoute{}, false
	}
	return errorRoutes[i], true
}

// Escalations lists the errors that only a person can decide about.
func Escalations() []string {
	var codes []string
	for _, r := range errorRoutes {
		if r.Escalates() {
			codes = append(codes, r.ErrorCode)
		}
	}
	return codes
}

// Escalates says that the error must be put to a person.
func (r ErrorRoute) Escalates() bool { return r.Action == actionEscalate }

// noPrimitives stands at the rows of dsl_fit_open3d, which api/spec/agent.md's server has.
const noPrimitives = "This server has no dsl_fit_open3d and no other tool that fits primitives, so that nothing here raises this error."

var errorRoutes = []ErrorRoute{
	{contract.CodeNotWatertight, "route_surface_mesh_to_repair_then_retry_volume_mesh", "mesh_repair_pmp", 1, "",
		"Send the same surface mesh through mesh_repair_pmp, then call volume_mesh_quartet again with the repaired file."},
	{contract.CodeInvalidDx, "increase_dx_and_retry_volume_mesh", "volume_mesh_quartet", 1, "",
		"Call volume_mesh_quartet again with a larger dx; take the one that the error suggests, else double it."},
	{contract.CodeHoleTooLarge, "retry_mesh_repair_with_intersection_resolution_then_retry_volume_mesh", "mesh_repair_pmp", 1, "",
		"Call mesh_repair_pmp again with resolve_intersections true, then volume_mesh_quartet with its file."},
	{contract.CodeHeadlessContextFailed, "retry_render_with_color_only", "render_pack_vtk", 1, "",
		"Call render_pack_vtk again with output_depth false and output_normal false, so that it makes colour pictures only."},
	{contract.CodeBufferExtractionFailed, "disable_depth_and_normal_buffers_and_retry_render", "render_pack_vtk", 1, "",
		"Call render_pack_vtk again with output_depth false and output_normal false."},
	{"ERR_POINTCLOUD_GENERATION_FAILED", "skip_primitive_fitting_and_continue_pipeline", "", 0, noPrimitives,
		"Leave the fitting of primitives out and go on with the pipeline."},
	{"ERR_PRIMITIVE_FIT_TIMEOUT", "relax_ransac_parameters_and_retry_primitive_fitting", "dsl_fit_open3d", 1, noPrimitives,
		"Leave the fitting of primitives out and go on with the pipeline; this server has no tool that fits them."},
	{contract.CodeNonManifoldUnresolvable, actionEscalate, "", 0, "",
		"Stop. Tell the user what the error found and where, and ask how to go on."},
	{contract.CodeDxTooCoarse, "decrease_dx_and_retry_volume_mesh", "volume_mesh_quartet", 1, "",
		"Call volume_mesh_quartet again with the dx that the error's details give as suggested_dx."},
}
