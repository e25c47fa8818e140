package cad

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"atelier/internal/contract"
	"atelier/internal/evidence"
	"atelier/internal/part21"
	"atelier/internal/pmi"
)

// source is the CAD file of a call.
type source struct {
	contents
	ref, file string // as the caller names it, and where it lies
	inside    string // its name for the engine
}

// open looks at the CAD file that a call names; unit is the caller's word for its length
// unit, "" for none.
func open(ctx context.Context, call *contract.Call, ref, unit string) (source, error) {
	s := source{ref: ref}
	var err error
	if s.file, err = call.File(ctx, ref, "/file_path"); err != nil {
		return s, err
	}
	var format string
	if s.inside, format, err = cadFile(ref, s.file); err != nil {
		return s, contract.AsError(err).At("/file_path")
	}
	if s.contents, err = contentsOf(ctx, s.file, format); err != nil {
		return s, err
	}
	return s, s.named(unit)
}

// makeFolder makes the folder of an output file in that of the job.
func makeFolder(call *contract.Call, name string) error {
	if err := os.MkdirAll(filepath.Join(call.Dir, filepath.FromSlash(path.Dir(name))), 0o755); err != nil {
		return contract.Errorf(contract.CodeInvalidInput, "the folder of %q cannot be made: %w", name, err).At("/output_file")
	}
	return nil
}

// contents are what a CAD file says of itself, whatever engine reads its shape.
type contents struct {
	unit        bool     // it names its length unit, or the caller does
	partly      bool     // some of its parts name theirs and some none
	scale       string   // IGES: the model's size over the real one, where that is not 1
	format      string   // step, iges or brep
	files       []string // CAD files that hold parts of it, each once
	tessellated int      // bodies that it gives as triangles only (AP242)

	structure structure
	mirrored  bool        // a part is a mirror image of another
	pmi       *pmi.Reader // what a STEP file says beside its shape
}

// contentsOf reads a STEP, IGES or BREP file.
func contentsOf(ctx context.Context, file, format string) (contents, error) {
	f, err := os.Open(file)
	if err != nil {
		return contents{}, contract.Errorf(contract.CodeFileUnreadable, "the file cannot be opened: %w", err)
	}
	defer f.Close()
	c, r := contents{format: format}, contract.Cancellable(ctx, f) // BREP has no place for a unit
	switch format {
	case "step":
		if c, err = stepContents(r); err == nil && len(c.structure.operators) > 0 {
			if _, err = f.Seek(0, io.SeekStart); err == nil {
				err = c.axes(contract.Cancellable(ctx, f))
			}
		} else if err == nil {
			err = c.structure.refuse(nil)
		}
	case "iges":
		c, err = igesContents(r)
	}
	return c, cmp.Or(ctx.Err(), err)
}

// named takes the caller's word for the length unit of a file that names none.
func (c *contents) named(unit string) error {
	switch {
	case unit == "":
		return nil
	case c.partly:
		return contract.Errorf(contract.CodeInvalidInput, "some parts of the file name a length unit of their own, and some none").
			At("/length_unit").WithHint("Export the assembly again with one unit, or its parts one by one.")
	case c.unit:
		return contract.Errorf(contract.CodeInvalidInput, "the file names its own length unit, which holds").
			At("/length_unit").WithHint("Leave length_unit out; it is for files without a unit, such as BREP.")
	}
	c.unit = true
	return nil
}

// mostFilesTold is how many files with parts of an assembly a sentence names.
const mostFilesTold = 10

// warnings tell what no figure of the part counts, and what nobody said.
func (c contents) warnings() []contract.Warning {
	var out []contract.Warning
	if !c.unit {
		out = append(out, contract.Warning{Code: "length_unit_assumed", Message: c.assumed()})
	}
	if c.scale != "" {
		out = append(out, contract.Warning{Code: "drawn_to_scale", Message: "The file says that its model is drawn " + c.scale + " times as large as the part (global parameter 13); all sizes are those of the model."})
	}
	if len(c.files) > 0 {
		out = append(out, contract.Warning{Code: "parts_in_other_files", Message: "Parts of the assembly lie in other files and are not in it: " + contract.Listed(c.files, mostFilesTold) + "."})
	}
	if lost := c.structure.lost(); lost != "" {
		out = append(out, contract.Warning{Code: "shapes_missing", Message: lost})
	}
	if c.tessellated > 0 {
		out = append(out, contract.Warning{Code: "tessellated_left_out", Message: fmt.Sprintf(
			"%d bodies that the file gives as triangles only (AP242 TESSELLATED_SOLID or TESSELLATED_SHELL) were left out.", c.tessellated)})
	}
	return out
}

// assumed says which unit is taken where nobody names one.
func (c contents) assumed() string {
	switch {
	case c.format == "iges":
		return "The file names no length unit that is known; the inch is assumed where it names none, as IGES 5.3 says, else the millimetre."
	case c.format == "brep":
		return "A BREP file names no length unit; millimetres, OpenCASCADE's own, are assumed."
	case c.partly:
		return "Some parts of the file name no length unit; millimetres are assumed for them."
	}
	return "The file names no length unit; millimetres are assumed."
}

// doubted fails where the size of the part is nobody's word, or the file holds more than
// was read.
func doubted(s *evidence.Statement, warnings []contract.Warning) {
	for _, w := range warnings {
		switch w.Code {
		case "length_unit_assumed", "length_unit_unknown", "drawn_to_scale":
			s.Check(evidence.Holds("length_unit", evidence.Model, "", false, w.Message+" Every figure with a length in it may be that of a part of another size: export the part with its unit."))
		case "parts_in_other_files", "tessellated_left_out", "faces_left_out", "shapes_missing":
			s.Check(evidence.Holds("file_complete", evidence.Bounds, "", false, w.Message+" No figure counts them."))
		}
	}
}

// explain says why an engine found no shape in the file, where it knows better.
func (c contents) explain(err error) error {
	code := contract.AsError(err).Code
	switch {
	case code != contract.CodeTessellationFailed && code != contract.CodeNotWatertight:
	case len(c.files) > 0:
		return contract.Errorf(contract.CodeTessellationFailed, "The STEP file holds no shape of its own: its parts lie in other files, %s.", contract.Listed(c.files, mostFilesTold)).
			At("/file_path").WithHint("Export the assembly as one file, or import the parts one by one.")
	case c.tessellated > 0:
		return contract.Errorf(contract.CodeTessellationFailed, "The STEP file gives its %d bodies as triangles only (AP242 TESSELLATED_SOLID or TESSELLATED_SHELL).", c.tessellated).
			At("/file_path").WithHint("Export exact geometry (boundary representation), or the triangles as STL or OBJ for mesh_repair_pmp.")
	}
	return err
}

// stepContents reads the data section, instance by instance.
func stepContents(r io.Reader) (contents, error) {
	c := contents{format: "step", pmi: pmi.NewReader(), structure: newStructure()}
	lengths, contexts, used := map[int]bool{}, map[int][]int{}, map[int]bool{}
	wanted := func(keyword string) bool {
		return stepKeywords[keyword] || isShape(keyword) || c.structure.wanted(keyword) || pmi.Wanted(keyword)
	}
	missing, err := part21.Read(r, wanted, func(i part21.Instance) {
		c.pmi.Add(i)
		for _, record := range i.Records {
			c.structure.add(i.ID, record)
			switch keyword := record.Keyword; {
			case keyword == "LENGTH_UNIT":
				lengths[i.ID] = true
			case keyword == "GLOBAL_UNIT_ASSIGNED_CONTEXT":
				contexts[i.ID] = record.References()
			case keyword == "TESSELLATED_SOLID", keyword == "TESSELLATED_SHELL":
				c.tessellated++
			case keyword == "DOCUMENT_FILE":
				c.file(record)
			case isShape(keyword):
				if named := i.References(); len(named) > 0 {
					used[named[len(named)-1]] = true // its context
				}
			}
		}
	})
	c.structure.missing = missing
	c.judgeUnits(lengths, contexts, used)
	if err != nil {
		return c, contract.Errorf(contract.CodeFileUnreadable, "the file cannot be read: %w", err)
	}
	return c, nil
}

// axes reads the directions of transformations, and judges these.
func (c *contents) axes(r io.Reader) error {
	wanted := map[int]bool{}
	for _, o := range c.structure.operators {
		for _, id := range o.axes {
			wanted[id] = true
		}
	}
	ratios := map[int][3]float64{}
	_, err := part21.Read(r, func(keyword string) bool { return keyword == "DIRECTION" }, func(i part21.Instance) {
		list := i.Records[0].At(1).List
		if !wanted[i.ID] || len(list) != 3 {
			return
		}
		ratios[i.ID] = [3]float64{list[0].Number, list[1].Number, list[2].Number}
	})
	if err != nil {
		return contract.Errorf(contract.CodeFileUnreadable, "the file cannot be read: %w", err)
	}
	direction := func(id int) ([3]float64, bool) {
		d, ok := ratios[id]
		return d, ok
	}
	c.mirrored = c.structure.mirrored(direction)
	return c.structure.refuse(direction)
}

var stepKeywords = map[string]bool{"LENGTH_UNIT": true, "GLOBAL_UNIT_ASSIGNED_CONTEXT": true, "TESSELLATED_SOLID": true,
	"TESSELLATED_SHELL": true, "DOCUMENT_FILE": true}

// isShape says that an entity is a representation of a shape.
func isShape(keyword string) bool {
	return strings.HasSuffix(keyword, "SHAPE_REPRESENTATION") && keyword != "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"
}

// file takes the name of a CAD file, which is the id or the name of a document.
func (c *contents) file(document part21.Record) {
	for n := range 2 {
		if name := document.At(n).String(); isCAD(name) {
			if !slices.Contains(c.files, name) {
				c.files = append(c.files, name)
			}
			return
		}
	}
}

// judgeUnits says whether the contexts in which the shapes stand have a length among their
// units; where no shape says its context, all contexts count.
func (c *contents) judgeUnits(lengths map[int]bool, contexts map[int][]int, used map[int]bool) {
	if len(used) == 0 {
		for id := range contexts {
			used[id] = true
		}
	}
	some, all := false, true
	for id := range used {
		has := slices.ContainsFunc(contexts[id], func(unit int) bool { return lengths[unit] })
		some, all = some || has, all && has
	}
	c.unit, c.partly = some && all, some && !all
}

// Documents may be drawings and notes as well; only CAD files hold parts.
func isCAD(name string) bool {
	return slices.Contains([]string{"stp", "step", "stpz", "p21", "stpx", "igs", "iges", "prt", "sldprt", "sldasm", "asm",
		"catpart", "catproduct", "ipt", "iam", "par", "x_t", "x_b", "jt"}, strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")))
}

// igesUnits are the names of IGES 5.3, 2.2.4.3.15, by the number of the unit.
var igesUnits = map[string][]string{"1": {"IN", "INCH"}, "2": {"MM"}, "4": {"FT"}, "5": {"MI"}, "6": {"M"}, "7": {"KM"},
	"8": {"MIL"}, "9": {"UM"}, "10": {"CM"}, "11": {"UIN"}}

// igesContents reads the global section: its thirteenth parameter is the scale of the
// model, its fourteenth the number of the unit, 3 where only the fifteenth gives its name
// (IGES 5.3, 2.2.4.3). Number and name that differ name no unit.
func igesContents(r io.Reader) (contents, error) {
	c := contents{format: "iges"}
	var global strings.Builder
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		if len(line) < 73 {
			continue
		}
		if line[72] == 'D' {
			break
		}
		if line[72] == 'G' {
			global.WriteString(line[:72])
		}
	}
	fields := igesFields(global.String())
	if len(fields) > 14 {
		number, name := strings.TrimSpace(fields[13]), strings.ToUpper(strings.TrimSpace(fields[14]))
		for known, names := range igesUnits {
			named := slices.Contains(names, name)
			c.unit = c.unit || number == known && (named || name == "") || number == "3" && named
		}
	}
	if len(fields) > 12 {
		text := strings.TrimSpace(fields[12])
		if scale, err := strconv.ParseFloat(strings.Replace(text, "D", "E", 1), 64); err == nil && scale != 1 && scale != 0 {
			c.scale = text
		}
	}
	return c, nil
}

// igesFields divides the global section; a text is n H and n characters.
func igesFields(text string) []string {
	delimiter, end := byte(','), byte(';')
	var fields []string
	for len(text) > 0 {
		field := ""
		if n, rest, ok := hollerith(text); ok {
			field, text = rest[:n], rest[n:]
			if n == 1 && len(fields) == 0 {
				delimiter = field[0]
			} else if n == 1 && len(fields) == 1 {
				end = field[0]
			}
		}
		stop := strings.IndexAny(text, string([]byte{delimiter, end}))
		if stop < 0 {
			return append(fields, field+text)
		}
		fields = append(fields, field+text[:stop])
		if text[stop] == end {
			return fields
		}
		text = text[stop+1:]
	}
	return fields
}

var startOfText = regexp.MustCompile(`^\s*(\d+)H`)

func hollerith(text string) (n int, rest string, ok bool) {
	at := startOfText.FindStringSubmatchIndex(text)
	if at == nil {
		return 0, text, false
	}
	n, err := strconv.Atoi(text[at[2]:at[3]])
	rest = text[at[1]:]
	return n, rest, err == nil && n <= len(rest)
}
