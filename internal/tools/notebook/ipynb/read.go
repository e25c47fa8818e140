package ipynb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/internal/contract"
)

// Existing is a notebook file as it was read: every field stays as it is, also
// those that nobody knows.
type Existing struct {
	Fields map[string]json.RawMessage
	Cells  []ExistingCell
	// HasCells is false for a notebook of nbformat 3, whose cells lie in worksheets.
	HasCells bool
}

// ExistingCell is a cell of it.
type ExistingCell struct {
	Fields map[string]json.RawMessage
	Type   string
	Source string
	// Odd is true when the source is neither a text nor a list, as of a number.
	Odd bool
}

// Read reads a notebook file strictly as JSON: no byte order mark, no NaN.
func Read(content []byte) (*Existing, error) {
	nb := &Existing{}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(content, &nb.Fields); {
	case errors.As(err, &syntax):
		before := content[:min(int(syntax.Offset), len(content))]
		return nil, unreadable("it is not JSON; in line %d, %s", 1+bytes.Count(before, []byte("\n")), syntax)
	case err != nil || nb.Fields == nil:
		return nil, unreadable("it holds %s instead of a JSON object; %s", kind(content), wanted)
	}
	raw, ok := nb.Fields["cells"]
	if !ok || slices.Contains([]string{"null", "false", "0", `""`}, string(raw)) {
		return nb, nil
	}
	var cells []json.RawMessage
	if err := json.Unmarshal(raw, &cells); err != nil {
		return nil, unreadable("its cells are %s instead of a list", kind(raw))
	}
	nb.HasCells = true
	for i, c := range cells {
		cell := ExistingCell{}
		if err := json.Unmarshal(c, &cell.Fields); err != nil || cell.Fields == nil {
			return nil, unreadable("the cell at cell_index %d is %s instead of an object with cell_type and source", i, kind(c))
		}
		_ = json.Unmarshal(cell.Fields["cell_type"], &cell.Type) // another kind of value is no type
		cell.Source, cell.Odd = sourceText(cell.Fields["source"])
		if cell.Odd && cell.Type == "markdown" {
			return nil, unreadable("the source of the cell at index %d is neither a text nor a list of texts", i)
		}
		nb.Cells = append(nb.Cells, cell)
	}
	return nb, nil
}

// wanted is what makes a file a notebook.
const wanted = `a notebook is an object with "nbformat": 4, "nbformat_minor", "metadata" and "cells", a list of objects with cell_type, metadata and source`

// kind names the kind of a JSON value.
func kind(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	switch raw[0] {
	case '[':
		return "a list"
	case '{':
		return "an object"
	case '"':
		return "a text"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// Runnable refuses a notebook without cells, and code that is no text.
func (nb *Existing) Runnable() error {
	_, sheets := nb.Fields["worksheets"]
	switch {
	case sheets && !nb.HasCells:
		return contract.Errorf(CodeUnreadable, "the notebook is of nbformat 3: its cells lie in worksheets").At("/notebook_path").
			WithHint("Convert it first: jupyter nbconvert --to notebook --nbformat 4.")
	case !nb.HasCells:
		return unreadable("it has no list cells; %s", wanted)
	}
	for i, c := range nb.Cells {
		if c.Odd {
			return unreadable("the source of the cell at cell_index %d is %s instead of a text or a list of texts", i, kind(c.Fields["source"]))
		}
	}
	return nil
}

func unreadable(format string, args ...any) error {
	return contract.Errorf(CodeUnreadable, "the file is not a Jupyter notebook: %s", fmt.Sprintf(format, args...)).At("/notebook_path").
		WithHint("Give the path or artifact URL of an .ipynb file, such as notebook.finalize returns.")
}

// sourceText is a cell's text as JavaScript would make it: a list is joined,
// null is empty.
func sourceText(raw json.RawMessage) (text string, odd bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", false
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, false
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return "", true
	}
	var b strings.Builder
	for _, item := range list {
		var s string
		if string(item) == "null" {
			continue
		}
		if json.Unmarshal(item, &s) != nil {
			s = string(item)
		}
		b.WriteString(s)
	}
	return b.String(), false
}

// SetSource replaces a cell's text.
func (c *ExistingCell) SetSource(source string) error {
	raw, err := plainJSON(lines(source))
	if err == nil {
		c.Source, c.Fields["source"] = source, raw
	}
	return err
}

// Mend adds what nbformat asks for and a notebook may lack: ids, metadata,
// outputs and execution counts. It changes nothing else.
func (nb *Existing) Mend() {
	minor := 4
	_ = json.Unmarshal(nb.Fields["nbformat_minor"], &minor)
	ids := minor >= 5
	taken := map[string]bool{}
	for _, c := range nb.Cells {
		var id string
		if json.Unmarshal(c.Fields["id"], &id) == nil {
			ids, taken[id] = true, true
		}
	}
	if ids && minor < 5 {
		minor = 5
	}
	nb.Fields["nbformat"] = json.RawMessage("4")
	nb.Fields["nbformat_minor"] = json.RawMessage(fmt.Sprint(minor))
	if _, ok := nb.Fields["metadata"]; !ok {
		nb.Fields["metadata"] = json.RawMessage("{}")
	}
	next := 0
	for _, c := range nb.Cells {
		if _, ok := c.Fields["id"]; !ok && ids {
			for next++; taken[fmt.Sprintf("cell-%d", next)]; next++ {
				continue
			}
			c.Fields["id"] = json.RawMessage(fmt.Sprintf(`"cell-%d"`, next))
		}
		missing := map[string]string{"metadata": "{}", "source": "[]"}
		if c.Type == "code" {
			maps.Copy(missing, map[string]string{"outputs": "[]", "execution_count": "null"})
		} else {
			delete(c.Fields, "outputs")
			delete(c.Fields, "execution_count")
		}
		for name, value := range missing {
			if _, ok := c.Fields[name]; !ok {
				c.Fields[name] = json.RawMessage(value)
			}
		}
	}
}

// Bytes writes the notebook as Jupyter does: keys in order, indented by one space.
func (nb *Existing) Bytes() ([]byte, error) {
	cells := make([]map[string]json.RawMessage, len(nb.Cells))
	for i, c := range nb.Cells {
		cells[i] = c.Fields
	}
	fields := maps.Clone(nb.Fields)
	raw, err := plainJSON(cells)
	if err != nil {
		return nil, err
	}
	fields["cells"] = raw
	if raw, err = plainJSON(fields); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", " "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
