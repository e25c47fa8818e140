package ipynb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/tools/notebook/python"
)

// Receipt says what a run of a notebook was made of, and what came out.
type Receipt struct {
	SchemaVersion  string                     `json:"schema_version"`
	OK             bool                       `json:"ok"`
	Complete       bool                       `json:"complete"` // every code cell ran
	Code           string                     `json:"code,omitempty"`
	FailedCell     *int                       `json:"failed_cell,omitempty"`
	Unseen         string                     `json:"unseen,omitempty"` // what went wrong without making a cell fail
	RanAt          string                     `json:"ran_at"`
	SourceSHA256   string                     `json:"source_sha256"` // of the sources of all code cells
	Python         string                     `json:"python"`
	Implementation string                     `json:"implementation"`
	Platform       string                     `json:"platform"`
	Packages       map[string]string          `json:"packages"`
	Parameters     map[string]json.RawMessage `json:"parameters,omitempty"`
	Cells          []ReceiptCell              `json:"cells"`
	Artifacts      []MadeFile                 `json:"artifacts"`
}

// ReceiptCell is a code cell of a Receipt. Index is that of the notebook as it
// was given, before parameters were injected.
type ReceiptCell struct {
	Index        int            `json:"cell_index"`
	ID           string         `json:"cell_id,omitempty"`
	State        string         `json:"state"`
	Seconds      float64        `json:"seconds"`
	SourceSHA256 string         `json:"source_sha256"`
	OutputSHA256 string         `json:"output_sha256,omitempty"`
	Effects      python.Effects `json:"names"`
}

// MadeFile is a file that a cell made or changed last.
type MadeFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256,omitempty"`
	Cell   int    `json:"cell_index"`
}

// Hash is the SHA-256 of a text, in hex.
func Hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// CodeHash is one hash of all the code cells that have code, in their order.
func CodeHash(nb *Existing) string {
	h := sha256.New()
	for i := range nb.Cells {
		if c := &nb.Cells[i]; c.runs() {
			fmt.Fprintf(h, "%d\n%s", len(c.Source), c.Source)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// runs says whether a run of the cell does anything: comments alone are no code.
func (c *ExistingCell) runs() bool {
	return c.Type == "code" && slices.ContainsFunc(strings.Split(c.Source, "\n"), func(line string) bool {
		line = strings.TrimSpace(line)
		return line != "" && line[0] != '#'
	})
}

// ID is the cell's id, "" where it has none.
func (c *ExistingCell) ID() (id string) {
	_ = json.Unmarshal(c.Fields["id"], &id) // another kind of value is no id
	return id
}

// Count is the n of In [n], by which Jupyter names a cell that has run; 0 for none.
func (c *ExistingCell) Count() (n int) {
	_ = json.Unmarshal(c.Fields["execution_count"], &n) // another kind of value counts as not run
	return n
}

// Tags are the tags of the cell's metadata.
func (c *ExistingCell) Tags() []string {
	var m struct {
		Tags []string `json:"tags"`
	}
	_ = json.Unmarshal(c.Fields["metadata"], &m) // tags of another kind are none
	return m.Tags
}

// EffectsOf are those of a cell's source; none where it is not Python.
func EffectsOf(source string) python.Effects {
	tree, err := ParseCell(source)
	if err != nil {
		return python.Effects{}
	}
	return python.Affect(tree)
}

// CodeCells begins a receipt: the cells that would run, with their names.
func CodeCells(nb *Existing) []ReceiptCell {
	var list []ReceiptCell
	for i := range nb.Cells {
		if c := &nb.Cells[i]; c.runs() {
			list = append(list, ReceiptCell{Index: i, ID: c.ID(), State: "not_run", SourceSHA256: Hash([]byte(c.Source)), Effects: EffectsOf(c.Source)})
		}
	}
	return list
}
