package main

import (
	"encoding/json"
	"fmt"
	"os"

	"atelier/internal/contract"
	"atelier/internal/tools"
)

type contractsDocument struct {
	narrowing
	JSON bool `help:"Print the answer of GET /v1/contracts."`
}

// Run prints the tools in the form of api/spec/tool-contracts.md, as GET /v1/contracts.md.
func (c *contractsDocument) Run() error {
	registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		return err
	}
	if registry, err = registry.Select(c.selection()); err != nil {
		return err
	}
	if c.JSON {
		out, err := json.MarshalIndent(map[string]any{"contracts": registry.Documents()}, "", "  ")
		if err == nil {
			fmt.Println(string(out))
		}
		return err
	}
	_, err = os.Stdout.Write(registry.Markdown())
	return err
}
