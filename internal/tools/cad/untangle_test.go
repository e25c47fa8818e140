package cad

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"testing"

	"atelier/internal/testenv"
)

// squeezed meshes a ball in curved elements, moves an inner vertex towards the surface until
// a curved face bulges through its element, and lets this be untangled.
const squeezed = `
import json, os, tempfile
import numpy as np
from netgen.occ import *
from atelier_netgen import elements, mesher, model, sizing, untangle
os.chdir(tempfile.mkdtemp())
Sphere(Pnt(0, 0, 0), %[1]v).WriteStep("ball.step")
part = model.Model("ball.step")
raw = mesher.generate(part, sizing.Sizes({"growth": 0.3, "elements_per_circle": 12, "max_size": %[1]v / 4}, part), 60, ".")
tets = raw.tetrahedra
if elements.jacobians(raw.points[tets])[2].sum() < 0:
    tets = tets[:, [1, 0, 2, 3, 4, 7, 8, 5, 6, 9]]
outer = np.zeros(len(raw.points), bool)
outer[raw.triangles] = True
ends = {}  # of edges from an inner vertex to one of the surface
for tet in tets.tolist():
    for i, j in elements.EDGES:
        a, b = (tet[j], tet[i]) if outer[tet[i]] else (tet[i], tet[j])
        if outer[b] and not outer[a]:
            ends.setdefault(a, b)
def squeezed(a, b, share):
    points = raw.points.copy()
    points[a] = points[b] + share * (points[a] - points[b])
    for t in tets[(tets[:, :4] == a).any(axis=1)].tolist():
        for k, (p, q) in enumerate(elements.EDGES):
            if a in (t[p], t[q]):
                points[t[4 + k]] = (points[t[p]] + points[t[q]]) / 2
    return points
def folds(points):  # some curved element, and none by its corners alone
    flat = elements.jacobians(elements.straight(points[tets]))[0]
    return flat.min() > 0 and int((elements.jacobians(points[tets])[0] <= 0).sum())
tried = ((a, b, share) for share in (0.3, 0.2, 0.1, 0.05, 0.02) for a, b in ends.items())
points, folded = next(((p, n) for one in tried if (n := folds(p := squeezed(*one)))), (raw.points, 0))
surface, angle = points[raw.triangles].copy(), float(elements.least_angles(points[tets]).min())
flatter = untangle.untangle(points, tets, raw.triangles)
low, high, _ = elements.jacobians(points[tets])
print(json.dumps({"folded": folded, "least": float((low / high).min()), "inverted": int((high <= 0).sum()),
                  "flatter": flatter, "before": angle, "after": float(elements.least_angles(points[tets]).min()), "moved": float(np.abs(points[raw.triangles] - surface).max())}))
`

// Curved elements that fold over because an inner vertex is too near to the surface are
// mended by moving that vertex: the surface stays on the CAD face.
func TestFoldedElementsKeepTheSurface(t *testing.T) {
	newHost(t, netgen)
	r := random(t)
	python := filepath.Join(testenv.Engines(), netgen, "bin", "python")
	out, err := exec.Command(python, "-c", fmt.Sprintf(squeezed, between(r, 3, 30))).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Folded, Inverted, Flatter int
		Least, Moved              float64
		Before, After             float64 // least dihedral angle, degrees
	}
	if err := json.Unmarshal(out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:], &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got.Folded == 0 {
		t.Fatalf("the test folds no element: %+v", got)
	}
	if got.Inverted > 0 || got.Least < 0.02 || got.Flatter > 0 || got.Moved > 0 {
		t.Errorf("%+v", got)
	}
	if got.After < math.Min(got.Before, 7)-1e-9 { // no element becomes flat to make room for another
		t.Errorf("%+v", got)
	}
}
