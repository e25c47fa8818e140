package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/testenv"
)

// Rules of the papers in api/spec that a vector cannot state: they hold over all
// tools, need figures, or an engine's own behaviour.

// execute.md, names: a new id is snake_case. Ids with dots are those that the
// dialects brought along, and the notebook tools that continue such a family.
func TestOnlyFamiliesOfTheSpecificationHaveDottedNames(t *testing.T) {
	s := start(t, nil)
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	families := []string{"notebook.", "validator."}
	named := []string{"circuits.simulate", "fea.solve", "cfd.solve", "heat.solve", "search.web", "web.fetch", "transcript.clean", "mlx.load", "mlx.unload"}
	for _, tool := range s.app.tools.All() {
		name := tool.Contract.Name
		continues := slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(name, f) })
		if !snake.MatchString(name) && !continues && !slices.Contains(named, name) {
			t.Errorf("%s is a new id, and not snake_case", name)
		}
		if !snake.MatchString(tool.Contract.Alias()) {
			t.Errorf("%s: the alias %s, which every route takes, is not snake_case", name, tool.Contract.Alias())
		}
	}
}

// execute.md, limits: a cut stream of errors is counted, and the bytes that are
// there and those that are missing are what the same call writes without a limit.
func TestACutErrorStreamIsCounted(t *testing.T) {
	needNgspice(t)
	s := start(t, nil)
	call := func(limits string) (stderr string, lost float64, summary string) {
		r := s.post("/v1/tools/execute", `{"tool":"circuits.simulate","input":{"netlist":"no such part\nV1 in 0 DC 1\nX9 in 0 nosuch\n.end","control":["op"]},"context":{"limits":{`+limits+`}}}`)
		if r.at("status") != "error" || r.at("metrics", "error_code") != "ERR_NETLIST_INVALID" {
			t.Fatalf("%s", r.raw)
		}
		_, own, _ := strings.Cut(r.at("stderr").(string), "\n") // after the sentence of the error
		lost, _ = r.at("metrics", "stderr_truncated_bytes").(float64)
		return own, lost, r.at("summary").(string)
	}
	whole, none, _ := call("")
	if none != 0 || len(whole) < 20 {
		t.Fatalf("%q, of which %v bytes are missing", whole, none)
	}
	for _, limit := range []int{1, 3, 7} { // too few for a mark within the text
		cut, lost, summary := call(fmt.Sprintf(`"max_stderr_bytes":%d`, limit))
		if len(cut) > limit || len(cut)+int(lost) != len(whole) || !strings.Contains(summary, "limits:") {
			t.Errorf("at most %d: %q and %v missing bytes of %d; %s", limit, cut, lost, len(whole), summary)
		}
	}
}

// invocation.md, compatibility: the minor before answers within a major.
func TestThePreviousMinorOfEveryToolAnswers(t *testing.T) {
	s := start(t, nil)
	seen := 0
	for _, tool := range s.app.tools.All() {
		var major, minor, patch int
		if _, err := fmt.Sscanf(tool.Contract.Version, "%d.%d.%d", &major, &minor, &patch); err != nil {
			t.Fatal(err)
		}
		if major == 0 || minor == 0 { // before 1.0 a minor may break
			continue
		}
		seen++
		before := fmt.Sprintf("%d.%d.0", major, minor-1)
		if m := s.get("/v1/manifests/" + tool.Contract.Alias() + "?version=" + before); m.status != 200 || !strings.HasPrefix(fmt.Sprint(m.at("version")), fmt.Sprintf("%d.%d.", major, minor-1)) {
			t.Errorf("%s %s: %d %.200s", tool.Contract.Name, before, m.status, m.raw)
		}
	}
	if seen == 0 {
		t.Error("no tool has a minor")
	}
}

// measured is a table of two groups of eight with pairs, counts and events of
// three in eight and six in eight, and what the textbook formulas give for it.
type measured struct {
	y, before [2][]float64
	counts    [2]float64
}

func (m *measured) table(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("subject,x,g,other,y,before,k,event\n")
	for i := range 16 {
		x, round := i%2, i/2
		event := 0
		if round < 3+3*x {
			event = 1
		}
		y, before, k := math.Round(1e4*(r.NormFloat64()+float64(x)))/1e4, math.Round(1e4*r.NormFloat64())/1e4, 1+r.IntN(9)
		m.y[x], m.before[x], m.counts[x] = append(m.y[x], y), append(m.before[x], before), m.counts[x]+float64(k)
		fmt.Fprintf(&b, "s%d,%d,g%d,o%d,%v,%v,%d,%d\n", round, x, x, round/2%2, y, before, k, event)
	}
	return b.String()
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x)-1)
	}
	return mean, variance
}

// operationCase is a call of one operation, with the sizes of figures that have a
// closed form.
type operationCase struct {
	arguments string
	figures   map[string]float64 // by JSON pointer into the output
}

// operations is a call of every operation of the statistics tools.
func (m *measured) operations() map[string]operationCase {
	mean0, var0 := moments(m.y[0])
	mean1, var1 := moments(m.y[1])
	welch := (mean0 - mean1) / math.Sqrt(var0/8+var1/8)
	pooled := (mean0 - mean1) / math.Sqrt((var0+var1)/2*(1.0/8+1.0/8))
	var differences []float64
	for x := range 2 {
		for i, y := range m.y[x] {
			differences = append(differences, y-m.before[x][i])
		}
	}
	meanD, varD := moments(differences)
	meanY, varY := moments(slices.Concat(m.y[0], m.y[1]))
	const regression, anova, tTest = "statistical_regression_tool ", "anova_tool ", "t_test_tool "
	return map[string]operationCase{
		regression + "linear_regression":   {`"target":"y","features":["x"]`, map[string]float64{"/coefficients/x": mean1 - mean0}},
		regression + "ridge":               {`"target":"y","features":["x","before"],"lambda":0.5`, nil},
		regression + "lasso":               {`"target":"y","features":["x","before"],"lambda":0.01`, nil},
		regression + "logistic_regression": {`"target":"event","features":["x"]`, map[string]float64{"/coefficients/intercept": math.Log(3.0 / 5), "/coefficients/x": math.Log(5)}},
		regression + "poisson_regression":  {`"target":"k","features":["x"]`, map[string]float64{"/coefficients/intercept": math.Log(m.counts[0] / 8), "/coefficients/x": math.Log(m.counts[1] / m.counts[0])}},
		anova + "one_way":                  {`"response":"y","factor":"g"`, map[string]float64{"/f_statistic": pooled * pooled}},
		anova + "welch":                    {`"response":"y","factor":"g"`, map[string]float64{"/f_statistic": welch * welch}},
		anova + "two_way":                  {`"response":"y","factors":["g","other"]`, nil},
		anova + "n_way":                    {`"response":"y","factors":["g","other"]`, nil},
		anova + "repeated_measures":        {`"response":"y","factor":"g","subject":"subject"`, nil},
		anova + "kruskal_wallis":           {`"response":"y","factor":"g"`, nil},
		tTest + "two_sample":               {`"column":"y","factor":"g"`, map[string]float64{"/t": welch}},
		tTest + "paired":                   {`"column":"y","with":"before"`, map[string]float64{"/t": meanD / math.Sqrt(varD/16), "/difference": meanD}},
		tTest + "one_sample":               {`"column":"y","value":0.25`, map[string]float64{"/t": (meanY - 0.25) / math.Sqrt(varY/16)}},
		tTest + "mann_whitney":             {`"column":"y","factor":"g"`, nil},
		tTest + "signed_rank":              {`"column":"y","with":"before"`, nil},
		"summary_stats_tool ":              {`"columns":["y"]`, nil},
		"timeseries_tool ":                 {`"column":"y"`, nil},
	}
}

// invocation.md: every operation that a statistics tool lists can be called, and
// those with a closed form give it.
func TestEveryOperationOfTheStatisticsToolsAnswers(t *testing.T) {
	s, m := start(t, nil), &measured{}
	if r := s.upload(m.table(testenv.Random(t)), "capture_id", "operations"); r.status != 201 {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	cases := m.operations()
	for _, tool := range s.app.tools.All() {
		if tool.Contract.Family != "statistics" {
			continue
		}
		for _, operation := range operationsOf(t, tool.Contract) {
			name := tool.Contract.Name + " " + operation
			c, ok := cases[name]
			if !ok {
				t.Errorf("no call of %s", name)
				continue
			}
			delete(cases, name)
			t.Run(name, func(t *testing.T) { c.check(t, s, tool.Contract, operation) })
		}
	}
	for name := range cases {
		t.Errorf("%s is not listed", name)
	}
}

// operationsOf lists what a contract's argument operation may be; one empty word
// for a tool without it.
func operationsOf(t *testing.T, c *contract.Contract) []string {
	t.Helper()
	var schema struct {
		Properties struct{ Operation struct{ Enum []string } }
	}
	if err := json.Unmarshal(c.InputSchema, &schema); err != nil {
		t.Fatal(err)
	}
	if words := schema.Properties.Operation.Enum; len(words) > 0 {
		return words
	}
	return []string{""}
}

func (c operationCase) check(t *testing.T, s *server, tool *contract.Contract, operation string) {
	arguments := c.arguments
	if operation != "" {
		arguments = fmt.Sprintf(`"operation":%q,`, operation) + arguments
	}
	r := s.post("/v1/invocations", fmt.Sprintf(`{"tool_name":%q,"tool_version":%q,"capture_selection":{"capture_id":"operations","selectors":{}},"arguments":{%s},"request_id":%q,"timeout_ms":30000}`,
		tool.Name, tool.Version, arguments, tool.Name+operation))
	if r.at("status") != "ok" {
		t.Fatalf("%.600s", r.raw)
	}
	output, err := json.Marshal(r.at("structured_output"))
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range c.figures {
		value, _ := contract.Figure(output, pointer)
		if got, ok := value.(float64); !ok || math.Abs(math.Abs(got)-math.Abs(want)) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("%s is %v, want %v in size", pointer, value, want)
		}
	}
	// invocation.md, a regression: what the table of coefficients is called.
	if operation == "linear_regression" && r.at("artifacts", 0, "name") != "regression_coefficients" {
		t.Errorf("%v", r.at("artifacts"))
	}
}

// The tests that api/spec/README.md names exist.
func TestTheTestsThatThePapersNameExist(t *testing.T) {
	page, err := os.ReadFile(testenv.Path("api", "spec", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]bool{}
	for _, name := range regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(page), -1) {
		missing[name] = true
	}
	if len(missing) < 15 {
		t.Errorf("only %d tests are named", len(missing))
	}
	for _, folder := range []string{"cmd", "internal"} {
		err := filepath.WalkDir(testenv.Path(folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for name := range missing {
				if bytes.Contains(source, []byte("func "+name+"(")) {
					delete(missing, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range missing {
		t.Errorf("there is no test %s", name)
	}
}
