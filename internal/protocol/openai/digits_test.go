package openai

import (
	"encoding/json"
	"strings"
	"testing"
)

// A response that is read back and written again shows the digits of a result: 2^53 + 1
// is no float64.
func TestStoredResponsesKeepTheirDigits(t *testing.T) {
	rec := &record{Response: json.RawMessage(`{"id":"resp_1","tool_results":[{"tool_name":"t","result":{"count":9007199254740993,"other":1e-400}}]}`)}
	r, err := rec.response()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(raw), `"count":9007199254740993`) || !strings.Contains(string(raw), `"other":1e-400`) {
		t.Errorf("%v: %s", err, raw)
	}
}
