package main

import (
	"encoding/json"
	"fmt"
	"os"

	"atelier/internal/contract"
	"atelier/internal/protocol/harmony"
	"atelier/internal/tools"
)

type harmonyCmd struct {
	narrowing
	Role         string `help:"Message that shows the tools: system or developer." enum:"system,developer" default:"system"`
	Reasoning    string `help:"low, medium or high." enum:"low,medium,high" default:"medium"`
	Date         string `help:"Current date, YYYY-MM-DD. Default: none is named."`
	Instructions string `help:"File whose text takes the place of the developer instructions." type:"existingfile"`
	Parse        string `help:"Instead, read this completion (- for standard input) and print its messages, one JSON object a line." placeholder:"FILE"`
	JSON         bool   `help:"Print the answer of GET /v1/harmony: messages, namespaces, names, stop tokens."`
}

// Run shows every tool of the selection, whether or not its engine is installed.
func (c *harmonyCmd) Run() error {
	if c.Parse != "" {
		return c.parse()
	}
	registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		return err
	}
	if registry, err = registry.Select(c.selection()); err != nil {
		return err
	}
	options := harmony.Options{Role: c.Role, Effort: harmony.Effort(c.Reasoning), Date: c.Date}
	if c.Instructions != "" {
		text, err := os.ReadFile(c.Instructions)
		if err != nil {
			return err
		}
		options.Instructions = string(text)
	}
	prompt, err := harmony.NewPrompt(registry, options)
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(prompt)
	}
	_, err = fmt.Println(prompt.System + prompt.Developer)
	return err
}

func (c *harmonyCmd) parse() error {
	completion, err := readInput("@" + c.Parse)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	for _, e := range harmony.Parse(string(completion)) {
		if e.Kind == harmony.Malformed {
			return e.Fault
		}
		line := struct {
			harmony.Header
			Text string `json:"text"`
			End  string `json:"end"`
		}{e.Header, e.Text, e.End}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
