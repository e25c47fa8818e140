package statistics

import (
	"context"
	"errors"
	"math"
	"slices"

	"atelier/internal/dataset"
	"atelier/internal/stat"
)

// moved is a design whose numbers are moved at random within half a unit of the
// last digit that they are written with. Values that are written alike may have
// been any of these, so what the figures move by is what the data leave open
// (Hodges and Moore 1972; Beaton, Rubin and Barone 1976).
type moved struct {
	*design
	parts []part
	draw  uint64 // 0: as they are written
	half  map[int]dataset.Resolution
}

// part is some decoded rows of a block, in memory of its own.
type part struct {
	columns
	row []int64
}

// Blocks implements stat.Source.
func (m moved) Blocks() int { return len(m.parts) }

// Load implements stat.Source.
func (m moved) Load(i int) (stat.Block, error) {
	b, _, err := m.LoadExtra(i)
	return b, err
}

// LoadExtra implements stat.ExtraSource.
func (m moved) LoadExtra(i int) (b stat.Block, extra stat.Extra, err error) {
	p := m.parts[i]
	c := p.columns
	c.numbers, c.taken = map[int][]stat.DD{}, map[int]bool{}
	for column, values := range p.numbers {
		values = slices.Clone(values)
		if half, rounded := m.half[column]; rounded && m.draw > 0 {
			for k, v := range values {
				share := float64(mixed(m.draw, uint64(column), p.row[k]))/math.MaxUint64*2 - 1
				values[k] = v.Add(stat.F(half.Of(v.Hi) * share))
			}
		}
		c.numbers[column] = values
	}
	b.Row = p.row
	m.assemble(&c, &b)
	extra.Offset, err = m.offsets(&c, b.Row)
	return b, extra, err
}

// take reads the rows of a block of which one in so many is taken.
func (m *moved) take(block int, every uint64) error {
	rows, err := m.data.Rows(block)
	if err != nil || rows.Len() == 0 {
		return err
	}
	defer rows.Free()
	c, err := m.decode(rows)
	if err != nil {
		return err
	}
	p := part{columns: columns{numbers: map[int][]stat.DD{}, words: map[int][]string{}, levels: map[*factor][]int{}}}
	var at []int
	for k, keep := range c.keep {
		if number := rows.Number(k); keep && (every < 2 || mixed(0, 0, number)%every == 0) {
			at, p.row, p.keep = append(at, k), append(p.row, number), append(p.keep, true)
		}
	}
	for column, values := range c.numbers {
		p.numbers[column] = picked(values, at)
	}
	for column, values := range c.words {
		p.words[column] = picked(values, at)
	}
	for f, values := range c.levels {
		p.levels[f] = picked(values, at)
	}
	m.parts = append(m.parts, p)
	return nil
}

func picked[T any](values []T, at []int) []T {
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = values[k]
	}
	return out
}

// mixed is a number that a draw, a column and a row decide (SplitMix64, Steele,
// Lea and Flood 2014), so that results do not depend on the order of the work.
func mixed(draw, column uint64, row int64) uint64 {
	z := draw*0x9e3779b97f4a7c15 ^ column*0xd1b54a32d192ed03 ^ uint64(row)*0x8cb92ba72f3d8dd7
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// resolutions are those of the numeric columns that terms, response and offset are made
// of, without the exact ones. Weights are taken as they are, and so is a response that
// is counted.
func (m *design) resolutions(counted bool) map[int]dataset.Resolution {
	half := map[int]dataset.Resolution{}
	add := func(column int) {
		if r := m.data.Resolution(column); r != (dataset.Resolution{}) {
			half[column] = r
		}
	}
	if !counted {
		add(m.target)
	}
	for _, t := range m.terms {
		for _, p := range t.powers {
			add(p.column)
		}
	}
	for _, column := range []int{m.offset, m.exposure} {
		if column >= 0 {
			add(column)
		}
	}
	return half
}

const (
	moves      = 5    // refits
	movedRows  = 8192 // rows of one, at most
	movedWork  = 20e6 // rows times squared columns of one
	movedLimit = 50e6 // the same, above which none is made
	movedParts = 8    // blocks that the rows of one are taken from
	twoSigma   = 2.0  // an error bar is so many times the largest movement
)

// movement is how far figures move with the last digits of the data: estimates of
// the largest movement.
type movement struct {
	coef, se []float64 // of each coefficient; of each standard error, relative to it
	whole    float64   // of R squared, or of the deviance
	exact    bool      // no column has a last digit that could be another
}

// sample takes the rows that refits are made of; nil where these are too many for
// the columns.
func (r *fitted) sample() (m *moved, whole bool, err error) {
	p := float64(len(r.model.terms) + 1)
	rows := math.Min(movedRows, movedWork/p/p)
	if float64(r.n) > rows {
		rows = math.Max(rows, math.Min(float64(r.n), 2*p+20))
	}
	if rows*p*p > movedLimit {
		return nil, false, nil
	}
	m = &moved{design: r.model}
	blocks := r.model.Blocks()
	parts, every := blocks, uint64(1)
	if whole = float64(r.n) <= rows; !whole {
		parts = min(blocks, movedParts)
		every = uint64(math.Ceil(float64(r.n) * float64(parts) / float64(blocks) / rows))
	}
	for i := range parts {
		if err := m.take(i*blocks/parts, every); err != nil {
			return nil, false, err
		}
	}
	return m, whole, nil
}

// again is a refit: of its rows, the coefficients with their standard errors (nil under
// a penalty), and R squared or the deviance.
type again struct {
	n        int
	coef, se []float64
	whole    float64
}

// refit fits the same model to other rows, or to the same with other last digits. Of a
// likelihood it is the weighted least squares fit at its maximum.
func (r *fitted) refit(ctx context.Context, m *moved) (*again, error) {
	switch {
	case r.penalty != nil:
		return r.refitPenalised(ctx, m)
	case r.glm != nil:
		g, err := r.glm.Near(ctx, m)
		if err != nil {
			return nil, err
		}
		return &again{g.N, g.Coef, g.SE, g.Deviance}, nil
	}
	f, err := stat.LeastSquares(ctx, m, stat.Options{NoIntercept: !r.in.Intercept, Weighted: r.in.Weights != ""})
	if err != nil {
		return nil, err
	}
	if m.draw == 0 && len(f.Aliased) != len(r.fit.Aliased) {
		return nil, stat.ErrSingular // the rows of the sample say less than all
	}
	return &again{f.N, f.Coef, f.SE, f.R2}, nil
}

// again is the fit itself, as its refits are.
func (r *fitted) again() *again {
	switch {
	case r.penalty != nil:
		return &again{r.n, r.coef, nil, r.penalty.fit.R2}
	case r.glm != nil:
		return &again{r.n, r.coef, r.classical, r.glm.Deviance}
	}
	return &again{r.n, r.coef, r.classical, r.fit.R2}
}

// move refits with the last digits moved; nil where that is too much work or
// leads to no fit.
func (r *fitted) move(ctx context.Context) (*movement, error) {
	out := &movement{coef: make([]float64, len(r.coef)), se: make([]float64, len(r.coef))}
	half := r.model.resolutions(r.glm != nil)
	if out.exact = len(half) == 0; out.exact {
		return out, nil
	}
	m, whole, err := r.sample()
	if m == nil || err != nil {
		return nil, err
	}
	base := r.again()
	if !whole {
		if base, err = r.refit(ctx, m); err != nil {
			return nil, ofContext(err)
		}
	}
	m.half = half
	var list []*again
	for m.draw = 1; m.draw <= moves; m.draw++ {
		f, err := r.refit(ctx, m)
		if err != nil {
			return nil, ofContext(err)
		}
		list = append(list, f)
	}
	share := math.Sqrt(float64(base.n) / float64(r.n))
	of := func(figure func(*again) float64) float64 {
		var by []float64
		for _, f := range list {
			by = append(by, figure(f)-figure(base))
		}
		return farthest(by, share)
	}
	for k := range r.coef {
		out.coef[k] = of(func(f *again) float64 { return f.coef[k] })
		if base.se != nil {
			out.se[k] = of(func(f *again) float64 { return f.se[k] }) / base.se[k]
		}
	}
	if out.whole = of(func(f *again) float64 { return f.whole }); r.glm != nil {
		out.whole /= share * share // a deviance is a sum over the rows
	}
	return out, nil
}

// ofContext is the error of a call that has ended; any other is of the moved data.
func ofContext(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// farthest estimates the largest movement of a figure from some: what they have
// in common, as of the attenuation of slopes, stays with more rows; what varies
// falls by share, the root of the rows of the refits among all.
func farthest(by []float64, share float64) float64 {
	mean, square, most := 0.0, 0.0, 0.0
	for _, b := range by {
		mean += b / float64(len(by))
	}
	for _, b := range by {
		square += (b - mean) * (b - mean) / float64(len(by)-1)
		most = math.Max(most, math.Abs(b-mean))
	}
	common := math.Abs(mean)
	if common <= math.Sqrt(square) {
		common *= share
	}
	return common + twoSigma*most*share
}
