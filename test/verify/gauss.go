package main

import (
	"math"
	"sync"
)

// legendre is a polynomial of Legendre and its derivative on [-1, 1].
func legendre(n int, x float64) (value, slope float64) {
	before, value := 0.0, 1.0
	for k := range n {
		before, value = value, (float64(2*k+1)*x*value-float64(k)*before)/float64(k+1)
	}
	if x*x == 1 {
		return value, math.Pow(x, float64(n+1)) * float64(n*(n+1)) / 2
	}
	return value, float64(n) * (x*value - before) / (x*x - 1)
}

var gauss sync.Map

type rule struct{ points, weights []float64 }

// gaussRule has n points on [0, 1].
func gaussRule(n int) rule {
	if r, ok := gauss.Load(n); ok {
		return r.(rule)
	}
	var r rule
	for i := range n {
		x := -math.Cos(math.Pi * (float64(i) + 0.75) / (float64(n) + 0.5))
		for range 100 {
			value, slope := legendre(n, x)
			x -= value / slope
			if math.Abs(value/slope) < 1e-15 {
				break
			}
		}
		_, slope := legendre(n, x)
		r.points = append(r.points, (1+x)/2)
		r.weights = append(r.weights, 1/((1-x*x)*slope*slope))
	}
	gauss.Store(n, r)
	return r
}

func gaussPoints(n int) []float64  { return gaussRule(n).points }
func gaussWeights(n int) []float64 { return gaussRule(n).weights }
