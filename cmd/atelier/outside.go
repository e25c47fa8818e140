package main

import (
	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/tools"
	"atelier/internal/tools/outside"
)

type outsideFlags struct {
	Outside []string `name:"tools" help:"Folder of tools from outside: a folder each, with a contract.json and a program." env:"ATELIER_TOOLS" type:"path" sep:":"`
}

// allTools are those of the program and those from outside.
func (o outsideFlags) allTools(parts tools.Parts) ([]contract.Tool, error) {
	found, err := outside.Load(o.Outside)
	if err != nil {
		return nil, err
	}
	own := tools.All(parts)
	list, err := outside.Contracts(found, own, parts.Host)
	return append(own, list...), err
}

// engines are the programs of the tools from outside.
func (o outsideFlags) engines() ([]engine.Spec, error) {
	found, err := outside.Load(o.Outside)
	return outside.Engines(found), err
}

func (o outsideFlags) registry() (*contract.Registry, error) {
	list, err := o.allTools(tools.Parts{})
	if err != nil {
		return nil, err
	}
	return contract.NewRegistry(list)
}
