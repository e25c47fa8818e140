package solve

import (
	"testing"

	"atelier/internal/testenv"
)

// What is our own in the driver, each part alone: engines/mfem/tests.
func TestDriver(t *testing.T) { testenv.NativeTests(t, engineName) }
