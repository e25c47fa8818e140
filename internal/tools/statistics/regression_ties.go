package statistics

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/jsonvalue"
	"atelier/internal/stat"
)

// same is the share of a column below which what is left of it beside others is nothing
// but rounding; of columns that are measured rather than made of others it is that
// at which variance inflation counts as too large.
const same = 1e-9

// refitPenalised fits to other rows under the same penalty.
func (r *fitted) refitPenalised(ctx context.Context, m *moved) (*again, error) {
	opts := stat.PenaltyOptions{NoIntercept: !r.in.Intercept, Weighted: r.in.Weights != ""}
	p, err := stat.Reduce(ctx, m, opts)
	if err != nil {
		return nil, err
	}
	lambda := r.penalty.fit.Lambda
	var f *stat.Penalised
	if r.in.Operation == ridgeOperation { // its sum of squares is over the rows
		f, err = p.Ridge(lambda * float64(p.N) / float64(r.n))
	} else {
		f, err = p.Lasso(ctx, lambda)
	}
	if err != nil {
		return nil, err
	}
	return &again{p.N, f.Coef, nil, f.R2}, nil
}

// leastScale is the share of the spread of the response below which no term's part in it
// counts.
const leastScale = 1e-3

// penaltyScale is what the error of a coefficient under a penalty is held against beside
// its size: the standard error that it would have if its column depended on no other.
func (r *fitted) penaltyScale(k int) float64 {
	f := r.penalty.fit
	n := float64(r.n)
	noise := math.Max(math.Sqrt(f.RSS/math.Max(n-f.EffectiveDF, 1)/n), leastScale*math.Sqrt(f.SST/n))
	if j := k - r.slopes(); j >= 0 {
		return noise / f.Sizes[j]
	}
	far := 1.0 // the intercept is the level at 0, as far as that is from the means
	for j, mean := range f.Means {
		if f.Sizes[j] > 0 {
			far = math.Hypot(far, mean/f.Sizes[j])
		}
	}
	return noise * far
}

// alike says when columns count as combinations of each other.
func (r *fitted) alike() stat.Alike {
	terms := r.model.terms
	a := stat.Alike{Same: make([]float64, len(terms)), Round: make([]float64, len(terms))}
	for j := range terms {
		a.Same[j] = same
	}
	for _, j := range r.plain() {
		a.Same[j] = math.Sqrt(1 / inflated)
		for _, p := range terms[j].powers {
			k := r.model.data.known(p.column)
			if size := r.penalty.fit.Sizes[j]; size > 0 {
				a.Round[j] = k.deviation() / size
			}
		}
	}
	return a
}

// tie finds the columns whose coefficients the penalty alone tells from those of others.
// Ridge divides between such columns in one way; lasso in any.
func (r *fitted) tie() {
	p, a := r.penalty, r.alike()
	if r.in.Operation == lassoOperation {
		p.tied = p.products.Tied(p.fit, a)
		return
	}
	if p.fit.Condition < math.Sqrt(inflated) {
		return // no column is so near to others
	}
	a.Round = make([]float64, len(a.Round))
	p.tied = p.products.Dependent(a)
}

// ties are the columns of each tie, by name.
func (r *fitted) ties() (list []string) {
	names := r.model.names()
	for _, t := range r.penalty.tied {
		of := []string{}
		for _, k := range t.Of {
			of = append(of, names[k])
		}
		parts := strings.Join(of, " and ")
		if len(of) > shownTies {
			parts = contract.Listed(of, shownTies)
		}
		list = append(list, fmt.Sprintf("%s is a combination of %s", names[t.Column], parts))
	}
	return list
}

// shownTies is the most ties that a sentence names, and openSingly the most columns of
// which each is marked, rather than all.
const shownTies, openSingly = 4, 12

// stateTies says whether a penalised fit gives every term a coefficient of its own.
func (r *fitted) stateTies(s *evidence.Statement) {
	const name = "every_term"
	list := contract.Listed(r.ties(), shownTies)
	sentence := ""
	switch ridge := r.in.Operation == ridgeOperation; {
	case list == "" && ridge:
		sentence = "No term is a combination of the others: every term has a coefficient of its own."
	case list == "":
		sentence = "None of the columns that lasso keeps or could keep is a combination of the others: no other coefficients do as well."
	case ridge:
		sentence = fmt.Sprintf("Every term has a coefficient, and no other coefficients do as well; but %s, and the penalty alone divides between them: quote what they say together.", list)
	default:
		s.Check(r.stateOpen(name, list)...)
		return
	}
	s.Check(evidence.Holds(name, evidence.Model, "", true, sentence))
}

// stateOpen are the failed checks of the coefficients that lasso leaves open, and of the
// intercept, which follows from them; the others, R squared and fitted values are not
// concerned.
func (r *fitted) stateOpen(check, list string) (checks []evidence.Check) {
	sentence := fmt.Sprintf("As %s, as far as their digits tell, other coefficients of these columns do as well: which of them gets one follows from the order of the features or from the last digits (Tibshirani 2013). The fitted values and R squared are the same for all. Leave one of them out, or use ridge, which divides between them.", list)
	add := func(at string) {
		checks = append(checks, evidence.Holds(check, evidence.Model, at, false, sentence))
		sentence = "It follows from coefficients that the lasso leaves open: " + list + "."
	}
	var open []int
	for _, t := range r.penalty.tied {
		open = append(append(open, t.Column), t.Of...)
	}
	slices.Sort(open)
	open = slices.Compact(open)
	figures := []string{"/coefficients", "/penalty/standardized/coefficients"}
	if r.in.Normalize {
		figures = append(figures, "/normalized/coefficients")
	}
	for _, at := range figures {
		if len(open) > openSingly {
			add(at)
			continue
		}
		for _, j := range open {
			add(at + "/" + jsonvalue.Escape(r.model.terms[j].name))
		}
	}
	if r.in.Intercept && len(open) <= openSingly {
		add("/coefficients/" + jsonvalue.Escape(r.names[0]))
	}
	for _, at := range []string{"/penalty/zero", "/penalty/effective_df", "/penalty/refit"} {
		add(at)
	}
	return checks
}

// undetermined are failed checks of what follows from coefficients that the data do not
// determine.
func (r *fitted) undetermined(name string) (list []evidence.Check) {
	for _, f := range r.following() {
		list = append(list, evidence.Holds(name, evidence.Model, f.figure, false, f.words+" follow from coefficients that these data do not determine."))
	}
	return list
}

// follows is a figure that follows from the coefficients one by one.
type follows struct{ figure, words string }

func (r *fitted) following() []follows {
	list := []follows{{"/p_values", "The p values"}, {"/t_values", "The t values"}, {"/confidence_intervals", "The intervals"}, {"/hc3_p_values", "The p values by HC3 errors"}}
	switch r.in.Operation {
	case ridgeOperation:
		list = []follows{{"/penalty/standardized/coefficients", "The standardized coefficients"}}
	case lassoOperation:
		list = []follows{{"/penalty/standardized/coefficients", "The standardized coefficients"}, {"/penalty/zero", "Those that are 0"}, {"/penalty/refit", "The coefficients without a penalty"}}
	case logisticOperation:
		list = append(list, follows{"/logistic/odds_ratios", "The odds ratios"})
	case poissonOperation:
		list = append(list, follows{"/poisson/rate_ratios", "The rate ratios"}, follows{"/poisson/quasi_p_values", "The p values by quasi-likelihood"})
	}
	if r.in.Normalize {
		list = append(list, follows{"/normalized/coefficients", "The coefficients by standard deviations"})
	}
	return list
}
