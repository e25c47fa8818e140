package docgen

import (
	"fmt"
	"strings"

	"atelier/internal/contract"
)

// index lists the tools by family, and says what holds for all.
func index(tools *contract.Registry) string {
	parts := []string{
		notice + "# Tools",
		"Each page has the inputs with units, defaults and limits, examples for every protocol, the output, and the errors with what to do.\n" +
			"`atelier tools` lists the same on the command line, `GET /v1/tools` over HTTP; " +
			"`--family` and `--tool` narrow what a server shows.",
	}
	for _, family := range tools.Families() {
		var rows [][]string
		for _, t := range tools.All() {
			c := t.Contract
			if c.Family == family {
				rows = append(rows, []string{fmt.Sprintf("[%s](%s)", code(c.Name), fileName(c)), prose(c.Title), prose(firstSentence(c.Description))})
			}
		}
		parts = append(parts, "## "+family, table([]string{"Tool", "Title", "What it does"}, rows))
	}
	return strings.Join(append(parts, common), "\n\n") + "\n"
}

// firstSentence ends at a full stop that a capital letter follows, so that
// "e.g." and "0.1" end nothing.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for i := 0; i+2 < len(s); i++ {
		if s[i] == '.' && s[i+1] == ' ' && s[i+2] >= 'A' && s[i+2] <= 'Z' {
			return s[:i+1]
		}
	}
	return s
}

const common = `## Files

A file argument is a path inside a folder that ` + "`--root`" + ` allows, an upload (` + "`POST /v1/files`" + ` answers ` + "`file_id`" + `; write ` + "`file:<file_id>`" + `), the artifact URL of an earlier result (` + "`/v1/jobs/<id>/artifacts/<name>`" + `), or an asset of a session (` + "`session:<path>`" + `).

## Evidence

Where a result has figures, ` + "`evidence`" + ` says how far they may be believed:

| ` + "`trust`" + ` | |
|---|---|
| ` + "`verified`" + ` | an error bar from a refinement, an independent method or an exact identity covers the figure, and is within the accuracy asked for (5 % unless a call or the tool says otherwise) |
| ` + "`converged`" + ` | the tolerances of the method were met (residual, balance); no error bar covers the figure |
| ` + "`computed`" + ` | it ran; nothing was checked |
| ` + "`suspect`" + ` | a check failed: ` + "`" + `reasons` + "`" + ` say which; do not quote the figures |

` + "`reasons`" + ` say why, and ` + "`checks`" + ` are the figures behind it: each with ` + "`name`, `kind`, `figure`, `value`, `limit`, `unit`, `passed` and `sentence`" + `.

## Limits

A call may bring ` + "`limits`" + `: beside the input in ` + "`POST /v1/jobs`" + `, in ` + "`context`" + ` on ` + "`POST /v1/tools/execute`" + ` and the OpenAI routes, in ` + "`_meta`" + ` over MCP (any of ` + "`timeout_ms`, `memory_mb`, `max_artifacts`, `max_artifact_bytes`, `max_stdout_bytes`, `max_stderr_bytes`, `max_summary_characters`" + `). What passes a limit of output is cut with a warning; a primary result that passes one is an error.`
