package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"atelier/internal/docgen"
)

type docsCmd struct {
	outsideFlags
	Out string `help:"Folder to write the pages into; pages of tools that are gone are removed." default:"docs/tools" type:"path"`
}

func (c *docsCmd) Run() error {
	registry, err := c.registry()
	if err != nil {
		return err
	}
	pages, err := docgen.Pages(registry)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.Out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, kept := pages[e.Name()]; kept || !strings.HasSuffix(e.Name(), ".md") {
			continue
		}
		if err := os.Remove(filepath.Join(c.Out, e.Name())); err != nil {
			return err
		}
	}
	for name, page := range pages {
		if err := os.WriteFile(filepath.Join(c.Out, name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d pages in %s\n", len(pages), c.Out)
	return nil
}
