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
// 1.6 in. What cannot be read with certainty is left to what stands behind the words.
func TestTheSummaryQuotesWhatTheResultStates(t *testing.T) {
	for summary, want := range map[string]string{ // the numbers that nothing states
		"The part is 25.4 mm wide.":                               "",
		"Width: 25.4mm ± 0.4 mm.":                                 "",
		"Width 25.4±0.4 mm, between 25.0 and 25.8 mm":             "",
		"0.0254 m, which is 1.00 in, of M8 to ISO 4017.":          "",
		"25 mm wide, 12 rows, 3 of them, all 6 in spec.":          "",
		"25.4 mm of the 210 GPa and the 30 mm that were asked.":   "",
		"On 2026-11-24 at 12:30 in 2024 from 3-5 runs: 2.54 cm.":  "",
		"25.4 mm (95 % CI: [25.0 mm, 25.8 mm], that is ± 1.6 %).": "",
		"On 26 November 2026: 25.4 mm, to 1e-9.":                  "",
		"25.4 mm ± 3 mm":                                          "3 mm",
		"25.4 mm ± 3 %":                                           "3 %",
		"Exactly 25.4 mm ± 0":                                     "0",
		"25.4 mm under 7 kN":                                      "7 kN",
		"0.0254 m s^-1":                                           "0.0254 m s^-1",
		"0.0254 m⁻¹":                                              "0.0254 m⁻¹",
		"Done.":                                                   "",
		"La pièce fait 25,4 mm.":                                  "",
		"Breite 25.4 Meter":                                       "25.4",
		"The part is 25.4 m wide.":                                "25.4 m",
		"The part is 900 mm wide.":                                "900 mm",
		"The part is 0.0254 mm wide.":                             "0.0254 mm",
		"The part is 25.4 mm wide and holds 99.9 MPa.":            "99.9 MPa",
		"It weighs 0.0254 kg.":                                    "0.0254 kg",
		"It is -25.4 mm wide.":                                    "-25.4 mm",
		"25.4 million cycles":                                     "25.4 million",
		"The safety factor is 4.7, at 25.4 mm.":                   "4.7",
		"Found 1800 of them.":                                     "1800",
		"25.4 mm ± 0.01 mm.":                                      "0.01 mm",
		"25.4 mm, with 0.77 that no quantity states (y).":         "0.77",
		"The part is 25.9 mm wide.":                               "25.9 mm",
		// What cannot be read with certainty stands beside what is stated.
		"25.4 mm at 500-600 MPa":                "500 MPa, 600 MPa",
		"25.4 mm under 12–15 kN":                "12 kN, 15 kN",
		"25.4 mm, of 500x600 mm":                "500 mm, 600 mm",
		"25.4 mm, 1e6-2e6 Pa":                   "1e6 Pa, 2e6 Pa",
		"It is 1 in.":                           "", // 25.4 mm, by definition
		"25.4 mm × 10^6":                        "",
		"25.4 mm × 10⁶":                         "",
		"25.4 mm x1000":                         "",
		"25.4 mm at 10⁵ N":                      "",
		"25.4 mm, 10^6 cycles":                  "",
		"25.4 mm, 500/600 MPa":                  "",
		"25.4 mm, safety factor 5/2":            "",
		"25.4 mm, ratio 1:500":                  "",
		"25.4 mm, FOS:3.5":                      "",
		"25.4 mm, 3.5x margin":                  "",
		"25.4 mm for $500":                      "",
		"25.4 mm,500":                           "",
		"25.4 mm <b>500</b> MPa":                "",
		"25.4 mm of E210 GPa":                   "",
		"25.4 mm, F50000 N":                     "",
		"25.4 mm at 5. MPa":                     "",
		"25.4 mm, 5 ‰":                          "",
		"25.4 mm and ½ mm":                      "",
		"25.4 mm at 0x1F4 MPa":                  "",
		"25.4 mm\u2009500":                      "",
		"25.4 mm, of S355 and CO2, v1.2.3.":     "",
		"On 2026-11-24 from 3-5 runs: 2.54 cm.": "",
		"**25.4 mm** or `25.4 mm`":              "",
		"25.4 mm at 5 V and 3 A":                "",
		"25.4 mm at 6 bar.":                     "",
		"25.4 mm at 9 (MPa)":                    "",
		"25.4 mm at 9 [MPa]":                    "",
		"25.4 mm at 9\nMPa":                     "",
		"25.4 mm under load880N":                "",
		"25.4 mm, F880N":                        "",
		"25.4 mm, UTS880":                       "",
		"25.4 mm, E210000":                      "",
		"25.4 mm, N99.5":                        "",
		"25.4 mm, life in 2050 cycles":          "",
		"25.4 mm at 11:30 odds":                 "",
		"25.4 mm, ISO 880 load cycles":          "",
		"25.4(4) mm":                            "",
		"Width is -(25.4 mm)":                   "",
		"Width is - 25.4 mm":                    "",
		"25.4 mm s":                             "",
		"25.4 mm, force=M900":                   "",
		// A number of the output that no quantity states is no figure of the result.
		"25.4 mm, 12 rows, 55 parts": "55",
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
		if want == "" && e.Trust() != evidence.Verified || want != "" && (e.Trust() != evidence.Suspect || !strings.Contains(said, "quotes "+want+",")) {
			t.Errorf("%s: %s %s, want unfounded %q", summary, e.Trust(), said, want)
		}
		if !r.OwnWords || r.Summary != summary {
			t.Errorf("%q is shown for %q", r.Summary, summary)
		}
		if q := e.Quantities()[0]; q.Trust() != evidence.Verified {
			t.Errorf("%s: the quantity, which no check speaks against, is %s", summary, q.Trust())
		}
	}
	for words, want := range map[string]string{"Evidence: verified.": "Evidence:", "Trust: high.": "Trust:", "The width is verified.": "verified", "It (VERIFIED).": "VERIFIED", "[trust=high]": "trust=", "confidence 1": "confidence 1", "\u001b[31m": `character '\x1b'`, "a\rb": `character '\r'`, "a\u2028b": `character '\u2028'`, "ver\u200bified": `character '\u200b'`, "ver\u00adified": `character '\u00ad'`} {
		_, err := answered(t, checkedSpec, fmt.Sprintf(massLine, quoted("25.4 mm. "+words)), `{}`)
		refusal(t, words, want, err)
	}
	if _, err := answered(t, checkedSpec, fmt.Sprintf(massLine, quoted("It converged in 9 steps: 25.4 mm.")), `{}`); err != nil {
		t.Error(err)
	}
	_, err := answered(t, `"exact"`, `{"type":"result","summary":"The mean is 55.5 mm.","output":{"n":3,"note":"The mean is 55.5 mm."}}`, `{}`)
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
		numbers := numbersIn(text)
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
