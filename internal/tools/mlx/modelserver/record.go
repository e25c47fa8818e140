package modelserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"atelier/internal/contract"
	"atelier/internal/store"
)

// documentKind is that of the documents of loaded servers; hostKind that of the
// machines that can load some.
const (
	documentKind = "model_server"
	hostKind     = "model_server_host"
)

// State of a loaded server.
type State string

// The states. A server is loading until it has answered for the first time, and
// restarting when it has died and is started again; stopped is one that ended
// with its atelier and is started again by the next.
const (
	Loading    State = "loading"
	Ready      State = "ready"
	Restarting State = "restarting"
	Stopped    State = "stopped"
	Failed     State = "failed" // it died too often
	Unloading  State = "unloading"
)

// Record is what is kept of a loaded server.
type Record struct {
	Port     int       `json:"port"`
	Backend  string    `json:"backend"`
	Model    string    `json:"model"`    // as the caller named it
	Argument string    `json:"argument"` // as the server is started with
	Request  string    `json:"request"`  // its name in requests to the server
	Host     string    `json:"host"`     // the machine that it runs on
	URL      string    `json:"url"`      // up to and with /v1, as other machines reach it
	State    State     `json:"state"`
	Token    string    `json:"token"` // of the last start
	Process  *Identity `json:"process,omitempty"`
	Since    time.Time `json:"since"` // of the first time that it was ready
	Restarts int       `json:"restarts"`
	Fault    string    `json:"fault,omitempty"` // how it ended last
	Limit    int64     `json:"limit_ms"`        // of the time that it may take to become ready
}

// row is a record with the version that it was read at; 0 for none.
type row struct {
	Record
	version int64
}

func (m *Manager) read(ctx context.Context, port int) (row, error) {
	d, err := m.db.Document(ctx, documentKind, strconv.Itoa(port))
	if store.IsNotFound(err) {
		return row{}, nil
	}
	if err != nil {
		return row{}, err
	}
	return decode(d)
}

func decode(d store.Document) (row, error) {
	r := row{version: d.Version}
	if err := decodeRecord(d.Body, &r.Record); err != nil {
		return r, fmt.Errorf("the record of the model server on port %s: %w", d.ID, err)
	}
	return r, nil
}

// write replaces the record that r was read from; conflict when another has
// meanwhile.
func (m *Manager) write(ctx context.Context, r *row) error {
	body, err := json.Marshal(r.Record)
	if err != nil {
		return err
	}
	d, err := m.db.PutDocument(ctx, documentKind, strconv.Itoa(r.Port), r.version, body)
	if err == nil {
		r.version = d.Version
	}
	return err
}

// remove forgets a server, whatever its record says by now: its process is gone.
func (m *Manager) remove(ctx context.Context, port int) error {
	return m.db.DeleteDocument(ctx, documentKind, strconv.Itoa(port))
}

func (m *Manager) rows(ctx context.Context) ([]row, error) {
	documents, _, err := m.db.Documents(ctx, documentKind, LastPort-FirstPort+1, "")
	if err != nil {
		return nil, err
	}
	rows := make([]row, 0, len(documents))
	for _, d := range documents {
		r, err := decode(d)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func isConflict(err error) bool {
	return err != nil && contract.AsError(err).Code == contract.CodeConflict
}

func sortByPort(list []Record) {
	slices.SortFunc(list, func(a, b Record) int { return a.Port - b.Port })
}
