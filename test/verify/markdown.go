package main

import (
	"fmt"
	"slices"
	"strings"
)

const head = `# Verification

The finite-element tools against problems with known answers: %d cases, %d draws, %d figures. Of every draw the dimensions, loads, materials, meshes (coarse to fair, of quadrilaterals, triangles, hexahedra, tetrahedra or prisms, some graded or distorted, straight or curved) and the order of the elements are drawn at random; the problem runs through the tool as the server runs it. The references are closed forms, series, or codes of their own in [test/verify](../test/verify), never a solver of this project. Made by ` + "`make verify`" + ` with seed %d; ` + "`go run ./test/verify -seed %d -case NAME -draw N -keep FOLDER`" + ` writes the mesh and the arguments of a draw.

*Within* is the share of figures whose true error is at most their error bar; *bar* is the error bar over the true error, in the median of the figures that are not exact to 1e-6; *worst* is the largest true error, relative to the true value. The largest equivalent stress is counted apart (*peak*: within its bar, of those that have one; then its median and worst error, and how often it was ` + "`verified`" + `). *Words* count the [trust](evidence.md) of the figures.

| case | reference | figures | draws | within | bar | worst | words | peak |
|---|---|---|---|---|---|---|---|---|
`

func (t *table) markdown() string {
	all := t.total()
	var b strings.Builder
	fmt.Fprintf(&b, head, len(t.rows), all.draws, all.figures, t.seed, t.seed)
	class := ""
	for _, r := range t.rows {
		if r.verdicts > 0 {
			continue // told apart
		}
		if r.class != class {
			class = r.class
			fmt.Fprintf(&b, "| **%s** | | | | | | | | |\n", class)
		}
		b.WriteString(r.line())
	}
	b.WriteString(all.line())
	t.singular(&b)
	b.WriteString("\n## What fell short\n\n")
	if faults := t.faults(); len(faults) > 0 {
		b.WriteString("Errors beyond their bar, and draws without an answer:\n\n" + strings.Join(faults, ""))
	} else {
		b.WriteString("Nothing: every error is within its bar, and every draw was answered.\n")
	}
	b.WriteString(`
## What is not in it

Large deflection, plasticity, contact and preloaded bolts are held against closed forms by the tests of internal/tools/solve. NAFEMS T2 needs radiation, T3 a temperature that varies in time, LE10 a stress at a point with an error bar; T1, LE11 and a free plate (FV12) have no reference here yet.
`)
	return b.String()
}

// singular tells how often the verdict on the largest stress was right.
func (t *table) singular(b *strings.Builder) {
	b.WriteString(`
## Singular places

Whether the largest stress has a bound in linear elasticity: *right* is how often ` + "`von_mises.singularity`" + ` said what theory says.

| case | reference | draws | right |
|---|---|---|---|
`)
	for _, r := range append(slices.Clone(t.rows), t.total()) {
		if r.verdicts > 0 {
			fmt.Fprintf(b, "| %s | %s | %d | %d |\n", r.name, r.source, r.verdicts, r.right)
		}
	}
}

func (r row) line() string {
	return fmt.Sprintf("| %s | %s | %s | %d | %s | %s | %s | %s | %s |\n", r.name, r.source, strings.Join(r.pointers, ", "), r.draws,
		share(r.within, r.figures), r.width(), r.worst(), r.trust(), r.peak())
}

// faults lists what is wrong, one line each.
func (t *table) faults() []string {
	var all []string
	for _, r := range t.results {
		for _, line := range r.wrong() {
			line, _, _ = strings.Cut(line, "\n")
			all = append(all, fmt.Sprintf("- %s, draw %d: %s\n", r.c.name, r.n, line))
		}
	}
	return slices.Compact(all)
}
