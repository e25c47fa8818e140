package main

import "math"

// roots are the first n of a function that changes its sign once in each interval that
// between gives.
func roots(n int, f func(float64) float64, between func(int) (float64, float64)) []float64 {
	var all []float64
	for i := range n {
		low, high := between(i)
		sign := f(low) > 0
		for range 200 {
			mid := (low + high) / 2
			if f(mid) > 0 == sign {
				low = mid
			} else {
				high = mid
			}
		}
		all = append(all, (low+high)/2)
	}
	return all
}

// slabRoots are those of x tan x = Biot's number (Carslaw and Jaeger, appendix IV).
func slabRoots(n int, biot float64) []float64 {
	return roots(n, func(x float64) float64 { return x*math.Sin(x) - biot*math.Cos(x) },
		func(i int) (float64, float64) { return float64(i) * math.Pi, (float64(i) + 0.5) * math.Pi })
}

// cylinderRoots are those of x J1(x) = Biot's number J0(x).
func cylinderRoots(n int, biot float64) []float64 {
	zero := func(f func(float64) float64, i int, start float64) float64 {
		return roots(1, f, func(int) (float64, float64) {
			x := (float64(i) + start) * math.Pi
			return x - 0.6, x + 0.6
		})[0]
	}
	return roots(n, func(x float64) float64 { return x*math.J1(x) - biot*math.J0(x) }, func(i int) (float64, float64) {
		low := 0.0
		if i > 0 {
			low = zero(math.J1, i, 0.25)
		}
		return low, zero(math.J0, i, 0.75)
	})
}

// quenchedSlab is the share of the excess of temperature that is left at x, of a slab
// from an insulated face at 0 to one at 1 with a film, at Fourier's number fo; of x < 0
// the mean (Carslaw and Jaeger, Conduction of Heat in Solids, 3.10).
func quenchedSlab(biot, fo, x float64) float64 {
	sum := 0.0
	for _, l := range slabRoots(60, biot) {
		shape := math.Cos(l * x)
		if x < 0 {
			shape = math.Sin(l) / l
		}
		sum += 4 * math.Sin(l) / (2*l + math.Sin(2*l)) * shape * math.Exp(-l*l*fo)
	}
	return sum
}

// quenchedCylinder is the same of a cylinder of radius 1 (7.7).
func quenchedCylinder(biot, fo, r float64) float64 {
	sum := 0.0
	for _, l := range cylinderRoots(40, biot) {
		shape := math.J0(l * r)
		if r < 0 {
			shape = 2 * math.J1(l) / l
		}
		sum += 2 * math.J1(l) / (l * (math.J0(l)*math.J0(l) + math.J1(l)*math.J1(l))) * shape * math.Exp(-l*l*fo)
	}
	return sum
}

// cooledRectangle is the excess of temperature over that of a film on the faces x = w and
// y = h of a rectangle whose face y = 0 is 1 above it, x = 0 insulated, and the heat that
// enters through y = 0 over the conductivity (Carslaw and Jaeger, 5.3). b: film's
// coefficient over the conductivity.
func cooledRectangle(w, h, b float64) (at func(x, y float64) float64, heat float64) {
	list := slabRoots(400, b*w)
	// The ratio to its value at y = 0 of cosh m(h-y) + b/m sinh m(h-y), without overflow.
	along := func(m, y float64) float64 {
		p, q := 1+b/m, 1-b/m
		return math.Exp(-m*y) * (p + q*math.Exp(-2*m*(h-y))) / (p + q*math.Exp(-2*m*h))
	}
	at = func(x, y float64) float64 {
		sum := 0.0
		for _, l := range list {
			sum += 4 * math.Sin(l) / (2*l + math.Sin(2*l)) * math.Cos(l*x/w) * along(l/w, y)
		}
		return sum
	}
	for _, l := range list {
		m := l / w
		p, q, fall := 1+b/m, 1-b/m, math.Exp(-2*m*h)
		heat += 4 * math.Sin(l) / (2*l + math.Sin(2*l)) * math.Sin(l) / m * m * (p - q*fall) / (p + q*fall)
	}
	return at, heat
}

// poissonRectangle is the solution of -div grad u = 1 that vanishes at the sides of a
// rectangle, and its integral (Timoshenko and Goodier, Theory of Elasticity, art. 109).
func poissonRectangle(a, b float64) (at func(x, y float64) float64, integral float64) {
	at = func(x, y float64) float64 {
		sum := x * (a - x) / 2
		for n := 1.0; n < 400; n += 2 {
			m := n * math.Pi / a
			s := math.Abs(y - b/2)
			// cosh m s / cosh m b/2
			ratio := (math.Exp(m*(s-b/2)) + math.Exp(-m*(s+b/2))) / (1 + math.Exp(-m*b))
			sum -= 4 * a * a / math.Pow(n*math.Pi, 3) * math.Sin(m*x) * ratio
		}
		return sum
	}
	integral = a * a * a * b / 12
	for n := 1.0; n < 400; n += 2 {
		m := n * math.Pi / a
		integral -= 4 * a * a / math.Pow(n*math.Pi, 3) * (2 / m) * (2 / m) * math.Tanh(m*b/2)
	}
	return at, integral
}

// poissonBox is the same of a box: the value in its middle and the integral.
func poissonBox(a, b, c float64) (middle, integral float64) {
	// Sines along a and b, a closed form along c.
	for m := 1.0; m < 300; m += 2 {
		for n := 1.0; n < 300; n += 2 {
			p := math.Pi * math.Sqrt(m*m/(a*a)+n*n/(b*b))
			f := 16 / (math.Pi * math.Pi * m * n) / (p * p)
			sign := 1.0
			if int(m+n)%4 == 0 {
				sign = -1
			}
			middle += sign * f * (1 - 1/math.Cosh(p*c/2))
			integral += f * 4 * a * b / (math.Pi * math.Pi * m * n) * (c - 2/p*math.Tanh(p*c/2))
		}
	}
	return middle, integral
}
