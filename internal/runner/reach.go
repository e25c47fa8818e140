package runner

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/evidence"
	"atelier/internal/quantity"
)

// beyond are checks that fail: one of each figure that cannot be of this world by
// its unit, whatever tool states it, or that moves a part by more than its size.
func beyond(s *evidence.Statement) []evidence.Check {
	var failed []evidence.Check
	for _, f := range s.Figures {
		if f.Value == nil {
			continue
		}
		why := quantity.BeyondReach(*f.Value, f.Unit)
		if metres, ok := quantity.Metres(*f.Value, f.Unit); ok && why == "" && s.Size > 0 && math.Abs(metres) > s.Size {
			why = fmt.Sprintf("%s is more than the size of the part, %s", quantity.Length.Format(metres), quantity.Length.Format(s.Size))
		}
		if why != "" {
			failed = append(failed, evidence.Holds("within_reach"+strings.ReplaceAll(f.Pointer, "/", "_"), evidence.Bounds, f.Pointer, false,
				fmt.Sprintf("%s: %s. Check units, loads, material and supports.", f.Name, why)))
		}
	}
	return failed
}
