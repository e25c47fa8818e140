package cad

import (
	"fmt"
	"math"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/part21"
)

// structure is how the parts of a STEP file are put together, as far as its text says it.
type structure struct {
	parts     map[int][]int // of a product definition, those of its components
	uses      int           // components
	placed    int           // of them, those with a place in the assembly
	mapped    map[int]bool  // transformations of mapped items
	relations map[int]bool  // transformations between representations
	operators map[int]operator
	ofItself  int // a relationship of a representation with itself, 0 for none
	missing   part21.Missing
}

// operator is a transformation that may scale and mirror.
type operator struct {
	scale float64
	axes  [3]int // instances of directions, 0 for the default
	whole bool   // it has as many attributes as the standard gives it
}

func newStructure() structure {
	return structure{parts: map[int][]int{}, mapped: map[int]bool{}, relations: map[int]bool{}, operators: map[int]operator{}}
}

const (
	component      = "NEXT_ASSEMBLY_USAGE_OCCURRENCE"
	placement      = "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"
	mappedItem     = "MAPPED_ITEM"
	transformation = "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION"
	relationship   = "REPRESENTATION_RELATIONSHIP"
	operator3D     = "CARTESIAN_TRANSFORMATION_OPERATOR_3D"
)

func (s *structure) wanted(keyword string) bool {
	switch keyword {
	case component, placement, mappedItem, transformation, relationship, operator3D:
		return true
	}
	return false
}

func (s *structure) add(id int, r part21.Record) {
	switch r.Keyword {
	case component:
		s.uses++
		s.parts[r.At(3).ID] = append(s.parts[r.At(3).ID], r.At(4).ID)
	case placement:
		s.placed++
	case mappedItem:
		s.mapped[r.At(2).ID] = true
	case transformation:
		s.relations[r.At(len(r.Parameters)-1).ID] = true
	case relationship:
		if r.At(2).Kind == part21.Reference && r.At(2).ID == r.At(3).ID {
			s.ofItself = id
		}
	case operator3D:
		// name, name and description of the transformation, axes 1 and 2, origin, scale, axis 3
		o := operator{scale: 1, axes: [3]int{r.At(3).ID, r.At(4).ID, r.At(7).ID}, whole: len(r.Parameters) == 8}
		if scale, ok := r.At(6).Real(); ok {
			o.scale = scale
		}
		s.operators[id] = o
	}
}

// lost says which parts of the model the file has no shape or no place for; "" for none.
func (s *structure) lost() string {
	var said []string
	if n := s.missing.Count; n > 0 {
		var first []string
		for _, id := range s.missing.First {
			first = append(first, fmt.Sprintf("#%d", id))
		}
		said = append(said, fmt.Sprintf("The file names %d instances that it does not have (%s): what they are of is missing or damaged.",
			n, contract.Listed(first, len(first))))
	}
	if n := s.uses - s.placed - len(s.mapped); n > 0 {
		said = append(said, fmt.Sprintf("%d of the %d components of the assembly have no place in the file and are not in it.", n, s.uses))
	}
	return strings.Join(said, " ")
}

// refuse stops at an assembly that no kernel puts together as the file says. direction reads
// the ratios of a direction.
func (s *structure) refuse(direction func(id int) ([3]float64, bool)) error {
	if at := s.circle(); at != 0 {
		return contract.Errorf(contract.CodeFileUnreadable, "the assembly contains itself: product definition #%d is a component of its own", at).
			At("/file_path").WithHint("Export the assembly again; a file edited by hand or by script looks like this.")
	}
	if s.ofItself != 0 {
		return contract.Errorf(contract.CodeFileUnreadable, "the assembly contains itself: #%d places a representation in itself", s.ofItself).
			At("/file_path").WithHint("Export the assembly again; a file edited by hand or by script looks like this.")
	}
	for id, o := range s.operators {
		if !s.mapped[id] && !s.relations[id] {
			continue
		}
		what := ""
		switch {
		case !o.whole:
			return contract.Errorf(contract.CodeFileUnreadable, "instance #%d (%s) has not the eight attributes of its kind", id, operator3D).
				At("/file_path").WithHint("Export the part again as STEP AP203, AP214 or AP242.")
		case math.Abs(o.scale-1) > 1e-9:
			what = fmt.Sprintf("a scale of %g", o.scale)
		case s.relations[id] && o.mirrors(direction):
			what = "a mirror"
		default:
			continue
		}
		return placedWrong(what)
	}
	return nil
}

// mirrored says whether a mapped item is a mirror image, which OpenCASCADE's reader turns and
// the import puts right.
func (s *structure) mirrored(direction func(id int) ([3]float64, bool)) bool {
	for id, o := range s.operators {
		if s.mapped[id] && o.mirrors(direction) {
			return true
		}
	}
	return false
}

func placedWrong(what string) error {
	return contract.Errorf(contract.CodeTessellationFailed, "the file places a part by %s, which would come out wrong", what).At("/file_path").
		WithHint("Export the part with its mirrored or scaled bodies as geometry of their own (in most CAD programs: break the link, or save as one part).")
}

// mirrors says whether the axes are left-handed (ISO 10303-42, 4.4.19: a missing one follows
// from the others).
func (o operator) mirrors(direction func(id int) ([3]float64, bool)) bool {
	axes := [3][3]float64{{1, 0, 0}, {0, 1, 0}}
	third := false
	for n, id := range o.axes {
		if d, ok := direction(id); ok {
			axes[n] = d
			third = third || n == 2
		}
	}
	x, y, z := axes[0], axes[1], axes[2]
	cross := [3]float64{x[1]*y[2] - x[2]*y[1], x[2]*y[0] - x[0]*y[2], x[0]*y[1] - x[1]*y[0]}
	return third && cross[0]*z[0]+cross[1]*z[1]+cross[2]*z[2] < 0
}

// circle is a product definition that is, by way of others, a component of itself; 0 for none.
func (s *structure) circle() int {
	const open, done = 1, 2
	state := map[int]int{}
	type step struct{ at, next int }
	for start := range s.parts {
		if state[start] != 0 {
			continue
		}
		state[start] = open
		for path := []step{{at: start}}; len(path) > 0; {
			last := &path[len(path)-1]
			below := s.parts[last.at]
			if last.next == len(below) {
				state[last.at] = done
				path = path[:len(path)-1]
				continue
			}
			child := below[last.next]
			last.next++
			switch state[child] {
			case open:
				return child
			case 0:
				state[child] = open
				path = append(path, step{at: child})
			}
		}
	}
	return 0
}
