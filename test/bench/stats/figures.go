package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// output is what is compared of the tool's output.
type output struct {
	N            float64               `json:"sample_count"`
	R2           float64               `json:"r_squared"`
	Adjusted     float64               `json:"adjusted_r_squared"`
	Likelihood   float64               `json:"log_likelihood"`
	AIC          float64               `json:"aic"`
	BIC          float64               `json:"bic"`
	SD           float64               `json:"residual_standard_deviation"`
	Condition    float64               `json:"condition_number"`
	Coefficients map[string]float64    `json:"coefficients"`
	SE           map[string]float64    `json:"standard_errors"`
	T            map[string]float64    `json:"t_values"`
	P            map[string]float64    `json:"p_values"`
	Intervals    map[string][2]float64 `json:"confidence_intervals"`
	HC3          map[string]float64    `json:"hc3_standard_errors"`
	VIF          map[string]float64    `json:"vif"`
	Residuals    map[string]float64    `json:"residuals"`
	F            struct {
		Statistic float64 `json:"statistic"`
	} `json:"f_test"`
	Checks []struct {
		Name      string   `json:"name"`
		Statistic float64  `json:"statistic"`
		PValue    *float64 `json:"p_value"`
	} `json:"checks"`
}

// ourFigures names the figures as the peers do.
func ourFigures(raw json.RawMessage) (map[string]float64, error) {
	var o output
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	f := map[string]float64{"n": o.N, "r_squared": o.R2, "adjusted_r_squared": o.Adjusted, "f": o.F.Statistic,
		"log_likelihood": o.Likelihood, "aic": o.AIC, "bic": o.BIC, "residual_sd": o.SD, "condition": o.Condition}
	for prefix, values := range map[string]map[string]float64{"coefficient": o.Coefficients, "standard_error": o.SE, "t": o.T, "p": o.P, "hc3": o.HC3, "vif": o.VIF, "residual": o.Residuals} {
		for name, v := range values {
			f[prefix+"."+name] = v
		}
	}
	for name, v := range o.Intervals {
		f["low."+name], f["high."+name] = v[0], v[1]
	}
	for _, c := range o.Checks {
		f[c.Name] = c.Statistic
		if c.PValue != nil {
			f[c.Name+"_p"] = *c.PValue
		}
	}
	return f, nil
}

// agree is how far figures may be apart, relative to the larger: both sides
// have some ten digits of sums of a million terms.
const agree = 1e-7

// compare holds every figure of every side against those of the first peer.
func compare(sides []*side) error {
	want := sides[0].samples[0].figures
	worst, at := 0.0, ""
	for _, s := range sides {
		for _, sample := range s.samples {
			for name, w := range want {
				got, ok := sample.figures[name]
				if !ok {
					return fmt.Errorf("%s does not give %s", s.name, name)
				}
				// A probability of next to nothing is one on both sides.
				if apart := math.Abs(got-w) / math.Max(math.Abs(w), 1e-100); got != w && (w > 1e-100 || w < 0) {
					if apart > worst {
						worst, at = apart, s.name+" "+name
					}
				} else if got != w && math.Abs(got) > 1e-100 {
					return fmt.Errorf("%s: %s is %v, not %v", s.name, name, got, w)
				}
			}
		}
	}
	if worst > agree {
		return fmt.Errorf("%s is %.1e apart", at, worst)
	}
	fmt.Printf("%d figures of each side agree; the furthest is %.0e apart (%s)\n\n", len(want), worst, at)
	return nil
}

func median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	if len(s)%2 == 0 {
		return (s[len(s)/2-1] + s[len(s)/2]) / 2
	}
	return s[len(s)/2]
}

func (s *side) median(of func(sample) float64) float64 {
	var values []float64
	for _, x := range s.samples {
		values = append(values, of(x))
	}
	return median(values)
}

func wall(s sample) float64   { return s.wall }
func cpu(s sample) float64    { return s.cpu }
func memory(s sample) float64 { return s.memory }

// report prints each side, and how many times as fast as the faster peer from
// CSV, and as the peer from Parquet, it is.
func report(sides []*side) {
	fastest := sides[0]
	if sides[1].median(wall) < fastest.median(wall) {
		fastest = sides[1]
	}
	fmt.Printf("%-44s %8s %8s %8s %10s %10s\n", "", "wall s", "cpu s", "MB", "x CSV peer", "x Parquet")
	for _, s := range sides {
		var csv, parquet []float64
		for i, x := range s.samples {
			csv = append(csv, fastest.samples[i].wall/x.wall)
			parquet = append(parquet, sides[2].samples[i].wall/x.wall)
		}
		fmt.Printf("%-44s %8.3f %8.3f %8.0f %10.1f %10.1f\n", s.name, s.median(wall), s.median(cpu), s.median(memory), median(csv), median(parquet))
	}
	fmt.Printf("\nThe CSV peer is the faster one: %s.\n\n", fastest.name)
}
