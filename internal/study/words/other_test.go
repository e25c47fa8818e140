package words

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"atelier/internal/quantity"
	"atelier/internal/study"
	"atelier/internal/testenv"
)

// read makes the study of a first sentence without looking at a part.
func read(t *testing.T, sentence string, files ...File) (map[string]any, *Reading) {
	t.Helper()
	r := Read(sentence, Context{Files: files})
	raw := apply(t, nil, r.Patch)
	if _, err := study.Read(raw); err != nil {
		t.Fatalf("%s: %v", sentence, err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc, r
}

// A divider and filters of drawn values: what is in series and what goes to ground follows
// from what passes.
func TestCircuitsAreDrawn(t *testing.T) {
	rng := testenv.Random(t)
	for range 40 {
		ohms, nano, milli := 1+rng.IntN(900), 1+rng.IntN(900), 1+rng.IntN(90)
		for say, want := range map[string][]string{
			fmt.Sprintf("RC low-pass with %d ohm and %d nF", ohms, nano):                           {fmt.Sprintf("R1 in out %d", ohms), fmt.Sprintf("C1 out 0 %g", quantity.Significant(float64(nano)*1e-9))},
			fmt.Sprintf("first order high-pass, R = %dk, C = %dn", ohms, nano):                     {fmt.Sprintf("C1 in out %g", quantity.Significant(float64(nano)*1e-9)), fmt.Sprintf("R1 out 0 %d", 1000*ohms)},
			fmt.Sprintf("RL-Tiefpass mit %d Ohm und %d mH, Frequenzgang", ohms, milli):             {fmt.Sprintf("L1 in out %g", quantity.Significant(float64(milli)*1e-3)), fmt.Sprintf("R1 out 0 %d", ohms)},
			fmt.Sprintf("Hochpass aus %d Ohm und %d mH, RL", ohms, milli):                          {fmt.Sprintf("R1 in out %d", ohms), fmt.Sprintf("L1 out 0 %g", quantity.Significant(float64(milli)*1e-3))},
			fmt.Sprintf("voltage divider, %dk on top and %dk below, from %d V", ohms, nano, milli): {fmt.Sprintf("V1 in 0 %d", milli), fmt.Sprintf("R1 in out %d", 1000*ohms), fmt.Sprintf("R2 out 0 %d", 1000*nano)},
		} {
			doc, r := read(t, say)
			netlist := text(at(doc, "/circuits/circuit/netlist"))
			for _, line := range want {
				if !slices.Contains(strings.Split(netlist, "\n"), line) {
					t.Errorf("%s: no %q in\n%s\n%s", say, line, netlist, encode(r))
				}
			}
			if !r.Runs() {
				t.Errorf("%s: %s", say, encode(r))
			}
		}
	}
}

// Statistics on a table whose columns are known.
func TestTablesAreAskedByTheirColumns(t *testing.T) {
	file := File{Name: "widths.csv", Columns: []string{"machine", "width", "wall_thickness", "operator", "temperature"}}
	for say, want := range map[string]string{
		"do the widths differ between the two machines?":        `{"column":"width","factor":"machine","operation":"two_sample","path":{"$study":"/tables/widths/file"}}`,
		"Welch t-test of width between machines, alpha 0.01":    `{"alpha":0.01,"column":"width","factor":"machine","operation":"two_sample","path":{"$study":"/tables/widths/file"}}`,
		"ANOVA of wall thickness by operator":                   `{"factor":"operator","operation":"one_way","path":{"$study":"/tables/widths/file"},"response":"wall_thickness"}`,
		"Varianzanalyse: width nach operator":                   `{"factor":"operator","operation":"one_way","path":{"$study":"/tables/widths/file"},"response":"width"}`,
		"regression of width on temperature and wall thickness": `{"features":["temperature","wall_thickness"],"operation":"linear_regression","path":{"$study":"/tables/widths/file"},"target":"width"}`,
		"how does width depend on temperature?":                 `{"features":["temperature"],"operation":"linear_regression","path":{"$study":"/tables/widths/file"},"target":"width"}`,
		"mean and standard deviation of width per machine":      `{"columns":["width"],"group_by":"machine","path":{"$study":"/tables/widths/file"}}`,
		"Mittelwert von width je machine":                       `{"columns":["width"],"group_by":"machine","path":{"$study":"/tables/widths/file"}}`,
		"correlation between width and temperature":             `{"columns":["width","temperature"],"correlations":true,"path":{"$study":"/tables/widths/file"}}`,
		"is there a trend in width?":                            `{"column":"width","path":{"$study":"/tables/widths/file"}}`,
		"Kruskal-Wallis of width between operators":             `{"factor":"operator","operation":"kruskal_wallis","path":{"$study":"/tables/widths/file"},"response":"width"}`,
		"Mann-Whitney: width between the machines":              `{"column":"width","factor":"machine","operation":"mann_whitney","path":{"$study":"/tables/widths/file"}}`,
	} {
		doc, r := read(t, say, file)
		got := ""
		for _, a := range section(doc, "analyses") {
			got = string(encode(a.(map[string]any)["options"]))
		}
		if !r.Runs() || got != want {
			t.Errorf("%s\n%s\n%s\n%s", say, got, want, encode(r))
		}
	}
	for _, say := range []string{"does hardness differ between the machines?", "width", "outliers of width", "regression of width", "mean of width with a confidence of 130 %", "compare width"} {
		if _, r := read(t, say, file); r.Runs() {
			t.Errorf("%s: %s", say, encode(r))
		}
	}
}

// Nonsense is named in circuits, statistics, flows and single tools as well.
func TestNonsenseIsNamedInEveryFamily(t *testing.T) {
	rng := testenv.Random(t)
	table := File{Name: "widths.csv", Columns: []string{"machine", "width"}}
	missed, draws := 0, 0
	for range 40 {
		for say, file := range map[string]File{
			"RC low-pass with 1 kOhm and 100 nF from 10 Hz to 1 MHz":                                         {Name: "x.csv"},
			"voltage divider, 10k on top and 20k below, from 9 V":                                            {Name: "x.csv"},
			"does the width differ between the machines?":                                                    table,
			"mean of width per machine":                                                                      table,
			"water flows in on the left with 0.2 m/s and leaves at the right, pressure drop?":                {Name: "tube.step"},
			"mesh tube.step with 2 mm elements":                                                              {Name: "tube.step"},
			"fetch https://example.org/a.html":                                                               {Name: "tube.step"},
			"S235, bottom fixed, harmonic response from 10 to 500 Hz, 2 % damping, 100 N upwards on the top": {Name: "tube.step"},
			"steel, left and right fixed, heated from 20 degC to 120 degC, stress?":                          {Name: "tube.step"},
		} {
			words := strings.Fields(say)
			said := strings.Join(slices.Insert(words, rng.IntN(len(words)+1), pick(rng, []string{"fribble", "quorvel", "snargle", "wubbeln"})), " ")
			r := Read(said, Context{Files: []File{file}})
			draws++
			if r.Runs() {
				missed++
				t.Logf("%s\n%s", said, encode(r))
			}
		}
	}
	if float64(missed) > 0.01*float64(draws) {
		t.Errorf("of %d words %d were passed over", draws, missed)
	}
}
