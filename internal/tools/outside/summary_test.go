package outside

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"atelier/internal/evidence"
)

const massLine = `{"type":"result","summary":%s,"output":{"value":0.0254,"parts":["a","b"],"rows":[1,2,3,4,5,6,7,8,9,10,11,12],"y":0.77},
	"evidence":{"checks":[{"name":"a","kind":"exact","figure":"/value","value":0,"limit":1e-9,"sentence":"Said."}],
	"quantities":[{"name":"width","figure":"/value","value":0.0254,"unit":"m","error":0.0004,"coverage":"95 %%","method":"sum","quoted":true}]}}`

// What a summary quotes is a quantity in any unit of its dimension, or stands in the
// call: 0.0254 m are 25.4 mm and 1 in, by the definition of the inch; 40.6 mm are
// 1.6 in. What cannot be read as the quantity leaves it to be put behind.
func TestTheSummaryQuotesWhatTheResultStates(t *testing.T) {
	for summary, want := range map[string]struct {
		unfounded string
		stated    bool // the quantity is put behind
	}{
		"The part is 25.4 mm wide.":                               {"", false},
		"Width: 25.4mm ± 0.4 mm.":                                 {"", false},
		"Width 25.4±0.4 mm, between 25.0 and 25.8 mm":             {"", false},
		"0.0254 m, which is 1.00 in, of M8 to ISO 4017.":          {"", false},
		"25 mm wide, 12 rows, 3 of them, all 6 in spec.":          {"", true},
		"25.4 mm of the 210 GPa and the 30 mm that were asked.":   {"", false},
		"On 2026-11-24 at 12:30 in 2024 from 3-5 runs: 2.54 cm.":  {"", true},
		"25.4 mm (95 % CI: [25.0 mm, 25.8 mm], that is ± 1.6 %).": {"", false},
		"On 26 November 2026: 25.4 mm, to 1e-9.":                  {"", false},
		"25.4 mm ± 3 mm":                                          {"3 mm", false},
		"25.4 mm ± 3 %":                                           {"3 %", false},
		"Exactly 25.4 mm ± 0":                                     {"0", false},
		"25.4 mm under 7 kN":                                      {"7 kN", false},
		"0.0254 m s^-1":                                           {"0.0254 m s^-1", true},
		"0.0254 m⁻¹":                                              {"0.0254 m⁻¹", true},
		"Done.":                                                   {"", true},
		"La pièce fait 25,4 mm.":                                  {"", true},
		"Breite 25.4 Meter":                                       {"25.4", true},
		"The part is 25.4 m wide.":                                {"25.4 m", true},
		"The part is 900 mm wide.":                                {"900 mm", true},
		"The part is 0.0254 mm wide.":                             {"0.0254 mm", true},
		"The part is 25.4 mm wide and holds 99.9 MPa.":            {"99.9 MPa", false},
		"It weighs 0.0254 kg.":                                    {"0.0254 kg", true},
		"It is -25.4 mm wide.":                                    {"-25.4 mm", true},
		"25.4 million cycles":                                     {"25.4 million", true},
		"The safety factor is 4.7, at 25.4 mm.":                   {"4.7", false},
		"Found 1800 of them.":                                     {"1800", true},
		"25.4 mm ± 0.01 mm.":                                      {"0.01 mm", false},
		"25.4 mm, with 0.77 that no quantity states (y).":         {"0.77", false},
		"The part is 25.9 mm wide.":                               {"25.9 mm", true},
		// What cannot be read with certainty stands beside what is stated.
		"25.4 mm at 500-600 MPa":                {"500 MPa, 600 MPa", false},
		"25.4 mm under 12–15 kN":                {"12 kN, 15 kN", false},
		"25.4 mm, of 500x600 mm":                {"500 mm, 600 mm", false},
		"25.4 mm, 1e6-2e6 Pa":                   {"1e6 Pa, 2e6 Pa", false},
		"It is 1 in.":                           {"", false}, // 25.4 mm, by definition
		"25.4 mm × 10^6":                        {"", true},
		"25.4 mm × 10⁶":                         {"", true},
		"25.4 mm x1000":                         {"", true},
		"25.4 mm at 10⁵ N":                      {"", true},
		"25.4 mm, 10^6 cycles":                  {"", true},
		"25.4 mm, 500/600 MPa":                  {"", true},
		"25.4 mm, safety factor 5/2":            {"", true},
		"25.4 mm, ratio 1:500":                  {"", true},
		"25.4 mm, FOS:3.5":                      {"", true},
		"25.4 mm, 3.5x margin":                  {"", true},
		"25.4 mm for $500":                      {"", true},
		"25.4 mm,500":                           {"", true},
		"25.4 mm <b>500</b> MPa":                {"", true},
		"25.4 mm of E210 GPa":                   {"", true},
		"25.4 mm, F50000 N":                     {"", true},
		"25.4 mm at 5. MPa":                     {"", true},
		"25.4 mm, 5 ‰":                          {"", true},
		"25.4 mm and ½ mm":                      {"", true},
		"25.4 mm at 0x1F4 MPa":                  {"", true},
		"25.4 mm\u2009500":                      {"", true},
		"25.4 mm \u200b500":                     {"", true},
		"25.4 mm, of S355 and CO2, v1.2.3.":     {"", false},
		"On 2026-11-24 from 3-5 runs: 2.54 cm.": {"", false},
		"**25.4 mm** or `25.4 mm`":              {"", false},
		"25.4 mm at 5 V and 3 A":                {"", true},
		"25.4 mm at 6 bar.":                     {"", true},
		"25.4 mm at 9 (MPa)":                    {"", true},
		"25.4 mm at 9 [MPa]":                    {"", true},
		"25.4 mm at 9\nMPa":                     {"", true},
		"25.4 mm under load880N":                {"", true},
		"25.4 mm, F880N":                        {"", true},
		"25.4 mm, UTS880":                       {"", true},
		"25.4 mm, E210000":                      {"", true},
		"25.4 mm, N99.5":                        {"", true},
		"25.4 mm, life in 2050 cycles":          {"", true},
		"25.4 mm at 11:30 odds":                 {"", true},
		"25.4 mm, ISO 880 load cycles":          {"", true},
		"25.4(4) mm":                            {"", true},
		"Width is -(25.4 mm)":                   {"", true},
		"Width is - 25.4 mm":                    {"", true},
		"25.4 mm s":                             {"", true},
		"25.4 mm, force=M900":                   {"", true},
		// A number of the output that no quantity states is no figure of the result.
		"25.4 mm, 12 rows, 55 parts": {"55", true},
	} {
		r, err := answered(t, checkedSpec, fmt.Sprintf(massLine, quoted(summary)), `{"modulus":"210 GPa","length":0.03}`)
		if err != nil {
			t.Errorf("%s: %v", summary, err)
			continue
		}
		e, err := evidence.Judge(*r.Statement)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(e.Reasons(), " ")
		if want.unfounded == "" && e.Trust() != evidence.Verified || want.unfounded != "" && (e.Trust() != evidence.Suspect || !strings.Contains(said, "quotes "+want.unfounded+",")) {
			t.Errorf("%s: %s %s, want unfounded %q", summary, e.Trust(), said, want.unfounded)
		}
		if got := r.Behind == " Stated: width 0.0254 m ± 0.0004."; got != want.stated || r.Behind != "" && !got || r.Summary != summary {
			t.Errorf("%q and %q are shown for %q", r.Summary, r.Behind, summary)
		}
		if q := e.Quantities()[0]; q.Trust() != evidence.Verified {
			t.Errorf("%s: the quantity, which no check speaks against, is %s", summary, q.Trust())
		}
	}
	for words, want := range map[string]string{"Evidence: verified.": "Evidence:", "Trust: high.": "Trust:", "The width is verified.": "verified", "It (VERIFIED).": "VERIFIED", "[trust=high]": "trust=", "confidence 1": "confidence 1", "\u001b[31m": "control character", "a\rb": "control character", "a\u2028b": "control character"} {
		_, err := answered(t, checkedSpec, fmt.Sprintf(massLine, quoted("25.4 mm. "+words)), `{}`)
		refusal(t, words, want, err)
	}
	if _, err := answered(t, checkedSpec, fmt.Sprintf(massLine, quoted("It converged in 9 steps: 25.4 mm.")), `{}`); err != nil {
		t.Error(err)
	}
	// Nothing is quoted, and a figure is not read: all quantities stand behind it.
	r, err := answered(t, checkedSpec, strings.Replace(fmt.Sprintf(massLine, quoted("It is 99,4 mm.")), `"quoted":true`, `"quoted":false`, 1), `{}`)
	if err != nil || r.Behind != " Stated: width 0.0254 m ± 0.0004." {
		t.Errorf("%+v %v", r, err)
	}
	r, err = answered(t, `"exact"`, `{"type":"result","summary":"Stress 99,4 MPa.","output":{"n":3}}`, `{}`)
	if err != nil || r.Behind != ownWords {
		t.Errorf("%+v %v", r, err)
	}
	_, err = answered(t, `"exact"`, `{"type":"result","summary":"The mean is 55.5 mm.","output":{"n":3,"note":"The mean is 55.5 mm."}}`, `{}`)
	refusal(t, "exact", `"55.5 mm"`, err)
	if _, err := answered(t, `"exact"`, `{"type":"result","summary":"Counted 43 words.","output":{"n":43}}`, `{}`); err != nil {
		t.Error(err)
	}
}

// A quantity that the summary quotes counts for the result, whether the program says
// that it is quoted or not; and one that the contract names is stated.
func TestQuotedIsWhatTheSummaryQuotes(t *testing.T) {
	const line = `{"type":"result","summary":%q,"output":{"value":0.5,"other":3.5},"evidence":{
		"checks":[{"name":"a","kind":"exact","figure":"/value","value":0,"limit":1e-9,"sentence":"Said."}],
		"quantities":[{"name":"v","figure":"/value","value":0.5,"unit":"m","error":1e-9,"coverage":"bound","method":"sum","quoted":true}%s]}}`
	const spec = `{"quantities":[{"figure":"/value","what":"A length."},{"figure":"/other","what":"Another."}]}`
	const other = `,{"name":"o","figure":"/other","value":3.5,"unit":"m","method":"guess","quoted":false}`
	for summary, want := range map[string]evidence.Trust{"0.5 m and 3.5 m.": evidence.Suspect, "0.5 m.": evidence.Suspect} {
		r, err := answered(t, spec, fmt.Sprintf(line, summary, other), `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := evidence.Judge(*r.Statement); err != nil || (e.Trust() == evidence.Verified) == strings.Contains(summary, "3.5") {
			t.Errorf("%s: %v %v, want less than verified where both are quoted (%s)", summary, e.Trust(), err, want)
		}
	}
	_, err := answered(t, spec, fmt.Sprintf(line, "0.5 m.", ""), `{}`)
	refusal(t, "unstated", "/output/other", err)
}

// The time that a long summary takes grows with its length alone.
func TestLongSummariesAreReadOnce(t *testing.T) {
	r, err := answered(t, checkedSpec, fmt.Sprintf(massLine, quoted(strings.Repeat("x is 25.4 mm ", 100_000))), `{}`)
	if err != nil || len(r.Statement.Checks) != 1 {
		t.Errorf("%v", err)
	}
}

func FuzzNumbersIn(f *testing.F) {
	for _, text := range []string{"25.4 mm ± 0.4 mm", "1 h 30 min", "−3.5×10^4 N", "12.3k", "\u00a055,5", "6 in all", "5 ft 6 in"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		numbers, _ := numbersIn(text)
		for _, n := range numbers {
			if n.text == "" || n.half < 0 {
				t.Errorf("%+v of %q", n, text)
			}
		}
	})
}

// quoted is a text as JSON writes it.
func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}
