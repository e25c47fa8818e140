package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// banded is a symmetric matrix, its rows up to the diagonal.
type banded struct {
	n, width int // entries left of the diagonal
	rows     [][]float64
}

func newBanded(n, width int) *banded {
	b := &banded{n: n, width: width, rows: make([][]float64, n)}
	for i := range b.rows {
		b.rows[i] = make([]float64, min(i, width)+1)
	}
	return b
}

func (b *banded) first(i int) int { return max(0, i-b.width) }

func (b *banded) add(i, j int, v float64) {
	if j > i {
		i, j = j, i
	}
	b.rows[i][j-b.first(i)] += v
}

// clear empties a row and its column.
func (b *banded) clear(u int) {
	clear(b.rows[u])
	for i := u + 1; i < min(b.n, u+b.width+1); i++ {
		b.rows[i][u-b.first(i)] = 0
	}
}

func (b *banded) clamp(u int) {
	b.clear(u)
	b.add(u, u, 1)
}

func (b *banded) times(x []float64) []float64 {
	y := make([]float64, b.n)
	for i, row := range b.rows {
		start := b.first(i)
		for k, v := range row {
			y[i] += v * x[start+k]
			if start+k < i {
				y[start+k] += v * x[i]
			}
		}
	}
	return y
}

// factor is Cholesky's.
func (b *banded) factor() *banded {
	l := newBanded(b.n, b.width)
	for i, row := range b.rows {
		start := b.first(i)
		for j := start; j <= i; j++ {
			from := max(start, b.first(j))
			left, right := l.rows[i][from-start:j-start], l.rows[j][from-l.first(j):j-l.first(j)]
			sum := row[j-start]
			for k, v := range left {
				sum -= v * right[k]
			}
			if j < i {
				l.rows[i][j-start] = sum / l.rows[j][j-l.first(j)]
			} else {
				l.rows[i][j-start] = math.Sqrt(sum)
			}
		}
	}
	return l
}

// solve is by a factor.
func (b *banded) solve(right []float64) []float64 {
	x := slices.Clone(right)
	for i, row := range b.rows {
		start, end := b.first(i), len(row)-1
		for k, v := range row[:end] {
			x[i] -= v * x[start+k]
		}
		x[i] /= row[end]
	}
	for i := b.n - 1; i >= 0; i-- {
		row, start := b.rows[i], b.first(i)
		end := len(row) - 1
		x[i] /= row[end]
		for k, v := range row[:end] {
			x[start+k] -= v * x[i]
		}
	}
	return x
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// lowest are the n lowest eigenvalues of K x = lambda M x by subspace iteration (Bathe,
// Finite Element Procedures, 11.6).
func lowest(k, m *banded, n int) []float64 {
	factor := k.factor()
	size := n + 6
	random := rand.New(rand.NewPCG(1, 2))
	x := make([][]float64, size)
	for i := range x {
		right := make([]float64, k.n)
		for j := range right {
			right[j] = random.Float64() - 0.5
		}
		x[i] = factor.solve(m.times(right))
	}
	var values []float64
	for range 25 {
		y := make([][]float64, size)
		for i := range x {
			y[i] = factor.solve(m.times(x[i]))
		}
		var before []float64
		before, values = values, nil
		values, x = project(k, m, y)
		if before != nil && math.Abs(before[n-1]-values[n-1]) < 1e-10*values[n-1] {
			break
		}
	}
	return values[:n]
}

// project solves the problem within the space of some vectors; they are made orthogonal
// in M first.
func project(k, m *banded, y [][]float64) ([]float64, [][]float64) {
	momentum := make([][]float64, len(y))
	for i := range y {
		for range 2 {
			for j := range i {
				c := dot(momentum[j], y[i])
				for t := range y[i] {
					y[i][t] -= c * y[j][t]
				}
			}
		}
		momentum[i] = m.times(y[i])
		c := 1 / math.Sqrt(dot(y[i], momentum[i]))
		for t := range y[i] {
			y[i][t] *= c
			momentum[i][t] *= c
		}
	}
	a := make([][]float64, len(y))
	for i := range y {
		ky := k.times(y[i])
		a[i] = make([]float64, len(y))
		for j := range y {
			a[i][j] = dot(ky, y[j])
		}
	}
	values, vectors := jacobi(a)
	x := make([][]float64, len(y))
	for c := range x {
		x[c] = make([]float64, k.n)
		for i := range y {
			for t := range x[c] {
				x[c][t] += vectors[i][c] * y[i][t]
			}
		}
	}
	return values, x
}

// jacobi are the eigenvalues of a small symmetric matrix, from the lowest, and the
// vectors in columns.
func jacobi(a [][]float64) ([]float64, [][]float64) {
	n := len(a)
	v := make([][]float64, n)
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	for range 30 {
		for p := range n {
			for q := p + 1; q < n; q++ {
				if a[p][q] == 0 {
					continue
				}
				theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
				t := math.Copysign(1, theta) / (math.Abs(theta) + math.Hypot(theta, 1))
				c := 1 / math.Hypot(t, 1)
				s := t * c
				for k := range n {
					a[k][p], a[k][q] = c*a[k][p]-s*a[k][q], s*a[k][p]+c*a[k][q]
				}
				for k := range n {
					a[p][k], a[q][k] = c*a[p][k]-s*a[q][k], s*a[p][k]+c*a[q][k]
				}
				for k := range n {
					v[k][p], v[k][q] = c*v[k][p]-s*v[k][q], s*v[k][p]+c*v[k][q]
				}
			}
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if a[i][i] < a[j][j] {
			return -1
		}
		return 1
	})
	values, sorted := make([]float64, n), make([][]float64, n)
	for i := range sorted {
		sorted[i] = make([]float64, n)
		for c, from := range order {
			values[c] = a[from][from]
			sorted[i][c] = v[i][from]
		}
	}
	return values, sorted
}
