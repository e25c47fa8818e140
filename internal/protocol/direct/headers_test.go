package direct

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"atelier/internal/contract"
)

// Python's http.client refuses a header line above 65536 bytes, and proxies often bound
// all headers together by 16 KiB.
func TestHeadersOfLargeResultsStayReadable(t *testing.T) {
	result := &contract.Result{Output: json.RawMessage(`{}`)}
	for i := range 20000 {
		result.Warnings = append(result.Warnings, contract.Warning{Code: fmt.Sprintf("careful_%d", i), Message: "m"})
	}
	for range 100 {
		result.Artifacts = append(result.Artifacts, contract.Artifact{Name: strings.Repeat("ä", 100) + ".txt", MIME: "text/plain"})
	}
	w := httptest.NewRecorder()
	answer(w, "j", result)
	warnings := w.Header().Get(warningsHeader)
	if len(warnings) > 4<<10 || !regexp.MustCompile(`^(careful_\d+, )+\.\.\. \d+ more$`).MatchString(warnings) {
		t.Errorf("%d bytes: …%s", len(warnings), warnings[max(0, len(warnings)-60):])
	}
	entries := strings.Split(warnings, ", ")
	if want := fmt.Sprintf("... %d more", 20000-(len(entries)-1)); entries[len(entries)-1] != want {
		t.Errorf("the last entry is %q, want %q", entries[len(entries)-1], want)
	}
	link := w.Header().Get("Link")
	if len(link) > 8<<10 || !strings.HasSuffix(link, `</v1/jobs/j/artifacts>; rel="related"`) || !strings.Contains(link, "enclosure") {
		t.Errorf("%d bytes: %.200s", len(link), link)
	}

	result.Warnings = []contract.Warning{{Code: "limit_clamped"}, {Code: "größe"}, {Code: strings.Repeat("x", 5000)}}
	w = httptest.NewRecorder()
	answer(w, "j", result)
	if got, want := w.Header().Get(warningsHeader), "limit_clamped, gr%C3%B6%C3%9Fe, ... 1 more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestQueriesAreReadWithCertainty(t *testing.T) {
	for query, want := range map[string]string{
		"timeout_ms=99999999999999999999": "from 1 to 9223372036854775807",
		"timeout_ms=0":                    "from 1 to 9223372036854775807",
		"timeout_ms=5&timeout_ms=6":       "timeout_ms stands 2 times",
		"session_id=a&session_id=b":       "session_id stands 2 times",
	} {
		_, _, err := (&Server{}).submit(httptest.NewRequest("POST", "/v1/tools/x?"+query, strings.NewReader("{}")), &contract.Tool{Contract: &contract.Contract{Name: "x"}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
	// The session stands in the query, so that its fault does as well.
	err := inQuery(contract.Errorf(contract.CodeNotFound, "there is no session").At("/context/session_id"))
	if got := contract.ErrorsOf(err)[0].Field; got != "session_id" {
		t.Errorf("the field is %q", got)
	}
}
