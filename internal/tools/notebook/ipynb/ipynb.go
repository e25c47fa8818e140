package ipynb

import (
	"bytes"
	"encoding/json"
	"strings"
)

// File is a Jupyter notebook of nbformat 4.5.
type File struct {
	Cells         []FileCell `json:"cells"`
	Metadata      Metadata   `json:"metadata"`
	NBFormat      int        `json:"nbformat"`
	NBFormatMinor int        `json:"nbformat_minor"`
}

// FileCell is one cell of a File. Of a markdown cell Outputs and ExecutionCount
// are left out, as nbformat asks.
type FileCell struct {
	Type           string
	ID             string
	Metadata       CellMetadata
	Source         string
	Outputs        []json.RawMessage
	ExecutionCount *int
}

// CellMetadata says which call a cell came of.
type CellMetadata struct {
	Tags    []string  `json:"tags,omitempty"`
	Atelier *CellNote `json:"atelier,omitempty"`
}

// CellNote is ours: what the tools know of the cell.
type CellNote struct {
	Kind            string `json:"kind"`
	Section         int    `json:"section,omitempty"`
	EstimatedTokens int    `json:"estimated_tokens,omitempty"`
}

// Metadata of the notebook.
type Metadata struct {
	KernelSpec   KernelSpec   `json:"kernelspec"`
	LanguageInfo LanguageInfo `json:"language_info"`
	Title        string       `json:"title"`
	Atelier      Note         `json:"atelier"`
}

// KernelSpec names the kernel.
type KernelSpec struct {
	DisplayName string `json:"display_name"`
	Language    string `json:"language"`
	Name        string `json:"name"`
}

// LanguageInfo names the language.
type LanguageInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Note is ours: the sections, the manifest and what finalize was told.
type Note struct {
	SchemaVersion       string       `json:"schema_version"`
	Sections            []NotedPart  `json:"sections"`
	Dependencies        []Dependency `json:"dependencies"`
	OutlineSummary      string       `json:"outline_summary"`
	ReadingTimeMinutes  float64      `json:"reading_time_minutes"`
	MarkdownRatio       float64      `json:"markdown_ratio"`
	MarkdownRatioTarget *float64     `json:"markdown_ratio_target,omitempty"`
	Audience            string       `json:"audience,omitempty"`
	Questions           int          `json:"questions"`
	Flags               []Flag       `json:"flags,omitempty"`
}

// NotedPart is a section in the metadata.
type NotedPart struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
}

// MarshalJSON writes the fields that nbformat wants for the cell's type.
func (c FileCell) MarshalJSON() ([]byte, error) {
	type markdown struct {
		CellType string       `json:"cell_type"`
		ID       string       `json:"id"`
		Metadata CellMetadata `json:"metadata"`
		Source   []string     `json:"source"`
	}
	m := markdown{c.Type, c.ID, c.Metadata, lines(c.Source)}
	if c.Type != "code" {
		return plainJSON(m)
	}
	outputs := c.Outputs
	if outputs == nil {
		outputs = []json.RawMessage{}
	}
	return plainJSON(struct {
		CellType       string            `json:"cell_type"`
		ExecutionCount *int              `json:"execution_count"`
		ID             string            `json:"id"`
		Metadata       CellMetadata      `json:"metadata"`
		Outputs        []json.RawMessage `json:"outputs"`
		Source         []string          `json:"source"`
	}{m.CellType, c.ExecutionCount, m.ID, m.Metadata, outputs, m.Source})
}

// lines cuts a source as Jupyter does: every line but the last keeps its end.
func lines(source string) []string {
	if source == "" {
		return []string{}
	}
	return strings.SplitAfter(source, "\n")
}

// plainJSON is json.Marshal without HTML escapes.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// Bytes is the file as Jupyter writes it: indented by one space, keys in the
// order of nbformat's own writer where they are ours to order, a newline at the end.
func (f *File) Bytes() ([]byte, error) {
	raw, err := plainJSON(f)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", " "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
