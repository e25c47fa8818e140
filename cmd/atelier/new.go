package main

import (
	"fmt"
	"maps"
	"slices"

	"atelier/internal/scaffold"
)

type newCmd struct {
	Tool newToolCmd `cmd:"" help:"Write the files of a new tool into this project: contract, handler, test, its place in the list."`
}

type newToolCmd struct {
	Name string `arg:"" help:"family.name, such as mesh.smooth; a new family is made."`
	Dir  string `help:"The project's folder." default:"." type:"existingdir"`
}

func (c *newToolCmd) Run() error {
	files, err := scaffold.Files(c.Dir, c.Name)
	if err != nil {
		return err
	}
	if err := scaffold.Write(c.Dir, files); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Println(path)
	}
	fmt.Printf("Change them into what you want, then: make generate && go test ./internal/tools/...\n"+
		"Try it: go run ./cmd/atelier call %s --input '{\"value\": 2, \"factor\": 3}'\n", c.Name)
	return nil
}
