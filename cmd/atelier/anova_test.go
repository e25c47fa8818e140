package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// certifiedANOVA is one of NIST's sets as its file has it: the data as a table, and
// the certified figures.
func certifiedANOVA(t *testing.T, file string) (table string, certified map[string]string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b strings.Builder
	b.WriteString("treatment,y\n")
	certified = map[string]string{}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		w, text := strings.Fields(lines.Text()), lines.Text()
		switch {
		case n > 60 && len(w) == 2:
			fmt.Fprintf(&b, "%s,%s\n", w[0], w[1])
		case n < 60 && strings.HasPrefix(text, "Between"):
			k := len(w)
			certified["f_statistic"], certified["between/mean_square"], certified["between/sum_of_squares"] = w[k-1], w[k-2], w[k-3]
		case n < 60 && strings.HasPrefix(text, "Within"):
			certified["within/mean_square"], certified["within/sum_of_squares"] = w[len(w)-1], w[len(w)-2]
		case n < 60 && strings.Contains(text, "Certified R-Squared"):
			certified["eta_squared"] = w[len(w)-1]
		case n < 60 && strings.Contains(text, "Standard Deviation"):
			certified["residual_standard_deviation"] = w[len(w)-1]
		}
	}
	if len(certified) != 7 {
		t.Fatalf("%s: %v", file, certified)
	}
	return b.String(), certified
}

// From the CSV text through HTTP to the JSON, every certified digit of NIST's
// analyses of variance arrives: F, R squared, the residual deviation, the sums.
func TestCertifiedANOVAThroughHTTP(t *testing.T) {
	s := start(t, func(c *serveCmd) { c.MaxUploadBytes = 8 << 20 })
	for _, name := range []string{"SiRstv", "SmLs01", "SmLs02", "SmLs03", "AtmWtAg", "SmLs04", "SmLs05", "SmLs06", "SmLs07", "SmLs08", "SmLs09"} {
		table, certified := certifiedANOVA(t, testenv.Corpus("strd", name+".dat"))
		if made := s.upload(table, "capture_id", name); made.status != 201 {
			t.Fatalf("%s: %s", name, made.raw)
		}
		for _, operation := range []string{`"operation":"one_way","factor":"treatment"`, `"operation":"n_way","factors":["treatment"]`} {
			r := s.do("POST", "/v1/invocations", "application/json", strings.NewReader(fmt.Sprintf(`{"tool_name":"anova_tool","tool_version":"1.1.0",
				"capture_selection":{"capture_id":%q,"selectors":{}},"arguments":{"response":"y",%s},"request_id":"strd-%s-%d","timeout_ms":30000}`,
				name, operation, name, len(operation))))
			var reply struct {
				Status string                     `json:"status"`
				Output map[string]json.RawMessage `json:"structured_output"`
			}
			if err := json.Unmarshal(r.raw, &reply); err != nil || reply.Status != "ok" {
				t.Fatalf("%s: %v %s", name, err, r.raw)
			}
			worst := 15.0
			for path, want := range certified {
				at, rest, nested := strings.Cut(path, "/")
				got := reply.Output[at]
				if nested {
					var inner map[string]json.RawMessage
					if err := json.Unmarshal(got, &inner); err != nil {
						t.Fatal(err)
					}
					got = inner[rest]
				}
				worst = math.Min(worst, logRelativeError(t, want, string(got)))
			}
			t.Logf("%-8s %.1f digits", name, worst)
			if worst < 14 {
				t.Errorf("%s: %.1f digits of %v: %s", name, worst, certified, r.raw)
			}
		}
	}
}
