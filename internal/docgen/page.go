// Package docgen makes the pages of docs/tools from the contracts: one
// Markdown page a tool, and an index by family. It is a projection like the
// protocols, so that the pages say what the program does.
package docgen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/internal/agent"
	"atelier/internal/contract"
	"atelier/internal/protocol/harmony"
)

const notice = "<!-- Made by `make generate` from the tool's contract: do not edit. -->\n"

// Pages are the files of the folder, by name: README.md and one a tool. Error:
// a schema that cannot be read, with the tool's name.
func Pages(tools *contract.Registry) (map[string]string, error) {
	pages := map[string]string{"README.md": index(tools)}
	for _, t := range tools.All() {
		page, err := toolPage(t.Contract)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Contract.Name, err)
		}
		pages[fileName(t.Contract)] = page
	}
	return pages, nil
}

func fileName(c *contract.Contract) string { return c.Name + ".md" }

func toolPage(c *contract.Contract) (string, error) {
	input, err := inputTable(c)
	if err != nil {
		return "", err
	}
	output, err := outputTable(c)
	if err != nil {
		return "", err
	}
	sections := []string{
		notice + "# " + c.Title + "\n\n" + prose(c.Description),
		facts(c),
		"## Input\n\n" + input,
		"## Example\n\n" + examples(c),
		"## Output\n\n" + output,
		"## Errors\n\n" + errorTable(c),
	}
	return strings.Join(sections, "\n\n") + "\n", nil
}

func facts(c *contract.Contract) string {
	name := code(c.Name)
	if c.Alias() != c.Name {
		name += " or " + code(c.Alias())
	}
	if recipient := harmony.Recipient(c); recipient != c.Name {
		name += "; in Harmony " + code(recipient)
	}
	rows := [][]string{
		{"Name", name},
		{"Version", c.Version + ", " + c.Stability},
		{"Family", fmt.Sprintf("[%s](README.md#%s)", c.Family, c.Family)},
		{"Runs", engineOf(c)},
		{"Effects", effects(c)},
		{"Time limit", timeLimit(c)},
	}
	if c.Deprecation != nil {
		rows = append(rows, []string{"Deprecated", fmt.Sprintf("since %s; use %s", c.Deprecation.Since, code(c.Deprecation.Replacement))})
	}
	return table([]string{"", ""}, rows)
}

func engineOf(c *contract.Contract) string {
	if c.Engine == "atelier" {
		return "in the server itself"
	}
	return "the engine " + code(c.Engine) + "; `atelier doctor` says whether this machine has it"
}

func effects(c *contract.Contract) string {
	var words []string
	switch {
	case c.Effects.Destructive:
		words = append(words, "may overwrite or remove")
	case c.Effects.SideEffects == "external_write":
		words = append(words, "changes something outside its own job")
	case c.Effects.SideEffects == "read_only":
		words = append(words, "reads what lies outside its own job")
	default:
		words = append(words, "touches nothing outside its own job")
	}
	if c.Effects.OpenWorld {
		words = append(words, "reaches the network")
	}
	if c.Deterministic {
		words = append(words, "the same input gives the same answer")
	}
	if !c.Effects.Idempotent {
		words = append(words, "a repeated call does its work again")
	}
	return strings.Join(words, "; ")
}

func timeLimit(c *contract.Contract) string {
	usual := contract.DefaultLimits().TimeoutMS
	if c.Limits.TimeoutMS > 0 {
		usual = c.Limits.TimeoutMS
	}
	most := contract.Ceilings().TimeoutMS
	if c.Limits.MaxTimeoutMS > 0 {
		most = c.Limits.MaxTimeoutMS
	}
	return fmt.Sprintf("%s, or what `limits.timeout_ms` says, up to %s", duration(usual), duration(most))
}

func duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return count(int64(d/time.Hour), "hour")
	case d >= time.Minute && d%time.Minute == 0:
		return count(int64(d/time.Minute), "minute")
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}

func count(n int64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// todo is what to do about an error of a tool: the agent's own routing where it has one.
// The routing speaks of the pipeline's tools, by name and argument; other tools that
// raise the same error, with other arguments, have their hints.
func todo(tool string, e contract.ErrorSpec) string {
	if route, ok := agent.RouteOf(e.Code); ok && slices.Contains(agent.Pipeline(), tool) {
		return route.Advice
	}
	switch e.Code {
	case contract.CodeInvalidRequest:
		return "Correct the field that the error's `field` names; `hint` says how."
	case contract.CodeMissingDependency:
		return "Install the engine: `make engines`."
	case contract.CodeTimeout:
		return "Ask for less, or allow more with `limits.timeout_ms`."
	case contract.CodeMemoryExceeded:
		return "Ask for less, or allow more with `limits.memory_mb`."
	case contract.CodeCancelled:
		return "Nothing; someone wanted it so."
	}
	if contract.Lookup(e.Code).Retryable {
		return "Call again, once."
	}
	return "As the error's `hint` says."
}

func errorTable(c *contract.Contract) string {
	if len(c.Errors) == 0 {
		return "None of its own."
	}
	var rows [][]string
	for _, e := range c.Errors {
		rows = append(rows, []string{code(e.Code), prose(e.When), prose(todo(c.Name, e)), fmt.Sprint(e.HTTPStatus)})
	}
	return "The tool's failure is a result with `status` `error`, these codes, and for each fault the field, what was expected and a hint. " +
		"The last column is the HTTP status of `POST " + c.Endpoint + "`.\n\n" +
		table([]string{"Code", "When", "What to do", "HTTP"}, rows)
}
