package python

import (
	"maps"
	"slices"
)

// Effects are what a cell does to the names of the module that all cells of a
// notebook share.
type Effects struct {
	Defines []string `json:"defines,omitempty"`
	Imports []string `json:"imports,omitempty"` // of Defines, those that an import binds
	Uses    []string `json:"uses,omitempty"`    // read before the cell itself has bound them
	// Later are the names that its functions read when something calls them.
	Later []string `json:"later,omitempty"`
	// Changes are names whose objects it may change in place: by a method, by an
	// assignment to an attribute or an item, by += and the like, by del.
	Changes []string `json:"changes,omitempty"`
	// Star says that a star import may bind any name.
	Star bool `json:"star,omitempty"`
}

// Affect finds a cell's effects. Branches count as taken; what exec and globals()
// do is not seen. Built-in names are among the uses.
func Affect(module *Node) Effects {
	star := false
	scope := &scope{names: map[string]bool{}, star: &star}
	c := &checker{}
	c.body(scope, module.Body)
	e := Effects{Defines: sorted(scope.names), Uses: usedNames(c.undefined), Star: star}
	// A function may run in another cell, when another one has bound the names anew.
	c.undefined = nil
	scope.names = map[string]bool{}
	for len(c.later) > 0 {
		next := c.later
		c.later = nil
		for _, f := range next {
			f()
		}
	}
	e.Later = usedNames(c.undefined)
	for name := range scope.names { // a function's global statement
		if !slices.Contains(e.Defines, name) {
			e.Defines = append(e.Defines, name)
		}
	}
	slices.Sort(e.Defines)
	changes, imports := map[string]bool{}, map[string]bool{}
	module.Walk(func(n *Node) bool {
		switch n.Kind {
		case "Call":
			if n.X != nil && n.X.Kind == "Attribute" {
				note(changes, n.X)
			}
		case "Import", "ImportFrom":
			for _, a := range n.Targets {
				imports[a.Name] = true
			}
		}
		for _, t := range n.Targets {
			if t != nil && (t.Kind == "Attribute" || t.Kind == "Subscript" || n.Kind == "AugAssign" || n.Kind == "Delete") {
				note(changes, t)
			}
		}
		return true
	})
	delete(imports, "*")
	e.Changes, e.Imports = sorted(changes), sorted(imports)
	return e
}

// note adds the name that a chain of attributes, items and calls begins with.
func note(names map[string]bool, n *Node) {
	for n != nil && n.Kind != "Name" {
		n = n.X
	}
	if n != nil {
		names[n.Name] = true
	}
}

func usedNames(uses []Use) []string {
	names := map[string]bool{}
	for _, u := range uses {
		names[u.Name] = true
	}
	return sorted(names)
}

func sorted(names map[string]bool) []string {
	list := slices.Sorted(maps.Keys(names))
	return slices.DeleteFunc(list, func(name string) bool { return name == "*" })
}
