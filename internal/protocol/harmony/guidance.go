package harmony

import (
	"slices"
	"strings"

	"atelier/internal/contract"
)

// The developer text of api/spec/notebooks.md.
const (
	notebookGuidance = "Always call `notebook.add_dependency` before referencing a package in code. All sections must include both markdown explanations and runnable code. " +
		"Use `notebook.finalize` exactly once per run."
	validatorGuidance = "If `validator.run_quality` returns `meetsStandards = false`, revise the offending sections before proceeding. " +
		"If Colab issues persist after auto-fix, halt generation and request human review."
	errorGuidance = "Do not retry in a loop: after two consecutive `status = \"error\"` responses for the same tool, stop calling it and escalate to the orchestrator, with the `error_code` and `error_message` of the last one."
)

// What holds for every tool.
const commonGuidance = "Call a tool on the commentary channel, with one JSON object as its arguments. Every tool answers with a JSON object that has `status` (`ok` or `error`); `messages` are warnings to pass on. " +
	"On `error`, read `error_message` and the `hint` of each of `errors`, correct the call, and send it again.\n" +
	"Where an answer has `artifact_url`, give that URL to the next tool as its file. Where it has `evidence`, state its `trust` together with the figure, and quote no figure whose trust is `suspect`."

// Instructions is the developer text for a set of tools: that of api/spec/notebooks.md
// where its tools are among them, and what holds for all.
func Instructions(tools *contract.Registry) string {
	var parts []string
	if has(tools, "notebook") {
		parts = append(parts, "General guidance: "+notebookGuidance)
	}
	if has(tools, "validator") {
		parts = append(parts, "Validator guidance: "+validatorGuidance)
	}
	return strings.Join(append(parts, "Tools: "+commonGuidance, "Error handling: "+errorGuidance), "\n\n")
}

func has(tools *contract.Registry, namespace string) bool {
	return slices.ContainsFunc(tools.All(), func(t *contract.Tool) bool {
		ns, _ := Name(t.Contract)
		return ns == namespace
	})
}
