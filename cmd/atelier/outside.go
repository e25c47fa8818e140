package main

import (
	"os"
	"path/filepath"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/tools"
	"atelier/internal/tools/outside"
)

type outsideFlags struct {
	Outside []string `name:"tools" help:"Folder of tools from outside: a folder each, with a contract.json and a program. The word all is short for --toolset all." env:"ATELIER_TOOLS" type:"path" sep:":"`
}

// folders are those that are named; all says whether the word all stood among them, which
// names no folder unless there is one.
func (o outsideFlags) folders() (folders []string, all bool) {
	for _, folder := range o.Outside {
		if info, err := os.Stat(folder); filepath.Base(folder) == "all" && (err != nil || !info.IsDir()) {
			all = true
			continue
		}
		folders = append(folders, folder)
	}
	return folders, all
}

func (o outsideFlags) load() ([]outside.Tool, error) {
	folders, _ := o.folders()
	return outside.Load(folders)
}

// allTools are those of the program and those from outside.
func (o outsideFlags) allTools(parts tools.Parts) ([]contract.Tool, error) {
	found, err := o.load()
	if err != nil {
		return nil, err
	}
	own := tools.All(parts)
	list, err := outside.Contracts(found, own, parts.Host)
	return append(own, list...), err
}

// engines are the programs of the tools from outside.
func (o outsideFlags) engines() ([]engine.Spec, error) {
	found, err := o.load()
	return outside.Engines(found), err
}

func (o outsideFlags) registry() (*contract.Registry, error) {
	list, err := o.allTools(tools.Parts{})
	if err != nil {
		return nil, err
	}
	return contract.NewRegistry(list)
}
