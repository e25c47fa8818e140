package main

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

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
	folder := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Println(name)
		if strings.HasSuffix(name, "_test.go") {
			folder = path.Dir(filepath.ToSlash(name))
		}
	}
	fmt.Printf("Change them into what you want, then: make generate && go test ./%s ./internal/tools\n"+
		"Try it: go run ./cmd/atelier call %s --input '{\"value\": 2, \"factor\": 3}'\n", folder, c.Name)
	return nil
}
