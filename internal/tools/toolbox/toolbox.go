// Package toolbox holds the tools that lead to all others, for clients that are shown only a
// few: find_tool, call_tool, and files.
package toolbox

import (
	"context"
	_ "embed"
	"encoding/json"

	"atelier/internal/contract"
)

var (
	//go:embed find_tool.json
	findFile []byte
	//go:embed call_tool.json
	callFile []byte
	//go:embed files.json
	filesFile []byte
)

// Family of these tools.
const Family = "toolbox"

// Program is what the tools look through. The zero value is enough to read the contracts.
type Program struct {
	Tools func() *contract.Registry // those of the program
	Roots []string                  // folders from which tools may read; absolute
	Store Store
}

// Store are the files and jobs that a server keeps.
type Store interface {
	// Uploads lists the newest uploads, at most limit.
	Uploads(ctx context.Context, limit int) ([]Entry, error)
	// Artifacts lists the files of a job, or is not_found.
	Artifacts(ctx context.Context, jobID string) ([]Entry, error)
	// Output is the output of a finished job; not_found or conflict.
	Output(ctx context.Context, jobID string) (json.RawMessage, error)
}

// Tools lists this family.
func Tools(p Program) []contract.Tool {
	call := contract.Bind(callFile, refuseSelf)
	call.Forward = forward
	return []contract.Tool{contract.Bind(findFile, p.find), call, contract.Bind(filesFile, p.files)}
}

type callInput struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

func forward(input json.RawMessage) contract.Forwarded {
	var in callInput
	_ = json.Unmarshal(input, &in) // it has been validated
	if len(in.Input) == 0 {
		in.Input = json.RawMessage("{}")
	}
	return contract.Forwarded{Tool: in.Tool, ToolAt: "/tool", Input: in.Input, InputAt: "/input", Hint: "find_tool finds tools by what they do."}
}

// refuseSelf is never reached: a call is that of the tool that it names.
func refuseSelf(_ context.Context, c *contract.Call, _ callInput) (*contract.Result, error) {
	return nil, contract.Errorf(contract.CodeInternal, "%s was run itself", c.Tool)
}
