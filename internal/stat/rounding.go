package stat

import "math"

// Rounding is what arithmetic may have done to the figures of a fit: estimates,
// to first order, of the largest error. The factor is that of a computation in
// which every column is perturbed by unit of its own length (Higham, Accuracy and
// Stability of Numerical Algorithms, 2nd ed., sections 19.3 and 20.1):
//
//	|db| <= unit (|T| (|y| + sum |x_j| |b_j|) + |(X'X)^-1| |x_j| |e|)
//
// T being the inverse of the triangular factor and e the residuals. The length of a
// column counts the digits that centring it takes away. Products of the centred
// columns add unit |(X'X)^-1| |x_j| (|y| + sum |x_j| |b_j|).
type Rounding struct {
	Coef  []float64 // of each coefficient, ordered as Coef
	SE    []float64 // of each standard error, relative to it
	Sigma float64   // of the residual standard deviation, relative to it
	R2    float64
}

// ddUnit is more than the relative error of one operation on double-doubles,
// and of the powers of columns that the data are made of.
const ddUnit = 0x1p-102

// doubleUnit is the rounding of a result to float64.
const doubleUnit = 0x1p-53

// unit is what a column of the fit may have moved by, relative to its length:
// sums of n products lose the root of n, as their errors have both signs.
func (f *Fit) unit() float64 {
	return ddUnit * float64(f.P+4) * (1 + math.Sqrt(float64(f.N))/16)
}

// lengths are those of the scaled columns, and last of the response: centred, and
// together with what they have as they are given, before that.
func (f *Fit) lengths() (centred, given []float64) {
	rows := math.Abs(f.r[0][0].Hi) // the root of the sum of the weights
	add := func(i int, c column) {
		n := f.r.norm2(i).Sqrt().Hi
		largest := n
		if !f.opts.NoIntercept {
			largest = math.Ldexp(math.Max(math.Abs(c.min.Hi), math.Abs(c.max.Hi)), -c.exp) * rows
		}
		centred, given = append(centred, n), append(given, n+largest)
	}
	if !f.opts.NoIntercept {
		centred, given = append(centred, rows), append(given, rows)
	}
	for k, j := range f.used {
		add(k+f.first(), f.scan.cols[j])
	}
	add(len(f.r)-1, f.scan.cols[len(f.scan.cols)-1])
	return centred, given
}

// reach is the length of the response and of what the coefficients make of the
// columns.
func (f *Fit) reach(lengths []float64) float64 {
	total := lengths[f.P]
	for m, b := range f.beta {
		total += lengths[m] * math.Abs(b.Hi)
	}
	return total
}

// round estimates what arithmetic has done, and how many digits it has left. Fits
// by products add the rounding of these, which is of the centred columns.
func (f *Fit) round() {
	centred, given := f.lengths()
	unit, q := f.unit(), len(f.r)-1
	total, products := f.reach(given), 0.0
	if f.Method == "cross_products" {
		products = f.reach(centred)
	}
	rest := math.Max(math.Abs(f.r[q][q].Hi), exactRatio*given[f.P])
	rows, spread := f.inverseFloats()
	byRows, byProducts := 0.0, 0.0
	errors := make([]float64, f.P)
	for k := range errors {
		byRows, byProducts = byRows+given[k]*spread[k], byProducts+centred[k]*spread[k]
		far, near := 0.0, 0.0
		for j := range rows {
			c := 0.0
			for m, x := range rows[k] {
				c += x * rows[j][m]
			}
			far, near = far+math.Abs(c)*given[j], near+math.Abs(c)*centred[j]
		}
		errors[k] = unit * (spread[k]*total + far*rest + near*products)
	}
	out := Rounding{Coef: nans(len(f.Coef)), SE: nans(len(f.Coef)),
		Sigma: unit * (total/rest + products/rest*products/rest),
		R2:    4*unit*(total/centred[f.P]+products/centred[f.P]*products/centred[f.P]) + doubleUnit}
	relative := unit*byRows + out.Sigma
	if products > 0 {
		relative += unit * byProducts * byProducts
	}
	f.unscale(errors, out.Coef)
	for _, at := range f.positions() {
		out.SE[at] = relative + doubleUnit
	}
	f.Rounding = out
	f.Digits = f.digitsOf(out.Coef, given[f.P])
}

// inverseFloats is the inverse of the factor as float64, with the lengths of its
// rows.
func (f *Fit) inverseFloats() (rows [][]float64, spread []float64) {
	for _, row := range f.inv {
		list, sum := make([]float64, len(row)), 0.0
		for m, x := range row {
			list[m] = x.Hi
			sum = math.Hypot(sum, x.Hi)
		}
		rows, spread = append(rows, list), append(spread, sum)
	}
	return rows, spread
}

// unscale turns errors of the coefficients of the scaled columns into those of
// the columns as they were. The intercept takes those of all shifts.
func (f *Fit) unscale(errors, into []float64) {
	ey := f.scan.cols[len(f.scan.cols)-1].exp
	shifts := 0.0
	for k, j := range f.used {
		c := f.scan.cols[j]
		at := j + f.first()
		into[at] = math.Ldexp(errors[k+f.first()], ey-c.exp) + doubleUnit*math.Abs(f.Coef[at])
		shifts += math.Abs(c.shift) * math.Ldexp(errors[k+f.first()], ey-c.exp)
	}
	if !f.opts.NoIntercept {
		into[0] = math.Ldexp(errors[0], ey) + shifts + doubleUnit*math.Abs(f.Coef[0])
	}
}

// mostDigits is how many a figure is said to have at most.
const mostDigits = 15

// nothing is the part of the response below which a coefficient stands for no
// digit that a float64 response has: it is 0, and has no digits of its own.
const nothing = 1e-15

// digitsOf is the number of right digits of the coefficient that has fewest.
func (f *Fit) digitsOf(errors []float64, response float64) int {
	fewest := float64(mostDigits)
	for k, at := range f.positions() {
		if math.Abs(f.beta[k].Hi)*f.r.norm2(k).Sqrt().Hi > nothing*response {
			fewest = math.Min(fewest, -math.Log10(errors[at]/math.Abs(f.Coef[at])))
		}
	}
	return wholeDigits(fewest)
}

// digitsOfColumns is the same of any response, as the columns determine it.
func (f *Fit) digitsOfColumns() int {
	centred, given := f.lengths()
	_, spread := f.inverseFloats()
	total, products := 0.0, 0.0
	for m, s := range spread {
		total, products = total+given[m]*s, products+centred[m]*s
	}
	if f.Method == "cross_products" {
		total += products * products
	}
	return wholeDigits(-math.Log10(f.unit() * total))
}

func wholeDigits(digits float64) int {
	if math.IsNaN(digits) {
		return 0
	}
	return int(math.Max(0, math.Min(mostDigits, digits)))
}

// Inflation is the variance inflation of some columns among themselves, by
// column of X; NaN of one that is not estimated. Powers and products of a column
// depend on it by nature (Marquardt 1980): they say nothing of whether two
// columns of the table are one.
func (f *Fit) Inflation(columns []int) []float64 {
	out := nans(len(f.scan.cols) - 1)
	var places, which []int
	for k, j := range f.used {
		for _, wanted := range columns {
			if j == wanted {
				places, which = append(places, k+f.first()), append(which, j)
			}
		}
	}
	some := make([][]DD, len(places))
	for i, at := range places {
		for row := f.first(); row < f.P; row++ {
			v := DD{}
			if row <= at {
				v = f.r[row][at]
			}
			some[i] = append(some[i], v)
		}
	}
	if len(some) == 0 {
		return out
	}
	r := newTriangle(len(some))
	r.absorb(some)
	inv := r.inverse(len(some))
	for i, j := range which {
		v, e := squares(inv[i])
		out[j] = v.Mul(r.norm2(i)).Ldexp(2 * e).Float()
	}
	return out
}

// SquaresRounding estimates what arithmetic may have done to a sum of squares of n
// numbers about means, relative to it; largest is the largest of the numbers.
func SquaresRounding(n int, largest, squares float64) float64 {
	if squares == 0 {
		return 0
	}
	return 32*ddUnit*math.Sqrt(float64(n))*largest/math.Sqrt(squares) + ddUnit*math.Sqrt(float64(n))
}

// MeanRounding is the same of a mean, in its unit.
func MeanRounding(largest float64) float64 { return (32*ddUnit + doubleUnit) * largest }
