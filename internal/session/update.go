package session

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"unicode/utf8"

	"atelier/internal/contract"
	"atelier/internal/jsonvalue"
	"atelier/internal/store"
)

const (
	largestBody  = 1 << 20 // bytes of what callers write into a manifest
	mostMessages = 500     // the oldest go first
	longestLabel = 100     // characters of a stage or a tool's name
)

func tooLargeBody(n int) error {
	return contract.Errorf(contract.CodePayloadTooLarge, "stage, messages, facts and metadata take %d bytes together; a manifest holds %d", n, largestBody).
		WithHint("Keep large things as files of the session and name them in the manifest.")
}

// change is store.ChangeSession that also wakes the readers in this process.
func (s *Service) change(ctx context.Context, id string, version int64, fn func(tx store.Tx, row *store.Session) error) (store.Session, error) {
	row, err := s.db.ChangeSession(ctx, id, version, fn)
	if err == nil {
		s.hub.Signal(id)
	}
	return row, err
}

// Update changes a manifest. fn gets what is there and may be called again when
// the change had to be repeated. version, when not 0, is the one that the caller
// has read; when it has passed, the error is precondition_failed.
func (s *Service) Update(ctx context.Context, id string, version int64, fn func(*Draft) error) (*Manifest, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	_, err := s.change(ctx, id, version, func(tx store.Tx, row *store.Session) error {
		if err := redraft(row, fn); err != nil {
			return err
		}
		return s.db.AppendSessionEvents(ctx, tx, id, []store.SessionEvent{stateUpdate(row.Run)})
	})
	if err != nil {
		return nil, err
	}
	return s.Get(ctx, id)
}

// redraft lets fn change the draft in a row that is held.
func redraft(row *store.Session, fn func(*Draft) error) error {
	b, err := decodeBody(row.Body)
	if err != nil {
		return err
	}
	if err := fn(&b.Draft); err != nil {
		return err
	}
	return b.into(row)
}

func (b *body) into(row *store.Session) error {
	now := stamp(store.Now())
	for i := range b.Messages {
		if b.Messages[i].CreatedAt == "" {
			b.Messages[i].CreatedAt = now
		}
	}
	if extra := len(b.Messages) - mostMessages; extra > 0 {
		b.Messages = slices.Delete(b.Messages, 0, extra)
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return contract.Errorf(contract.CodeInvalidRequest, "the manifest cannot be encoded: %w", err)
	}
	if len(raw) > largestBody {
		return tooLargeBody(len(raw))
	}
	row.Body = raw
	return nil
}

// Replace takes a whole manifest from an outside writer. It may change stage,
// planned_tool, messages, facts and metadata; a field that it leaves out stays as
// it is. Every other field belongs to the server: it may be sent back as it was
// read, anything else is refused. version 0 means
// whichever is there.
func (s *Service) Replace(ctx context.Context, id string, version int64, manifest json.RawMessage) (*Manifest, error) {
	current, err := s.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	if version == 0 {
		version = current.Version
	}
	if current.Version != version {
		return nil, contract.Errorf(contract.CodePreconditionFailed, "session %s is at version %d, not %d", id, current.Version, version).
			With("version", current.Version).WithHint("Read the manifest again and repeat the change on what it holds now.")
	}
	draft, kept, faults := readDraft(current, manifest)
	if len(faults) == 0 {
		faults = unchanged(current, kept)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return s.Update(ctx, id, version, func(d *Draft) error { *d = draft; return nil })
}

// CheckManifest tells the faults of a manifest that do not depend on the session:
// fields that none has, and writable ones of a wrong form.
func CheckManifest(manifest json.RawMessage) error {
	if _, _, faults := readDraft(&Manifest{}, manifest); len(faults) > 0 {
		return faults
	}
	return nil
}

// readDraft reads what is writable into a copy of the present draft; what is
// kept by the server is returned as it was sent.
func readDraft(current *Manifest, manifest json.RawMessage) (draft Draft, kept map[string]json.RawMessage, faults contract.Faults) {
	draft = Draft{current.Stage, current.PlannedTool, current.Messages, current.Facts, current.Metadata}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(manifest, &sent); err != nil || sent == nil {
		return draft, nil, contract.Faults{contract.Errorf(contract.CodeInvalidRequest, "the manifest is not a JSON object")}
	}
	known := fields(&Manifest{})
	kept = map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		var fault *contract.Error
		switch name {
		case "stage":
			fault = readLabel(name, sent[name], &draft.Stage)
		case "planned_tool":
			fault = readLabel(name, sent[name], &draft.PlannedTool)
		case "messages":
			fault = readMessages(sent[name], &draft.Messages)
		case "facts":
			fault = readObject(name, sent[name], &draft.Facts)
		case "metadata":
			fault = readObject(name, sent[name], &draft.Metadata)
		default:
			kept[name] = sent[name]
			if _, is := known[name]; !is {
				fault = contract.Errorf(contract.CodeInvalidRequest, "a manifest has no field %q", name).At("/"+name).With("fault", "unknown").
					WithHint("Put what you want to keep under facts or metadata.")
			}
		}
		if fault != nil {
			faults = append(faults, fault)
		}
	}
	return draft, kept, faults
}

// unchanged tells the fields of the server that were sent otherwise than they are.
func unchanged(current *Manifest, kept map[string]json.RawMessage) (faults contract.Faults) {
	held := fields(current)
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if !jsonvalue.Same(held[name], kept[name]) {
			faults = append(faults, contract.Errorf(contract.CodeInvalidRequest, "%q is kept by the server and cannot be written", name).At("/"+name).With("fault", "value").
				WithHint("Send it as it was read, or leave it out. Writable are stage, planned_tool, messages, facts and metadata."))
		}
	}
	return faults
}

func readLabel(name string, raw json.RawMessage, into *string) *contract.Error {
	var label *string
	if json.Unmarshal(raw, &label) != nil || label == nil || utf8.RuneCountInString(*label) > longestLabel {
		return contract.Errorf(contract.CodeInvalidRequest, "%q must be a text of at most %d characters", name, longestLabel).At("/"+name).With("fault", "type")
	}
	*into = *label
	return nil
}

func readObject(name string, raw json.RawMessage, into *map[string]json.RawMessage) *contract.Error {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return contract.Errorf(contract.CodeInvalidRequest, "%q must be a JSON object", name).At("/"+name).With("fault", "type")
	}
	*into = object
	return nil
}

var roles = []string{"user", "assistant", "system", "tool"}

func readMessages(raw json.RawMessage, into *[]Message) *contract.Error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var messages []Message
	if err := dec.Decode(&messages); err != nil || messages == nil {
		return contract.Errorf(contract.CodeInvalidRequest, "\"messages\" must be a list of {role, content, created_at}").At("/messages").With("fault", "type")
	}
	if len(messages) > mostMessages {
		return contract.Errorf(contract.CodeInvalidRequest, "%d messages are sent; a manifest holds %d", len(messages), mostMessages).At("/messages").With("fault", "value")
	}
	for i, m := range messages {
		if !slices.Contains(roles, m.Role) {
			return contract.Errorf(contract.CodeInvalidRequest, "the role of message %d is %q", i, m.Role).At("/messages").
				With("fault", "value").With("accepted", roles)
		}
	}
	*into = messages
	return nil
}

func fields(m *Manifest) map[string]json.RawMessage {
	var f map[string]json.RawMessage
	if raw, err := json.Marshal(m); err == nil {
		_ = json.Unmarshal(raw, &f) // what Marshal made is an object
	}
	return f
}
