package main

import "slices"

func allCases() []testCase {
	return slices.Concat(structureCases(), revolutionCases(), holeCases(), beamCases(), modalCases(), vibrationCases(), loadCases(), heatCases(), cornerCases(), accuracyCases())
}
