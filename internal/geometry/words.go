package geometry

import "fmt"

// InBodies says in how many bodies something is, with a space before it; nothing of one.
func InBodies(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" in %d bodies", n)
}
