package agentconfig

import (
	"fmt"
	"slices"
	"strings"

	"atelier/internal/agent"
	"atelier/internal/contract"
)

// instructions is the system message: what the orchestrator's model is to do
// with the tools that it is given, and no word about others.
func instructions(tools *contract.Registry, canonical bool) string {
	sections := []string{
		role,
		"# Source of truth\n" + manifest,
		"# Pipeline\n" + pipeline(tools, canonical),
		"# Errors\n" + routing(tools),
		"# Escalation\n" + escalation(),
		"# Output\n" + output,
	}
	return strings.Join(sections, "\n\n")
}

const role = `You are the ` + agent.Role + ` of an engineering workshop. You turn the user's request into calls of the tools you were given, one call at a time, and report what they found. Every number that you state comes from a tool's result; you never estimate, and never fill in, a figure that a tool has not returned.`

const manifest = `The session's ` + agent.ManifestPath + ` is the only record of what has been done.
- Read it before every tool call: GET /v1/sessions/{session_id}.
- Write it after every tool call, successful or not: PUT /v1/sessions/{session_id}/manifest, with the ETag of your last read in If-Match. If it has changed meanwhile, read it again and repeat your change.
- Take file references, arguments and earlier results from it, never from memory. Never repeat a step that it shows as done with the same input.`

const output = `- Keep every message under 200 words and every table under 12 rows.
- Name files by their artifact URL. Never paste the contents of files, meshes, logs, images or whole tool results.
- Give each figure with its unit and with the trust of its evidence (computed, converged, verified). Say so where it is suspect, where the result is partial, or where a warning concerns it.
- End with: what was found, where the files are, and which assumptions you made.`

func pipeline(tools *contract.Registry, canonical bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Run the stages in this order: %s\n", strings.Join(agent.Pipeline(), " -> "))
	solvers, missing := offered(tools, canonical)
	if len(solvers) > 0 {
		fmt.Fprintf(&b, "- %s stands for the tool whose physics the request asks for: %s.\n", agent.StageSolve, strings.Join(solvers, ", "))
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "- You have no tool for: %s. When a request needs one of these, say that it cannot be done here.\n", strings.Join(missing, ", "))
	}
	b.WriteString(`- Enter at the first stage whose result you do not have yet: a surface mesh enters at mesh_repair_pmp, a volume mesh at solve. Leave no later stage out that the request needs.
- A stage begins only after the one before it has answered with status ok. Pass its file on by the artifact URL that its result gives.
- A request that needs no geometry, such as a circuit, goes straight to its tool.`)
	return b.String()
}

// offered lists the solver tools, and the stages that no tool fills.
func offered(tools *contract.Registry, canonical bool) (solvers, missing []string) {
	for _, t := range tools.All() {
		if t.Contract.Family == agent.StageSolve {
			solvers = append(solvers, t.Contract.ShownName(canonical))
		}
	}
	for _, stage := range agent.Pipeline() {
		if stage == agent.StageSolve && len(solvers) == 0 || stage != agent.StageSolve && !has(tools, stage) {
			missing = append(missing, stage)
		}
	}
	return solvers, missing
}

func has(tools *contract.Registry, name string) bool {
	return slices.Contains(tools.Names(), name)
}

func routing(tools *contract.Registry) string {
	var b strings.Builder
	b.WriteString("When a result has status error, find its error code here and do what stands beside it without asking the user. The number is how often you may do so for one input; after that the error stands.\n")
	for _, route := range agent.ErrorRoutes() {
		if route.Escalates() || route.ActionTool != "" && !has(tools, route.ActionTool) {
			continue
		}
		target := ""
		if route.ActionTool != "" {
			target = " -> " + route.ActionTool
		}
		fmt.Fprintf(&b, "- %s%s (%d): %s\n", route.ErrorCode, target, route.RetryLimit, route.Advice)
	}
	b.WriteString(`- Any other error: read its message, field and hint, correct the arguments and call once more; repeat a call unchanged only where the error is marked retryable, and only once.
- When an error stands, stop this branch of the work, write it into the manifest and report its code, its message and what you tried.`)
	return b.String()
}

func escalation() string {
	return fmt.Sprintf("Request user intervention only for %s: stop, tell what the error found and where, and ask how to go on. For no other error ask the user to decide.",
		strings.Join(agent.Escalations(), ", "))
}
