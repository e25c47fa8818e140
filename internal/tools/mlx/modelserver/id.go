package modelserver

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// The model ids of loaded servers begin with prefix; those that clients have
// kept from earlier versions begin with oldPrefix and still answer.
const (
	prefix    = "local:"
	oldPrefix = "lane:"
)

// ID is the model id that names the server in requests to atelier: local:8100.
func (r Record) ID() string { return prefix + strconv.Itoa(r.Port) }

// NamesServer says whether a model id is one of a loaded server, known or not.
func NamesServer(id string) bool {
	return strings.HasPrefix(id, prefix) || strings.HasPrefix(id, oldPrefix)
}

// ParseID reads a model id: local:8100.
func ParseID(id string) (port int, ok bool) {
	digits, found := strings.CutPrefix(id, prefix)
	if !found {
		digits, found = strings.CutPrefix(id, oldPrefix)
	}
	if !found || len(digits) != 4 {
		return 0, false
	}
	port, err := strconv.Atoi(digits)
	return port, err == nil && port >= FirstPort && port <= LastPort
}

// PresentID is the id as it is listed: an id of earlier versions becomes the
// present one, any other stays as it is.
func PresentID(id string) string {
	if port, ok := ParseID(id); ok {
		return Record{Port: port}.ID()
	}
	return id
}

// decodeRecord also reads records of earlier versions, which call the backend
// by another key.
func decodeRecord(raw []byte, r *Record) error {
	if err := json.Unmarshal(raw, r); err != nil {
		return err
	}
	var old struct {
		Backend string `json:"lane"`
	}
	if err := json.Unmarshal(raw, &old); err != nil {
		return err
	}
	r.Backend = cmp.Or(r.Backend, old.Backend)
	return nil
}
