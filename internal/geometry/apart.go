package geometry

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/evidence"
)

// Apartness says which bodies of a closed surface claim the same space.
type Apartness struct {
	Bodies   int
	Overlaps []Overlap
	Unit     string // of length
	// Turned counts shells that lie inside another one, faced outwards as a body of
	// its own does, and were taken as the wall of a cavity.
	Turned int
}

// Apart finds the overlaps of the bodies of a closed, oriented surface: those of
// its CAD faces, else its shells, each with the cavities inside it.
func (m *Mesh) Apart(ctx context.Context) (Apartness, error) { return m.ApartBy(ctx, m.solids()) }

// ApartBy is Apart with the body of every triangle given.
func (m *Mesh) ApartBy(ctx context.Context, body []int32) (a Apartness, err error) {
	a.Unit = cmp.Or(m.Meta.LengthUnit, FileUnit)
	seen := map[int32]bool{}
	for _, b := range body {
		seen[b] = true
	}
	a.Bodies = len(seen)
	a.Overlaps, err = m.Overlaps(ctx, body)
	return a, err
}

// solids is the body of every triangle: that of its CAD face where those are
// known, else its shell; a shell that faces inwards belongs to the smallest one
// around it.
func (m *Mesh) solids() []int32 {
	if body := m.bodies(); body != nil {
		return body
	}
	comp, n := m.glue().components()
	all := m.shells(comp, n)
	owner := make([]int32, n)
	for i := range all {
		owner[i] = int32(i + 1)
		if all[i].volume >= 0 {
			continue
		}
		best := -1
		for j := range all {
			o := &all[j]
			if o.volume > 0 && contains(o, &all[i]) && (best < 0 || o.volume < all[best].volume) && m.within(&all[i], o) {
				best = j
			}
		}
		if best >= 0 {
			owner[i] = int32(best + 1)
		}
	}
	body := make([]int32, len(m.Triangles))
	for t, c := range comp {
		body[t] = owner[c]
	}
	return body
}

// Check is the check bodies_apart; ok is false where there is one body only and
// nothing to check. name says what a body is called.
func (a Apartness) Check(figure string, name func(body int32) string) (c evidence.Check, ok bool) {
	switch {
	case len(a.Overlaps) > 0:
		return evidence.Holds("bodies_apart", evidence.Model, figure, false, fmt.Sprintf(
			"Bodies occupy the same space, which is counted for each of them: %s. Unite them or cut one from the other in the CAD model; touching is no overlap.",
			a.describe(name))), true
	case a.Turned > 0:
		return evidence.Holds("bodies_apart", evidence.Model, figure, false, fmt.Sprintf(
			"Shells inside others that faced outwards, as solid bodies do, were taken as walls of cavities (%d); whether the part has those is not known. Turn them inwards in the file where it has.",
			a.Turned)), true
	case a.Bodies < 2:
		return c, false
	}
	return evidence.Holds("bodies_apart", evidence.Model, figure, true, fmt.Sprintf(
		"The %d bodies occupy no common space beyond contact, by lines through each pair and next to where their surfaces meet.", a.Bodies)), true
}

// describe names the pairs with most common space.
func (a Apartness) describe(name func(body int32) string) string {
	if name == nil {
		name = func(b int32) string { return fmt.Sprintf("body %d", b) }
	}
	const shown = 5
	sorted := slices.Clone(a.Overlaps)
	slices.SortStableFunc(sorted, func(x, y Overlap) int { return cmp.Compare(y.Volume, x.Volume) })
	var parts []string
	for _, o := range sorted[:min(len(sorted), shown)] {
		parts = append(parts, fmt.Sprintf("%s and %s share about %.4g %s^3", name(o.A), name(o.B), o.Volume, a.Unit))
	}
	if n := len(sorted) - shown; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more pairs overlap", n))
	}
	return strings.Join(parts, "; ")
}
