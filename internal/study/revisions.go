package study

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"strings"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// Kind of the stored documents.
const Kind = "study"

// mostRevisions are kept; the oldest go first.
const mostRevisions = 500

// Revision is a state of a study.
type Revision struct {
	Number   int             `json:"revision"`
	At       time.Time       `json:"at"`
	Note     string          `json:"note"` // what was changed, in words
	Document json.RawMessage `json:"document"`
	// Undoes is the revision whose document an undo came back to; 0 for any other change.
	Undoes int `json:"undoes,omitempty"`
}

// History is a study with its revisions, oldest first.
type History struct {
	ID        string     `json:"-"`
	Revisions []Revision `json:"revisions"`
	Runs      []string   `json:"runs,omitempty"` // oldest first

	version int64
}

// Head is the present revision.
func (h *History) Head() *Revision { return &h.Revisions[len(h.Revisions)-1] }

// at is the revision of a number; nil without.
func (h *History) at(number int) *Revision {
	for i := range h.Revisions {
		if h.Revisions[i].Number == number {
			return &h.Revisions[i]
		}
	}
	return nil
}

// Revision is the present one for 0, else that of a number.
func (h *History) Revision(number int) (*Revision, error) {
	if number == 0 {
		return h.Head(), nil
	}
	if r := h.at(number); r != nil {
		return r, nil
	}
	return nil, contract.Errorf(contract.CodeNotFound, "the study %s has no revision %d; it has %d to %d", h.ID, number, h.Revisions[0].Number, h.Head().Number)
}

// undone is the revision that n undos lead to. What an undo came back to is not undone by
// the next one, which goes on from there.
func (h *History) undone(n int) (*Revision, error) {
	r := h.Head()
	for done := range n {
		before := r
		for before != nil && before.Undoes > 0 {
			before = h.at(before.Undoes)
		}
		if before != nil {
			before = h.at(before.Number - 1)
		}
		switch {
		case before == nil && done == 0:
			return nil, contract.Errorf(contract.CodeConflict, "there is nothing more to undo: the study is as it was first").At("/undo")
		case before == nil:
			return nil, contract.Errorf(contract.CodeConflict, "%d changes are to be undone, and there are %d", n, done).At("/undo").WithHint("Undo %d.", done)
		}
		r = before
	}
	return r, nil
}

// add appends a revision.
func (h *History) add(document json.RawMessage, note string, undoes int) *Revision {
	number := 1
	if len(h.Revisions) > 0 {
		number = h.Head().Number + 1
	}
	h.Revisions = append(h.Revisions, Revision{Number: number, At: store.Now(), Note: note, Document: document, Undoes: undoes})
	if n := len(h.Revisions); n > mostRevisions {
		h.Revisions = h.Revisions[n-mostRevisions:]
	}
	return h.Head()
}

// newID is an unguessable name: whoever knows it may read and change the study.
func newID(prefix string) string {
	var b [15]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
}

// Load reads a study.
func (s *Service) Load(ctx context.Context, id string) (*History, error) {
	d, err := s.DB.Document(ctx, Kind, id)
	if err != nil {
		if store.IsNotFound(err) {
			return nil, contract.Errorf(contract.CodeNotFound, "there is no study %q", id).At("/study").
				WithHint("study_change without study makes one and answers with its id.")
		}
		return nil, err
	}
	h := &History{ID: id, version: d.Version}
	if err := json.Unmarshal(d.Body, h); err != nil || len(h.Revisions) == 0 {
		return nil, contract.Errorf(contract.CodeContentDamaged, "the stored study %q cannot be read: %v", id, err)
	}
	return h, nil
}

// save writes a study that nobody has changed since it was loaded; else conflict.
func (s *Service) save(ctx context.Context, h *History) error {
	d, err := s.DB.PutDocument(ctx, Kind, h.ID, h.version, encode(h))
	h.version = d.Version
	return err
}
