package outside

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/engine"
	"atelier/internal/evidence"
)

// answered is what becomes of a line that a program of a contract has written.
func answered(t *testing.T, spec, line, input string) (*contract.Result, error) {
	t.Helper()
	c := &contract.Contract{Name: "probe.read"}
	if err := json.Unmarshal([]byte(spec), &c.Evidence); err != nil {
		t.Fatal(err)
	}
	reply := &engine.Reply{Line: json.RawMessage(line)}
	_ = json.Unmarshal(reply.Line, reply) // the fields have the protocol's names
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(input), &given); err != nil {
		t.Fatal(err)
	}
	tool := &Tool{contract: c}
	return tool.result(reply, given)
}

const checkedSpec = `{"quantities":[{"figure":"/value","what":"A mass."}]}`

func withEvidence(said string) string {
	return `{"type":"result","summary":"S.","output":{"value":5},"evidence":` + said + `}`
}

func refusal(t *testing.T, name, want string, err error) {
	t.Helper()
	if err == nil || contract.AsError(err).Code != contract.CodeInvalidToolOutput || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "json:") {
		t.Errorf("%s: %v, want %s with %q", name, err, contract.CodeInvalidToolOutput, want)
	}
}

// A difference that may be as large as what it is a difference of shows nothing.
func TestLimitsThatAnythingPasses(t *testing.T) {
	for check, want := range map[string]string{
		`"kind":"balance","value":1e50,"limit":1e99,"unit":"N"`:                  "",
		`"kind":"balance","value":0.1,"limit":1.5`:                               "as large as the whole",
		`"kind":"residual","value":0.1,"limit":150,"unit":"%"`:                   "as large as the whole",
		`"kind":"residual","value":0.1,"limit":1`:                                "",
		`"kind":"residual","value":5,"limit":-3,"at_least":true`:                 "bounds or model",
		`"kind":"balance","figure":"/value","value":0.1,"limit":6,"unit":"m"`:    "more than the quantity",
		`"kind":"balance","figure":"/value","value":0.1,"limit":400,"unit":"cm"`: "",
		`"kind":"bounds","value":0.1,"limit":400`:                                "",
	} {
		if !strings.Contains(check, "figure") {
			check += `,"figure":""`
		}
		_, err := answered(t, checkedSpec, withEvidence(`{"checks":[{"name":"a",`+check+`,"sentence":"Said."}],"quantities":[{"name":"w","figure":"/value","value":5,"unit":"m","method":"m"}]}`), `{}`)
		if want == "" && err != nil {
			t.Errorf("%s: %v", check, err)
		} else if want != "" {
			refusal(t, check, want, err)
		}
	}
}

// Whether a value is within its limit is arithmetic: |value| <= limit, or
// value >= limit with at_least. A program that says something else is wrong.
func TestAChecksOutcomeIsComputed(t *testing.T) {
	for rest, want := range map[string]struct {
		passed bool
		fault  string
	}{
		`"value":0,"limit":1e-9,"passed":true`:                   {true, ""},
		`"value":0,"limit":1e-9`:                                 {true, ""},
		`"value":5,"limit":1e-9`:                                 {false, ""},
		`"value":-5,"limit":1,"passed":false`:                    {false, ""},
		`"value":13.2,"limit":5,"at_least":true,"passed":true`:   {true, ""},
		`"value":13.2,"limit":5,"at_least":true`:                 {true, ""},
		`"value":4.9,"limit":5,"at_least":true`:                  {false, ""},
		`"value":null,"limit":5,"passed":false`:                  {false, ""},
		`"value":null,"limit":null,"passed":true`:                {true, ""},
		`"passed":false`:                                         {false, ""},
		`"value":5,"limit":1e-9,"passed":true`:                   {false, "contradict each other"},
		`"value":-5,"limit":1,"passed":true`:                     {false, "|value| is at most the limit"},
		`"value":0,"limit":1,"passed":false`:                     {false, "contradict each other"},
		`"value":4.9,"limit":5,"at_least":true,"passed":true`:    {false, "at least the limit"},
		`"value":null,"limit":1,"passed":true`:                   {false, "value null"},
		`"value":5,"limit":1e300,"passed":true`:                  {false, "1e+300"},
		`"value":5,"limit":-1e300,"at_least":true,"passed":true`: {false, "-1e+300"},
		`"value":5,"limit":1e999,"passed":true`:                  {false, "number"},
		`"value":5,"at_least":true,"passed":true`:                {false, "without the limit"},
		`"value":5`:                             {false, "without passed"},
		`"value":0,"limit":1,"unit":"furlongs"`: {false, `"furlongs", which is not known`},
	} {
		kind := "exact"
		if strings.Contains(rest, "at_least") { // which is of yardsticks
			kind = "bounds"
		}
		r, err := answered(t, checkedSpec, withEvidence(`{"checks":[{"name":"a","kind":"`+kind+`","figure":"",`+rest+`,"sentence":"Said."}]}`), `{}`)
		if want.fault != "" {
			refusal(t, rest, want.fault, err)
			continue
		}
		if err != nil || r.Statement.Checks[0].Passed != want.passed {
			t.Errorf("%s: %+v %v, want passed %v", rest, r, err, want.passed)
			continue
		}
		if _, err := evidence.Judge(*r.Statement); err != nil {
			t.Errorf("%s: %v", rest, err)
		}
	}
}

// A unit that nobody can read is none: neither is the figure held against what is
// possible, nor can a claim about it be judged.
func TestUnitsOfQuantitiesAreThoseThatAreKnown(t *testing.T) {
	for unit, good := range map[string]bool{
		"kg": true, "1": true, "%": true, "MPa": true, "mm^3": true, "W/(m^2*K)": true, "degC": true, "dB": true, "m³": true, "1/s": true, "deg": true, "rpm": true, "V^2/Hz": true, "V/Hz^0.5": false,
		"furlongs": false, "": false, "megapascals per": false, "5 kg": false,
	} {
		_, err := answered(t, checkedSpec, withEvidence(fmt.Sprintf(`{"quantities":[{"name":"mass","figure":"/value","value":5,"unit":%q,"method":"m"}]}`, unit)), `{}`)
		if good != (err == nil) {
			t.Errorf("%q: %v", unit, err)
		}
		if !good {
			refusal(t, unit, "/evidence/quantities/0/unit", err)
		}
	}
}

// Only the caller may ask for less than the usual accuracy: with one of its own a
// tool could call any error bar a good one.
func TestATooWideAccuracyIsTheCallersAlone(t *testing.T) {
	for said, good := range map[string]bool{`{"accuracy":0.01}`: true, `{"accuracy":0.2}`: true, `{"accuracy":0.9}`: false, `{"accuracy":-1}`: false, `{"accuracy":2}`: false} {
		if _, err := answered(t, checkedSpec, withEvidence(said), `{"accuracy":0.2,"factor":2}`); good != (err == nil) {
			t.Errorf("%s: %v", said, err)
		}
	}
	// An argument that is equal to it by chance asks for nothing.
	_, err := answered(t, checkedSpec, withEvidence(`{"accuracy":0.9}`), `{"x":0.9,"length":"0.9 m"}`)
	refusal(t, "by chance", "/evidence/accuracy", err)
	for figure, why := range map[string]string{`"error":-1`: "/evidence/quantities/0/error", `"error":1`: "/evidence/quantities/0/coverage", `"error":1,"coverage":"a\nb"`: "line break", `"error":1e300`: "against which", `"error":1,"scale":1e9`: "/evidence/quantities/0/scale"} {
		_, err := answered(t, checkedSpec, withEvidence(`{"quantities":[{"name":"m","figure":"/value","value":5,"unit":"kg","method":"m",`+figure+`}]}`), `{}`)
		refusal(t, figure, why, err)
	}
}

// What a check has found is within the error bar that it stands behind: 5 kg ± 0.1 and
// 0.2 kg off, or 4 % of 5 kg, contradict each other. A refinement may change more than is
// left of the error, by 15 where a method of fourth order halves its step.
func TestChecksAreWithinTheBar(t *testing.T) {
	for check, want := range map[string]string{
		`"kind":"independent","value":0.05,"limit":0.1,"unit":"kg"`:             "",
		`"kind":"independent","value":50,"limit":100,"unit":"g"`:                "",
		`"kind":"independent","value":0.01,"limit":0.05`:                        "",
		`"kind":"independent","value":1,"limit":5,"unit":"%"`:                   "",
		`"kind":"independent","value":0.2,"limit":0.5,"unit":"kg"`:              "must hold that",
		`"kind":"independent","value":-200,"limit":500,"unit":"g"`:              "must hold that",
		`"kind":"independent","value":0.04,"limit":0.05`:                        "must hold that",
		`"kind":"independent","value":50,"limit":100,"unit":"%"`:                "must hold that",
		`"kind":"independent","value":900000,"limit":1e6,"unit":"ppm"`:          "must hold that",
		`"kind":"independent","value":0.01,"limit":1,"unit":"N"`:                `in the unit "N"`,
		`"kind":"independent","value":0.01,"limit":1,"unit":"dB"`:               `in the unit "dB"`,
		`"kind":"independent","value":50,"limit":1,"unit":"kg","at_least":true`: "at_least",
		`"kind":"exact","value":0.05,"limit":1,"unit":"kg"`:                     "",
		`"kind":"exact","value":4,"limit":4.5,"unit":"kg"`:                      "must hold that",
		`"kind":"exact","value":1e9,"limit":1e10,"unit":"kg"`:                   "more than the quantity",
		`"kind":"exact","value":1.5,"limit":2,"unit":"kg"`:                      "must hold that",
		`"kind":"refinement","value":1.5,"limit":2,"unit":"kg"`:                 "",
		`"kind":"refinement","value":0.2,"limit":0.5`:                           "",
		`"kind":"refinement","value":3,"limit":5,"unit":"kg"`:                   "must hold that",
		`"kind":"refinement","value":0.5,"limit":0.5`:                           "must hold that",
		`"kind":"balance","value":3,"limit":5,"unit":"N"`:                       "",
	} {
		_, err := answered(t, checkedSpec, withEvidence(`{"checks":[{"name":"twin","figure":"/value",`+check+`,"sentence":"Weighed again."}],
			"quantities":[{"name":"m","figure":"/value","value":5,"unit":"kg","error":0.1,"coverage":"difference","method":"scale"}]}`), `{}`)
		if want == "" && err != nil {
			t.Errorf("%s: %v", check, err)
		} else if want != "" {
			refusal(t, check, want, err)
		}
	}
}

// exact stands for counts and copies: a fraction that no argument has was computed.
func TestExactIsForCountsAndCopies(t *testing.T) {
	for output, good := range map[string]bool{
		`{"n":5}`: true, `{"n":5.0}`: true, `{"n":[1,2.5]}`: true, `{"n":{"a":0.25}}`: true, `{"text":"5.5"}`: true, `{"n":5.5}`: false, `{"n":[[2.5000001]]}`: false,
	} {
		for _, spec := range []string{`"exact"`, `"none"`} {
			_, err := answered(t, spec, `{"type":"result","summary":"S.","output":`+output+`}`, `{"x":2.5,"list":[{"y":0.25}]}`)
			if good != (err == nil) {
				t.Errorf("%s %s: %v", spec, output, err)
			}
			if !good {
				refusal(t, output, "(/output/n", err)
			}
		}
	}
}

// What can be read in two ways, or as the server's own word, is refused.
func TestAnswersAreReadInOneWay(t *testing.T) {
	for line, want := range map[string]string{
		`"output":{"value":1,"value":5}`:                                                                                  "/output/value stands twice",
		`"output":{},"output":{"value":5}`:                                                                                "/output stands twice",
		`"output":{},"evidence":{"trust":"verified"}`:                                                                     `the unknown field "trust"`,
		`"output":{},"evidence":{"checks":[{"name":"a","limit":1e-9,"Limit":5}]}`:                                         `/evidence/checks/0 has the unknown field "Limit". Did you mean "limit"?`,
		`"output":{},"evidence":{"checks":[{"kind":"residual","Kind":"exact"}]}`:                                          `/evidence/checks/0 has the unknown field "Kind"`,
		`"output":{},"evidence":{"quantities":[{"error":0.0123,"Error":9e9}]}`:                                            `/evidence/quantities/0 has the unknown field "Error"`,
		`"output":{},"evidence":{"quantities":[{},{"error":"0.1"}]}`:                                                      "/evidence/quantities/1/error is a string; a number of at most",
		`"output":{},"evidence":{"checks":[5]}`:                                                                           "/evidence/checks/0 is a number; an object is expected",
		`"output":{},"status":"ok"`:                                                                                       `it has the unknown field "status". It takes artifacts, evidence, metrics, output, summary, type, warnings`,
		`"output":{},"confidence":1`:                                                                                      `the unknown field "confidence"`,
		`"output":{},"artifacts":[{"name":"a.txt","mime_type":"text/plain","trust":"verified"}]`:                          `/artifacts/0 has the unknown field "trust". It takes files, mime_type, name, primary`,
		`"output":{},"evidence":{"checks":5}`:                                                                             "a list is expected",
		`"output":{},"evidence":{"checks":[{"name":"a","value":1e999}]}`:                                                  "a number of at most",
		`"output":{},"artifacts":[{"name":"a.txt","mime_type":"text/plain"},{"name":"./a.txt","mime_type":"text/plain"}]`: "twice",
		`"output":{},"artifacts":[{"name":"a.txt","mime_type":"te\nxt/plain"}]`:                                           "/artifacts/0/mime_type",
		`"output":{},"artifacts":[{"name":"a.txt","mime_type":"text"}]`:                                                   "no media type",
		`"output":{},"warnings":[{"code":"","message":""}]`:                                                               "/warnings/0",
		`"output":{},"warnings":[{"code":"a","message":"m"},{"message":"x"}]`:                                             "/warnings/1",
		`"output":{},"warnings":[{"code":"a b","message":"m"}]`:                                                           "one word",
		`"output":{},"metrics":{"error_code":"x"}`:                                                                        "/metrics/error_code",
		`"output":{},"metrics":{"confidence":1}`:                                                                          "/metrics/confidence",
		`"output":{},"metrics":{"trust":"verified"}`:                                                                      "/metrics/trust",
		`"output":{},"metrics":{"evidence":{}}`:                                                                           "/metrics/evidence",
		`"output":{},"metrics":{"quantities":[]}`:                                                                         "/metrics/quantities",
		`"output":{},"metrics":{"status":"ok"}`:                                                                           "/metrics/status",
		`"output":{},"metrics":{"job_id":"fake"}`:                                                                         "/metrics/job_id",
		`"output":{},"metrics":{"steps":3},"artifacts":[{"name":"a.txt","mime_type":"text/plain; charset=utf-8"}],"warnings":[{"code":"rounded","message":"m"}]`: "",
	} {
		_, err := answered(t, checkedSpec, `{"type":"result","summary":"S.",`+line+`}`, `{}`)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			continue
		}
		refusal(t, line, want, err)
	}
}

// A number has one unit: as two quantities, 5 mm and 5 m, a claim about it would be
// right and wrong. A check belongs to a quantity, or to what holds it; at any other place it is a slip, after which nothing stands behind the figure.
func TestPlacesOfQuantitiesAndChecks(t *testing.T) {
	quantity := func(name, at, unit string) string {
		return fmt.Sprintf(`{"name":%q,"figure":%q,"value":5,"unit":%q,"method":"m"}`, name, at, unit)
	}
	two := quantity("a", "/value", "mm") + "," + quantity("b", "/list/0", "mm")
	check := `"checks":[{"name":"again","kind":"exact","figure":%q,"value":0,"limit":1,"sentence":"Said."}],`
	for said, want := range map[string]string{
		`"quantities":[` + two + `]`: "",
		`"quantities":[` + quantity("a", "/value", "mm") + "," + quantity("b", "/value", "m") + `]`: `"a" and "b" of the same number, /value (/evidence/quantities/1/figure)`,
		fmt.Sprintf(check, "") + `"quantities":[` + two + `]`:                                       "",
		fmt.Sprintf(check, "/value") + `"quantities":[` + two + `]`:                                 "",
		fmt.Sprintf(check, "/list") + `"quantities":[` + two + `]`:                                  "",
		fmt.Sprintf(check, "/list/0/x") + `"quantities":[` + two + `]`:                              "/value, /list/0", // a number has no parts
		fmt.Sprintf(check, "/value") + `"quantities":[]`:                                            "which is none of its quantities;",
		`"quantities":[` + quantity("", "/value", "mm") + `]`:                                       "/evidence/quantities/0/name",
		`"quantities":[` + quantity(strings.Repeat("long ", 20), "/value", "mm") + `]`:              "at most 80 characters",
		fmt.Sprintf(check, "/nope") + `"quantities":[` + two + `]`:                                  "/evidence/checks/0/figure), which is none of its quantities: /value, /list/0;",
		fmt.Sprintf(check, "/val") + `"quantities":[` + two + `]`:                                   "/value, /list/0",
		fmt.Sprintf(check, "value") + `"quantities":[` + two + `]`:                                  "/value, /list/0",
	} {
		_, err := answered(t, checkedSpec, withEvidence(`{`+said+`}`), `{}`)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", said, err)
			}
			continue
		}
		refusal(t, said, want, err)
	}
}
