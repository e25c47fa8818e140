package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// upload stores a table as a capture.
func (s *server) upload(table string, fields ...string) reply {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			s.t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", "table.csv")
	if err != nil {
		s.t.Fatal(err)
	}
	_, _ = part.Write([]byte(table))
	_ = form.Close()
	return s.do("POST", "/v1/captures", form.FormDataContentType(), &body)
}

type statisticsAnswer struct {
	Status  string `json:"status"`
	Summary string `json:"summary"`
	Output  struct {
		Count        int                    `json:"sample_count"`
		R2           json.Number            `json:"r_squared"`
		Coefficients map[string]json.Number `json:"coefficients"`
		SE           map[string]json.Number `json:"standard_errors"`
		PValues      map[string]float64     `json:"p_values"`
		SD           json.Number            `json:"residual_standard_deviation"`
		Normalized   map[string]map[string]float64
		F            struct {
			Statistic *float64
			PValue    *float64 `json:"p_value"`
		} `json:"f_test"`
	} `json:"structured_output"`
	Artifacts []struct{ Name, URI, SHA256 string }
	Warnings  []struct{ Code, Message string }
	Errors    []struct{ Code, Message, Field, Pointer string }
	Conf      float64 `json:"confidence"`
	raw       string
}

func (s *server) invokeStatistics(body string) statisticsAnswer {
	s.t.Helper()
	r := s.do("POST", "/v1/invocations", "application/json", strings.NewReader(body))
	if r.status != 200 {
		s.t.Fatalf("%d %s", r.status, r.raw)
	}
	out := statisticsAnswer{raw: string(r.raw)}
	if err := json.Unmarshal(r.raw, &out); err != nil {
		s.t.Fatalf("%v: %s", err, r.raw)
	}
	return out
}

// madeUp is a capture for the example below: three channels over 200 s, and
// latency_ms = 2.17 - 0.09 snr + 0.61 jitter + 1.44 packet_loss and an error of
// at most 0.05 that no feature explains.
func madeUp() (table string, selected int) {
	var b strings.Builder
	b.WriteString("t_ms,channel,snr,jitter,packet_loss,signal_quality,latency_ms\n")
	x := uint64(12345)
	next := func() float64 { // 0 to 1; the generator of Knuth's MMIX
		x = x*6364136223846793005 + 1442695040888963407
		return float64(x>>11) / (1 << 53)
	}
	for i := range 30000 {
		t, channel, quality := i*200000/30000, fmt.Sprintf("ch%d", i%3+1), 0.9+0.1*next()
		snr, jitter, loss := math.Round(1e4*(10+20*next()))/1e4, math.Round(1e4*5*next())/1e4, math.Round(1e4*next())/1e4
		latency := 2.17 - 0.09*snr + 0.61*jitter + 1.44*loss + 0.1*(next()-0.5)
		quality = math.Round(quality*1e4) / 1e4
		if t <= 120000 && i%3 < 2 && quality >= 0.95 {
			selected++
		}
		fmt.Fprintf(&b, "%d,%s,%v,%v,%v,%v,%v\n", t, channel, snr, jitter, loss, quality, latency)
	}
	return b.String(), selected
}

// An invocation with every field of api/spec/invocation.md, on data made by a
// known rule.
func TestAnInvocationWithEverySelector(t *testing.T) {
	const invocation = `{"tool_name": "statistical_regression_tool", "tool_version": "1.2.0", "request_id": "req-every-selector", "timeout_ms": 45000,
		"capture_selection": {"capture_id": "cap_2026_03_14_a", "selectors": {"time_range": {"start_ms": 0, "end_ms": 120000},
			"channels": ["ch1", "ch2"], "filters": ["signal_quality >= 0.95"]}},
		"arguments": {"operation": "linear_regression", "target": "latency_ms", "features": ["snr", "jitter", "packet_loss"], "alpha": 0.05, "normalize": true}}`
	s := start(t, func(c *serveCmd) { c.MaxUploadBytes = 8 << 20 })
	table, selected := madeUp()
	made := s.upload(table, "capture_id", "cap_2026_03_14_a")
	if made.status != 201 || made.body["rows"] != 30000.0 || made.body["time_column"] != "t_ms" || made.header.Get("Location") != "/v1/captures/cap_2026_03_14_a" {
		t.Fatalf("%d %s", made.status, made.raw)
	}
	r := s.invokeStatistics(invocation)
	if r.Status != "ok" || r.Output.Count != selected || len(r.Errors) != 0 {
		t.Fatalf("%d rows are selected: %s", selected, r.raw)
	}
	for name, want := range map[string]float64{"intercept": 2.17, "snr": -0.09, "jitter": 0.61, "packet_loss": 1.44} {
		got, _ := r.Output.Coefficients[name].Float64()
		se, _ := r.Output.SE[name].Float64()
		if math.Abs(got-want) > 5*se || se > 0.01 { // five standard errors
			t.Errorf("%s is %v (%v), and was made as %v", name, got, se, want)
		}
	}
	for _, name := range []string{"snr", "jitter", "packet_loss"} {
		if p, ok := r.Output.PValues[name]; !ok || p > 1e-100 {
			t.Errorf("p of %s: %v", name, p)
		}
	}
	if _, has := r.Output.PValues["intercept"]; has || len(r.Output.Normalized["coefficients"]) != 3 || !(r.Conf >= 0.9) ||
		!strings.HasPrefix(r.Summary, "Linear regression completed on ") || len(r.Artifacts) < 1 {
		t.Errorf("%s", r.raw)
	}
	csvFile := s.get(strings.TrimPrefix(r.Artifacts[0].URI, s.url))
	if rows, err := csv.NewReader(bytes.NewReader(csvFile.raw)).ReadAll(); err != nil || len(rows) != 5 || rows[1][1] != r.Output.Coefficients["intercept"].String() {
		t.Errorf("%v %s", err, csvFile.raw)
	}
}

// logRelativeError is how many digits of a certified value a number of the JSON has.
func logRelativeError(t *testing.T, certified, got string) float64 {
	t.Helper()
	c, ok := new(big.Float).SetPrec(200).SetString(certified)
	g, ok2 := new(big.Float).SetPrec(200).SetString(got)
	if !ok || !ok2 {
		return 0
	}
	d := g.Sub(g, c)
	if c.Sign() != 0 {
		d.Quo(d, c)
	}
	e, _ := d.Float64()
	return math.Min(15, -math.Log10(math.Abs(e)))
}

// From the CSV text through HTTP to the JSON, every certified digit of NIST's
// linear sets arrives.
func TestCertifiedDigitsThroughHTTP(t *testing.T) {
	dir := testenv.Corpus("strd")
	raw, err := os.ReadFile(filepath.Join(dir, "lls_certified.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]struct {
		Intercept bool
		Degree    int
		Beta, SE  []string
		RSD, R2   string
	}
	if err := json.Unmarshal(raw, &sets); err != nil {
		t.Fatal(err)
	}
	s := start(t, nil)
	for name, set := range sets {
		table, err := os.ReadFile(filepath.Join(dir, name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		if made := s.upload(string(table), "capture_id", name); made.status != 201 {
			t.Fatalf("%s: %s", name, made.raw)
		}
		var terms []string
		if set.Intercept {
			terms = append(terms, "intercept")
		}
		header, _, _ := strings.Cut(strings.TrimSpace(string(table)), "\n")
		features := strings.Split(strings.TrimSpace(header), ",")[1:]
		for k := 2; k <= set.Degree; k++ {
			features = append(features, fmt.Sprintf("x1^%d", k))
		}
		terms = append(terms, features...)
		arguments, _ := json.Marshal(map[string]any{"operation": "linear_regression", "target": "y", "features": features, "intercept": set.Intercept})
		r := s.invokeStatistics(fmt.Sprintf(`{"tool_name":"statistical_regression_tool","tool_version":"1.2.0","capture_selection":{"capture_id":%q,"selectors":{}},"arguments":%s,"request_id":"strd-%s","timeout_ms":30000}`, name, arguments, name))
		if r.Status != "ok" {
			t.Errorf("%s: %s", name, r.raw)
			continue
		}
		worst := math.Min(logRelativeError(t, set.RSD, r.Output.SD.String()), logRelativeError(t, set.R2, r.Output.R2.String()))
		for i, term := range terms {
			worst = math.Min(worst, logRelativeError(t, set.Beta[i], r.Output.Coefficients[term].String()))
			worst = math.Min(worst, logRelativeError(t, set.SE[i], r.Output.SE[term].String()))
		}
		if worst < 14 {
			t.Errorf("%s: %.1f digits: %s", name, worst, r.raw)
		}
	}
}
