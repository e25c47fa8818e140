package openai

import (
	"bytes"
	"embed"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"strings"
	"sync"

	"atelier/internal/contract"
	"atelier/internal/protocol/httpapi"
)

//go:embed schemas/*.json
var schemaFiles embed.FS

var (
	schemas       = loadSchemas()
	chatSchema    = sync.OnceValue(func() *contract.BodySchema { return bodySchema("ChatCompletionRequest") })
	requestSchema = sync.OnceValue(func() *contract.BodySchema { return bodySchema("ResponseRequest") })
)

// loadSchemas panics on a malformed file: a program with broken descriptions
// must not start.
func loadSchemas() map[string]httpapi.Schema {
	all := map[string]httpapi.Schema{}
	for _, name := range []string{"schemas/requests.json", "schemas/answers.json"} {
		raw, err := schemaFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		named := map[string]httpapi.Schema{}
		if err := json.Unmarshal(raw, &named); err != nil {
			panic(name + ": " + err.Error())
		}
		maps.Copy(all, named)
	}
	return all
}

func bodySchema(name string) *contract.BodySchema {
	s, err := contract.NewBodySchema(name, schemas)
	if err != nil {
		panic(err)
	}
	return s
}

// readBody holds a body against its schema and decodes it; a body that is good
// by the schema decodes.
func readBody(r *http.Request, schema *contract.BodySchema, into any) error {
	var raw json.RawMessage
	if err := httpapi.ReadJSON(r, &raw, false); err != nil {
		return err
	}
	if faults := ofOneForm(raw, schema.Check(raw)); len(faults) > 0 {
		for _, f := range faults {
			f.Message = strings.Replace(f.Message, "the input", "the body", 1)
		}
		return contract.Faults(faults)
	}
	return httpapi.ReadJSON(&http.Request{Body: io.NopCloser(bytes.NewReader(raw))}, into, false)
}

// whole is a JSON integer in any notation: 16, 16.0, 1.6e1.
type whole int

// UnmarshalJSON implements json.Unmarshaler.
func (n *whole) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	var f float64
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	*n = whole(math.Round(f)) // the schema has seen to it that it is whole
	return nil
}

func (n *whole) int() *int {
	if n == nil {
		return nil
	}
	v := int(*n)
	return &v
}

func or[T any](p *T, absent T) T {
	if p == nil {
		return absent
	}
	return *p
}
