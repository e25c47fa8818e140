package stat

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/testenv"
)

// lre is the log relative error: how many digits of the certified value a figure
// has, at most 15, which is what is certified (McCullough 1998).
func lre(t *testing.T, certified string, got float64) float64 {
	t.Helper()
	c, ok := new(big.Float).SetPrec(200).SetString(certified)
	if !ok || math.IsNaN(got) || math.IsInf(got, 0) {
		return 0
	}
	d := new(big.Float).SetPrec(200).Sub(new(big.Float).SetFloat64(got), c)
	if c.Sign() != 0 {
		d.Quo(d, c)
	}
	e, _ := d.Float64()
	return math.Max(0, math.Min(15, -math.Log10(math.Abs(e))))
}

type certified struct {
	Intercept bool
	Degree    int
	Beta, SE  []string
	RSD, R2   string
}

func number(t *testing.T, text string) DD {
	t.Helper()
	d, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return d
}

func linearSet(t *testing.T, file string, c certified) Block {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := max(c.Degree, len(rows[0])-1)
	b := Block{X: make([][]DD, columns)}
	for _, row := range rows[1:] {
		b.Y = append(b.Y, number(t, row[0]))
		power := F(1)
		for j := range columns {
			if c.Degree > 0 {
				power = power.Mul(number(t, row[1]))
			} else {
				power = number(t, row[j+1])
			}
			b.X[j] = append(b.X[j], power)
		}
	}
	return b
}

// NIST certifies 15 digits, and exact rational arithmetic on the same decimals
// agrees with them to 14.3 at worst: at least 14 must come out, of every figure,
// by either path that has the digits.
func TestEveryCertifiedDigitOfTheLinearSets(t *testing.T) {
	dir := testenv.Corpus("strd") // NIST's Statistical Reference Datasets
	raw, err := os.ReadFile(filepath.Join(dir, "lls_certified.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sets map[string]certified
	if err := json.Unmarshal(raw, &sets); err != nil {
		t.Fatal(err)
	}
	if len(sets) != 11 {
		t.Fatalf("%d sets", len(sets))
	}
	for name, c := range sets {
		t.Run(name, func(t *testing.T) {
			b := linearSet(t, filepath.Join(dir, name+".csv"), c)
			fit, err := LeastSquares(context.Background(), Slices{b}, Options{NoIntercept: !c.Intercept})
			if err != nil {
				t.Fatal(err)
			}
			beta, se := 15.0, 15.0
			for i := range c.Beta {
				beta = math.Min(beta, lre(t, c.Beta[i], fit.Coef[i]))
				se = math.Min(se, lre(t, c.SE[i], fit.SE[i]))
			}
			rsd, r2 := lre(t, c.RSD, fit.Sigma()), lre(t, c.R2, fit.R2)
			t.Logf("%-9s beta %.1f se %.1f rsd %.1f R2 %.1f; condition %.2g, digits %d", name, beta, se, rsd, r2, fit.Condition, fit.Digits)
			if beta < 14 || se < 14 || rsd < 14 || r2 < 14 {
				t.Errorf("beta %v\nse   %v\nrsd %v R2 %v", fit.Coef, fit.SE, fit.Sigma(), fit.R2)
			}
		})
	}
}

type anovaSet struct {
	groups                               map[string][]DD
	f, r2, rsd, between, within, msb, ms string
}

func readANOVA(t *testing.T, file string) anovaSet {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := anovaSet{groups: map[string][]DD{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		w := strings.Fields(lines.Text())
		text := lines.Text()
		switch {
		case n > 60 && len(w) == 2:
			s.groups[w[0]] = append(s.groups[w[0]], number(t, w[1]))
		case n < 60 && strings.HasPrefix(text, "Between"):
			s.f, s.msb, s.between = w[len(w)-1], w[len(w)-2], w[len(w)-3]
		case n < 60 && strings.HasPrefix(text, "Within"):
			s.ms, s.within = w[len(w)-1], w[len(w)-2]
		case n < 60 && strings.Contains(text, "Certified R-Squared"):
			s.r2 = w[len(w)-1]
		case n < 60 && strings.Contains(text, "Standard Deviation"):
			s.rsd = w[len(w)-1]
		}
	}
	return s
}

func TestEveryCertifiedDigitOfTheANOVASets(t *testing.T) {
	dir := testenv.Corpus("strd") // NIST's Statistical Reference Datasets
	for _, name := range []string{"SiRstv", "SmLs01", "SmLs02", "SmLs03", "AtmWtAg", "SmLs04", "SmLs05", "SmLs06", "SmLs07", "SmLs08", "SmLs09"} {
		t.Run(name, func(t *testing.T) {
			set := readANOVA(t, filepath.Join(dir, name+".dat"))
			var groups []*Moments
			for _, values := range set.groups {
				m := &Moments{}
				for _, v := range values {
					m.Add(v)
				}
				groups = append(groups, m)
			}
			a, err := OneWay(groups)
			if err != nil {
				t.Fatal(err)
			}
			worst := 15.0
			for certified, got := range map[string]float64{set.f: a.F, set.r2: a.EtaSquared, set.rsd: a.ResidualSD,
				set.between: a.SSBetween, set.within: a.SSWithin, set.msb: a.MSBetween, set.ms: a.MSWithin} {
				worst = math.Min(worst, lre(t, certified, got))
			}
			t.Logf("%-8s %.1f digits", name, worst)
			if worst < 14 {
				t.Errorf("%+v\ncertified %+v", a, []string{set.f, set.r2, set.rsd, set.between, set.within})
			}
		})
	}
}
