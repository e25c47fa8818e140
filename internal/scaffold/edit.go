package scaffold

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
)

// addTool appends a tool to the list in the function Tools of a family.
func addTool(path string, text []byte, name string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var literal *ast.CompositeLit
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "Tools" && f.Recv == nil {
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CompositeLit); ok && literal == nil && isToolList(c.Type) {
					literal = c
				}
				return literal == nil
			})
		}
	}
	if literal == nil {
		return nil, fmt.Errorf("%s has no function Tools with a []contract.Tool{…}: add %s to the family's list by hand", path, name)
	}
	return insert(files, text, literal.Elts, literal.Rbrace, name)
}

func isToolList(t ast.Expr) bool {
	list, ok := t.(*ast.ArrayType)
	if !ok {
		return false
	}
	of, ok := list.Elt.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "Tool"
}

// addFamily appends a family to the imports and to the list of all.go.
func addFamily(path string, text []byte, family string) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var call *ast.CallExpr
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok && call == nil {
			if f, ok := c.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Concat" {
				call = c
			}
		}
		return call == nil
	})
	if call == nil || len(file.Imports) == 0 {
		return nil, fmt.Errorf("%s has no slices.Concat of families: add %s.Tools() by hand", path, family)
	}
	if text, err = insert(files, text, call.Args, call.Rparen, family+".Tools()"); err != nil {
		return nil, err
	}
	last := files.Position(file.Imports[len(file.Imports)-1].End()).Offset
	text = slices.Insert(text, last, []byte("\n\t"+strconv.Quote("atelier/internal/tools/"+family))...)
	return format.Source(text)
}

// insert puts a further element before the closing bracket of a list, on a line of
// its own where the list has its bracket so.
func insert(files *token.FileSet, text []byte, elements []ast.Expr, end token.Pos, element string) ([]byte, error) {
	at := files.Position(end).Offset
	if len(elements) > 0 {
		last := files.Position(elements[len(elements)-1].End())
		if last.Line < files.Position(end).Line {
			lineEnd := last.Offset + bytes.IndexByte(text[last.Offset:], '\n')
			return format.Source(slices.Insert(slices.Clone(text), lineEnd, []byte("\n"+element+",")...))
		}
		element = ", " + element
	}
	return format.Source(slices.Insert(slices.Clone(text), at, []byte(element)...))
}
