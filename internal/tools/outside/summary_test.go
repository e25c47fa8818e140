package outside

import (
	"fmt"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

const massLine = `{"type":"result","summary":%q,"output":{"value":0.0254,"error":0.0004,"parts":["a","b"],"rows":[1,2,3,4,5,6,7,8,9,10,11,12],"note":"seen at 17.5 s"},
	"evidence":{"checks":[{"name":"a","kind":"exact","figure":"/value","value":0,"limit":1e-9,"sentence":"Said."}],
	"quantities":[{"name":"width","figure":"/value","value":0.0254,"unit":"m","error":0.0004,"coverage":"bound","method":"sum","quoted":true}]}}`

// What a summary quotes is a quantity in any unit of its dimension, or stands in the
// output or the call: 0.0254 m are 25.4 mm and 1 in, by the definition of the inch.
func TestTheSummaryQuotesWhatTheResultStates(t *testing.T) {
	for summary, unfounded := range map[string]string{
		"The part is 25.4 mm wide.":                       "",
		"Width: 25.4mm ± 0.4 mm.":                         "",
		"0.0254 m, which is 1.00 in, of M8 to ISO 4017.":  "",
		"25 mm wide, seen at 17.5 s, 12 rows, 3 of them.": "",
		"It is 0.025 of the 210 GPa that were asked.":     "",
		"On 2026-11-24 from 3-5 runs: 2.54 cm.":           "",
		"Done.":                                           "",
		"The part is 25.4 m wide.":                        "25.4 m",
		"The part is 900 mm wide.":                        "900 mm",
		"The part is 0.0254 mm wide.":                     "0.0254 mm",
		"The part is 25.4 mm wide and holds 99.9 MPa.":    "99.9 MPa",
		"The safety factor is 4.7.":                       "4.7",
		"Found 1800 of them.":                             "1800",
		"25.4 mm ± 0.01 mm.":                              "0.01 mm",
		"The part is 25.9 mm wide.":                       "25.9 mm",
	} {
		r, err := answered(t, checkedSpec, fmt.Sprintf(massLine, summary), `{"modulus":"210 GPa"}`)
		if err != nil {
			t.Errorf("%s: %v", summary, err)
			continue
		}
		e, err := evidence.Judge(*r.Statement)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(e.Reasons(), " ")
		if unfounded == "" && e.Trust() != evidence.Verified || unfounded != "" && (e.Trust() != evidence.Suspect || !strings.Contains(said, "quotes "+unfounded+",")) {
			t.Errorf("%s: %s %s, want unfounded %q", summary, e.Trust(), said, unfounded)
		}
		if q := e.Quantities()[0]; q.Trust() != evidence.Verified {
			t.Errorf("%s: the quantity, which no check speaks against, is %s", summary, q.Trust())
		}
	}
	_, err := answered(t, `"exact"`, `{"type":"result","summary":"It weighs 4.7 kg.","output":{"n":3}}`, `{}`)
	refusal(t, "exact", `"4.7 kg"`, err)
	if _, err := answered(t, `"exact"`, `{"type":"result","summary":"Counted 43 words.","output":{"n":43}}`, `{}`); err != nil {
		t.Error(err)
	}
}
