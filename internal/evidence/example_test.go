package evidence_test

import (
	"fmt"

	"atelier/internal/evidence"
)

// A tool says what it has computed and checked. An error bar that a refinement
// stands behind makes a figure verified; one failed check makes it suspect,
// whatever else has passed.
func ExampleJudge() {
	tip := evidence.Of("tip deflection", "/deflection", 1.905e-6, "m", "quadratic elements").PlusMinus(3e-9, "estimate").Quote()
	finer := evidence.Within("mesh_refinement", evidence.Refinement, "/deflection", 0.0016, 0.05, "1", "A mesh of half the size gives the same within 0.16 %.")
	small := evidence.Holds("small_deflection", evidence.Model, "", false, "The deflection is 12 % of the length: the linear model does not hold.")

	for _, checks := range [][]evidence.Check{{finer}, {finer, small}} {
		e, err := evidence.Judge(evidence.Statement{Checks: checks, Figures: []evidence.Figure{tip}})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Trust(), e.Trust().Confidence())
	}
	// Output:
	// verified 0.95
	// suspect 0.2
}
