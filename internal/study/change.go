package study

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/wI2L/jsondiff"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
)

// Change is what is to be made of a study: one of a whole document, a patch, a number of
// steps back and a revision to go back to.
type Change struct {
	Study    string          // id; "" makes a study
	Revision int             // that the change is meant for; 0 for the present one
	Document json.RawMessage // the whole study
	Patch    json.RawMessage // JSON Patch, RFC 6902
	Undo     int
	Restore  int
}

// Changed is a study after a change.
type Changed struct {
	ID       string
	Revision int
	Document json.RawMessage
	Study    *Study
	Changes  []Difference
}

// Difference is a value of the document that was added, removed or replaced.
type Difference struct {
	Path string          `json:"path"`
	From json.RawMessage `json:"from,omitempty"` // absent where it was added
	To   json.RawMessage `json:"to,omitempty"`   // absent where it was removed
}

// String is the change in words.
func (d Difference) String() string {
	switch {
	case d.From == nil:
		return fmt.Sprintf("%s is %s", d.Path, brief(d.To))
	case d.To == nil:
		return fmt.Sprintf("%s, which was %s, is gone", d.Path, brief(d.From))
	}
	return fmt.Sprintf("%s: %s -> %s", d.Path, brief(d.From), brief(d.To))
}

func brief(raw json.RawMessage) string {
	const most = 120
	s := []rune(string(raw))
	if len(s) > most {
		return string(s[:most-1]) + "…"
	}
	return string(s)
}

// Apply changes a study, or makes one; what the schema refuses is not stored.
func (s *Service) Apply(ctx context.Context, c Change) (*Changed, error) {
	h := &History{}
	before := json.RawMessage("{}")
	if c.Study != "" {
		var err error
		if h, err = s.Load(ctx, c.Study); err != nil {
			return nil, err
		}
		if head := h.Head(); c.Revision != 0 && c.Revision != head.Number {
			return nil, contract.Errorf(contract.CodeConflict, "the study is at revision %d, not %d: somebody has changed it", head.Number, c.Revision).At("/revision").
				WithHint("Look at it as it is now (study_change with nothing but study), and repeat the change.")
		}
		before = h.Head().Document
	}
	after, undoes, err := c.document(h)
	if err != nil {
		return nil, err
	}
	made, err := Read(after)
	if err != nil {
		return nil, c.located(err)
	}
	out := &Changed{ID: h.ID, Document: after, Study: made}
	if out.Changes, err = differences(before, after); err != nil {
		return nil, err
	}
	if h.ID == "" {
		h.ID = newID("study_")
		out.ID = h.ID
	}
	if len(out.Changes) > 0 || len(h.Revisions) == 0 {
		h.add(after, noteOf(out.Changes), undoes)
		if err := s.save(ctx, h); err != nil {
			return nil, err
		}
	}
	out.Revision = h.Head().Number
	return out, nil
}

// document is the study after the change, in canonical form.
func (c Change) document(h *History) (after json.RawMessage, undoes int, err error) {
	switch {
	case c.Document != nil:
		after = c.Document
	case c.Undo > 0 || c.Restore > 0:
		if h.ID == "" {
			return nil, 0, contract.Errorf(contract.CodeInvalidInput, "a new study has nothing to go back to").At("/study").WithHint("Name the study.")
		}
		var r *Revision
		if r, err = h.undone(c.Undo); c.Restore > 0 {
			r, err = h.Revision(c.Restore)
		}
		if err != nil {
			return nil, 0, err
		}
		if after = r.Document; c.Undo > 0 {
			undoes = r.Number
		}
	default:
		before := json.RawMessage(`{"study":"` + Version + `"}`)
		if h.ID != "" {
			before = h.Head().Document
		}
		if after, err = patched(before, c.Patch); err != nil {
			return nil, 0, err
		}
	}
	if fault := contract.StrictJSON(after, contract.CodeInvalidInput); fault != nil {
		return nil, 0, fault.At("/document" + fault.Field)
	}
	return canonical(after), undoes, nil
}

// located tells a fault of the document at the argument that brought it.
func (c Change) located(err error) error {
	if c.Document == nil {
		return err
	}
	return under(err, "/document")
}

// under puts a pointer before those of faults.
func under(err error, pointer string) error {
	faults := contract.ErrorsOf(err)
	for _, f := range faults {
		f.Field = pointer + f.Field
	}
	return contract.Faults(faults)
}

// patched applies a JSON Patch. Objects on the way to what is added are made, so that a
// first load needs no section beforehand.
func patched(document, patch json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(patch)) == 0 {
		return document, nil
	}
	ops, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the patch cannot be read: %w", err).At("/patch").
			WithHint(`It is a list of operations, such as [{"op": "replace", "path": "/loads/pull/force", "value": [0, 0, -500]}].`)
	}
	options := jsonpatch.NewApplyOptions()
	options.EnsurePathExistsOnAdd = true
	for i, op := range ops {
		after, err := jsonpatch.Patch{op}.ApplyWithOptions(document, options)
		if err != nil {
			path, _ := op.Path() // of an operation that may have none
			e := contract.Errorf(contract.CodeInvalidInput, "operation %d (%s %s) does not fit the study: %s", i, op.Kind(), path, strings.TrimSuffix(err.Error(), ".")).At(fmt.Sprintf("/patch/%d", i))
			return nil, e.WithHint("%s", missing(document, path))
		}
		document = after
	}
	return document, nil
}

// missing says how far a path leads, and what there is.
func missing(document json.RawMessage, path string) string {
	var at any
	_ = json.Unmarshal(document, &at) // it is a stored study
	walked := ""
	for _, token := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		object, ok := at.(map[string]any)
		if !ok {
			break
		}
		token = jsonvalue.Unescape(token)
		next, found := object[token]
		if !found {
			have := keys(object)
			if near := contract.Nearest(token, have); near != "" {
				return fmt.Sprintf("There is no %s/%s; did you mean %s/%s?", walked, token, walked, near)
			}
			return fmt.Sprintf("There is no %s/%s; there: %s.", walked, token, strings.Join(have, ", "))
		}
		at, walked = next, walked+"/"+token
	}
	return `Operations are add, remove, replace, move, copy and test (RFC 6902); add makes what is missing.`
}

// canonical is a document with sorted members and without white space.
func canonical(document json.RawMessage) json.RawMessage {
	var v any
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	if dec.Decode(&v) != nil {
		return document // its fault is told by Read
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return document
	}
	return bytes.TrimSpace(b.Bytes())
}

// differences between two documents.
func differences(before, after json.RawMessage) ([]Difference, error) {
	patch, err := jsondiff.CompareJSON(before, after, jsondiff.Invertible())
	if err != nil {
		return nil, fmt.Errorf("compare documents: %w", err)
	}
	out := []Difference{}
	was := map[string]json.RawMessage{}
	for _, op := range patch {
		switch op.Type {
		case jsondiff.OperationTest:
			was[op.Path] = encode(op.Value)
		case jsondiff.OperationAdd:
			out = append(out, Difference{Path: op.Path, To: encode(op.Value)})
		case jsondiff.OperationReplace:
			out = append(out, Difference{Path: op.Path, From: was[op.Path], To: encode(op.Value)})
		case jsondiff.OperationRemove:
			out = append(out, Difference{Path: op.Path, From: was[op.Path]})
		}
	}
	return out, nil
}

func noteOf(changes []Difference) string {
	words := make([]string, len(changes))
	for i, c := range changes {
		words[i] = c.String()
	}
	return strings.Join(words, "; ")
}
