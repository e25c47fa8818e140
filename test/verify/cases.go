package main

import "slices"

func allCases() []testCase {
	return slices.Concat(structureCases(), holeCases(), beamCases(), modalCases(), loadCases(), heatCases(), cornerCases())
}
