package cad

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"atelier/internal/contract"
	"atelier/internal/evidence"
)

// Stuffing fills what OpenCASCADE draws of a part: faces that are plane stay so and have
// their exact areas, and their names and numbers are those that the other meshers give.
func TestStuffingFillsAPart(t *testing.T) {
	host := newHost(t, netgen, occt)
	r := random(t)
	l, w, h := between(r, 30, 60), between(r, 20, 30), between(r, 10, 20)
	file := part(t, "box.step", fmt.Sprintf("Box((0,0,0),(%v,%v,%v))", l, w, h))
	m := mesh(t, host, map[string]any{"file_path": file, "mesher": "stuffing", "max_size": h / 5})
	near(t, "volume", m.out.Volume, l*w*h, 1e-9)
	near(t, "outer area", m.out.Area, 2*(l*w+h*(l+w)), 1e-9)
	if m.out.ElementOrder != 1 || m.out.FaceCount != 6 || m.out.OffPlane > 1e-12*l || m.out.DistanceToCAD > 1e-6*l || m.Evidence.Trust() != evidence.Verified || m.Solver != "stuffing" {
		t.Errorf("%+v %s %v", m.out, m.Evidence.Trust(), m.Evidence.Reasons())
	}
	if ratio := float64(m.out.Expected) / float64(m.out.Tetrahedra); ratio < 1./3 || ratio > 3 || m.out.MaxSize != h/5 {
		t.Errorf("%d tetrahedra of %v mm were forecast, %d made of %v mm", m.out.Expected, m.out.MaxSize, m.out.Tetrahedra, h/5)
	}
	curved := mesh(t, host, map[string]any{"file_path": file})
	for _, f := range curved.out.Faces {
		i := indexOfFace(m.out.Faces, f.Face)
		if i < 0 || math.Abs(m.out.Faces[i].ExactArea/f.ExactArea-1) > 1e-9 || math.Abs(m.out.Faces[i].Area/f.ExactArea-1) > 1e-9 {
			t.Errorf("face %d of %v mm² is not the same in %+v", f.Face, f.ExactArea, m.out.Faces)
		}
	}
	if left, _ := os.ReadDir(m.dir); len(left) != 2 {
		t.Errorf("left in the folder: %v", left)
	}
	if !hasWarning(m.Warnings, "sizes_ignored") {
		t.Errorf("curved elements were asked for, and %v was said", m.Warnings)
	}
}

func indexOfFace(faces []meshFace, id int) int {
	for i, f := range faces {
		if f.Face == id {
			return i
		}
	}
	return -1
}

// A blunt cone with a point is none for Netgen; where Gmsh is not there either, its
// triangulation is filled. The volume is a third of base times height.
func TestStuffingIsTheLast(t *testing.T) {
	host := withoutGmsh{newHost(t, netgen, occt)}
	r := random(t)
	radius := between(r, 1, 100)
	height := 2 * radius
	m := mesh(t, host, map[string]any{"file_path": cone(t, radius, height)})
	last := m.out.Attempts[len(m.out.Attempts)-1]
	if last.Mesher != "stuffing" || last.Error != "" || len(m.out.Attempts) < 2 || m.out.Attempts[0].Error == "" || !hasWarning(m.Warnings, "last_mesher") {
		t.Errorf("attempts %+v, warnings %v", m.out.Attempts, m.Warnings)
	}
	near(t, "volume", m.out.Volume, math.Pi*radius*radius*height/3, 0.02)
	near(t, "exact volume", m.out.ExactVolume, math.Pi*radius*radius*height/3, 1e-6)
	off := math.Abs(m.out.Volume/m.out.ExactVolume - 1)
	if trust := m.Evidence.Trust(); (trust == evidence.Verified) != (off <= mostVolumeOff && m.out.DistanceToCAD <= mostDistance*math.Hypot(2*math.Sqrt2*radius, height)) {
		t.Errorf("%s with the volume %.2g off, %.2g mm from the faces: %v", trust, off, m.out.DistanceToCAD, m.Evidence.Reasons())
	}
}

// Of an assembly only what is asked for is filled; a part without a closed surface not at all.
func TestStuffingTakesBodies(t *testing.T) {
	host := newHost(t, netgen, occt)
	r := random(t)
	a, gap := between(r, 5, 9), between(r, 1, 3)
	file := part(t, "two.step", fmt.Sprintf("Compound([Box((0,0,0),(%[1]v,%[1]v,%[1]v)),Box((%[2]v,0,0),(%[3]v,%[1]v,%[1]v))])", a, a+gap, 3*a+gap))
	both := mesh(t, host, map[string]any{"file_path": file, "mesher": "stuffing", "max_size": a / 4})
	if both.out.BodyCount != 2 || both.Evidence.Trust() != evidence.Suspect || both.out.GroupCount != 2 {
		t.Errorf("two bodies that do not touch: %s %+v", both.Evidence.Trust(), both.out)
	}
	one := mesh(t, host, map[string]any{"file_path": file, "mesher": "stuffing", "max_size": a / 4, "bodies": []int{2}})
	near(t, "volume of the second", one.out.Volume, 2*a*a*a, 1e-9)
	if one.out.BodyCount != 1 || one.out.BodiesInFile != 2 || one.Evidence.Trust() != evidence.Verified {
		t.Errorf("%s %+v", one.Evidence.Trust(), one.out)
	}
	got := tryMesh(t, host, map[string]any{"file_path": file, "mesher": "stuffing", "bodies": []any{2, "nobody"}})
	if got.Status != contract.StatusError || got.Errors[0].Field != "/bodies/1" || !strings.Contains(got.Errors[0].Message, "nobody") {
		t.Errorf("%s %v", got.Status, got.Errors)
	}
}
