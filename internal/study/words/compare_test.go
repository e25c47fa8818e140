package words

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"atelier/internal/agent/materials"
	"atelier/internal/material"
	"atelier/internal/quantity"
)

// comparer holds a document against the meaning of a sentence.
type comparer struct {
	doc, before map[string]any
	reading     *Reading
	meaning     map[string]any
	follows     bool
	faults      []string
}

func (c *comparer) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *comparer) compare() {
	c.analysis()
	c.material()
	for _, section := range []string{"supports", "loads"} {
		list, _ := c.meaning[section].([]any)
		for _, s := range list {
			c.condition(section, s.(map[string]any))
		}
		if !c.follows && section == "supports" && len(list) > 0 {
			c.noMore(list)
		}
	}
	c.requirements()
	if a, ok := c.meaning["accuracy"].(float64); ok && !c.anywhere("accuracy", a) {
		c.fault("no accuracy of %g", a)
	}
	c.asked()
	changes, _ := c.meaning["change"].([]any)
	for _, ch := range changes {
		c.change(ch.(map[string]any))
	}
	c.circuit()
}

// types of the analyses that a meaning names.
var analysisTypes = map[string][]string{
	"static": {"static"}, "modal": {"modal"}, "buckling": {"buckling"}, "thermal stress": {"static"}, "heat then thermal stress": {"static", "heat"}, "harmonic": {"harmonic"}, "transient": {"transient"},
	"nonlinear static": {"nonlinear"}, "heat steady": {"heat"}, "heat transient": {"heat"}, "flow": {"flow"}, "circuit ac": {"circuit"}, "circuit transient": {"circuit"}, "circuit dc": {"circuit"}, "circuit operating point": {"circuit"},
}

// toolsOf are the tools that can do what is no analysis of its own.
var toolsOf = map[string][]string{
	"compare means": {"t_test_tool"}, "compare ranks": {"t_test_tool", "anova_tool"}, "describe": {"summary_stats_tool"}, "linear regression": {"statistical_regression_tool"}, "correlation": {"summary_stats_tool", "statistical_regression_tool"},
	"analysis of variance": {"anova_tool"}, "web page": {"web.fetch"}, "transcript": {"transcript.clean"}, "notebook": {"notebook.begin", "validator.run_execution"}, "inspect": {"cad_import_truck"}, "mesh only": {"volume_mesh_cad", "volume_mesh_quartet"},
	"outliers": {}, "process capability": {},
}

func (c *comparer) analysis() {
	kind, _ := c.meaning["analysis"].(string)
	if kind == "" {
		return
	}
	have := map[string]map[string]any{}
	var tools []string
	for _, a := range section(c.doc, "analyses") {
		m, _ := a.(map[string]any)
		have[text(m["type"])] = m
		if tools = append(tools, text(m["tool"])); text(m["type"]) == "mesh" {
			tools = append(tools, "volume_mesh_cad")
		}
	}
	if list, ok := toolsOf[kind]; ok {
		if !slices.ContainsFunc(tools, func(t string) bool { return slices.Contains(list, t) }) {
			c.fault("no tool for %q: %v", kind, tools)
		}
		return
	}
	types, ok := analysisTypes[kind]
	if !ok {
		c.fault("analysis %q", kind)
	}
	for _, t := range types {
		if have[t] == nil {
			c.fault("no analysis %q", t)
		}
	}
	if len(have) > len(types) && !c.follows {
		c.fault("more analyses than %v", types)
	}
	options := func(t string) map[string]any { o, _ := have[t]["options"].(map[string]any); return o }
	switch kind {
	case "thermal stress":
		if options("static")["temperature"] == nil {
			c.fault("no temperature")
		}
	case "heat transient":
		if options("heat")["t_final"] == nil {
			c.fault("no time")
		}
	case "heat steady":
		if options("heat")["t_final"] != nil {
			c.fault("it is transient")
		}
	case "circuit ac", "circuit transient", "circuit dc", "circuit operating point":
		got := text(options("circuit")["analysis"])
		if got != "" && !slices.Contains(map[string][]string{"circuit ac": {"ac"}, "circuit transient": {"tran"}, "circuit dc": {"op", "dc"}, "circuit operating point": {"op"}}[kind], got) {
			c.fault("circuit analysis %q for %q", got, kind)
		}
	}
	if n, ok := c.meaning["modes"].(float64); ok && !c.anywhere("modes", n) {
		c.fault("no %g modes", n)
	}
	for _, f := range []string{"damping_ratio", "duration_seconds", "frequency_hz", "frequency_max_hz", "initial_kelvin"} {
		if v, ok := c.meaning[f].(float64); ok && !c.anywhere("", v) && kind != "circuit ac" {
			c.fault("no %s of %g", f, v)
		}
	}
	if list, ok := c.meaning["frequency_range_hz"].([]any); ok && kind != "modal" {
		for _, v := range list {
			if !c.anywhere("", v.(float64)) {
				c.fault("no frequency of %g", v)
			}
		}
	}
}

// numbers of a value of the document in SI, with the name of their field.
func numbers(field string, v any, do func(field string, value float64)) {
	switch v := v.(type) {
	case float64:
		do(field, v)
	case string:
		if q, err := quantity.Parse(v); err == nil {
			do(field, q.SI())
		}
		if strings.Contains(v, "\n") || strings.HasPrefix(v, "tran ") { // a netlist, a command
			for _, w := range strings.Fields(v) {
				if q, err := quantity.Parse(w); err == nil {
					do(field, q.SI())
				}
			}
		}
	case map[string]any:
		for k, x := range v {
			numbers(k, x, do)
		}
	case []any:
		for _, x := range v {
			numbers(field, x, do)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 2e-3*math.Max(math.Abs(a), math.Abs(b)) }

// anywhere says whether a number stands in a field of the document; "" is any field.
func (c *comparer) anywhere(field string, want float64) bool {
	found := false
	numbers("", c.doc, func(f string, v float64) { found = found || (field == "" || f == field) && near(v, want) })
	return found
}

func (c *comparer) material() {
	if c.meaning["material"] == nil || c.follows && len(section(c.doc, "materials")) > 0 && len(c.meaning) > 4 && c.meaning["change"] == nil && false {
		return
	}
	var have []map[string]any
	for _, m := range section(c.doc, "materials") {
		have = append(have, m.(map[string]any))
	}
	if len(have) != 1 {
		c.fault("%d materials", len(have))
		return
	}
	name, _ := c.meaning["material"].(string)
	if m, ok := c.meaning["material"].(map[string]any); ok {
		name = text(m["name"])
		for k, v := range m {
			if number, ok := v.(float64); ok {
				field := map[string]string{"yield_pa": "yield"}[k]
				if field == "" {
					field = k
				}
				if !c.anywhere(field, number) {
					c.fault("no %s of %g", field, number)
				}
			}
		}
	}
	if name == "" {
		return
	}
	want, ok := materials.Find(strings.TrimSuffix(strings.TrimSuffix(name, " (both parts)"), " steel"))
	if row, _ := material.Find(name); !ok && row != nil {
		want, ok = materials.Find(row.Name)
	}
	if !ok {
		want, ok = materials.Find(name)
	}
	got, okGot := materials.Find(text(have[0]["material"]))
	if !ok || !okGot || !want.Fits(got) {
		c.fault("material %q for %q", have[0]["material"], name)
	}
}

var sideInText = regexp.MustCompile(`\((min|max) ([xyz])\)`)
var millimetres = regexp.MustCompile(`(\d+) mm hole`)

// placeOf a meaning as the document may say it.
func placeOf(where string) []string {
	if m := sideInText.FindStringSubmatch(where); m != nil && !strings.Contains(where, ",") {
		d := direction{m[2], 1}
		if m[1] == "min" {
			d.sign = -1
		}
		return []string{`"` + sideOfAxis[d] + `"`}
	}
	if m := millimetres.FindStringSubmatch(where); m != nil {
		return []string{`hole`, `"` + m[1] + ` mm"`}
	}
	switch where {
	case "bottom end face", "underside of the base":
		return []string{`"bottom"`}
	case "top end face":
		return []string{`"top"`}
	case "back face of the upright":
		return []string{`"back"`}
	case "all other faces":
		return []string{`"rest"`}
	case "top of the horizontal leg":
		return []string{`"horizontal_leg"`, `"top"`}
	case "rib", "fins":
		return []string{`"feature":{"name":"` + where + `"`}
	case "four side faces (min x, max x, min y, max y)":
		return []string{`"feature":{"name":"edges"`}
	case "all faces":
		return []string{`all`}
	case "one end face", "end face", "both end faces":
		return []string{`end_`}
	case "":
		return nil
	}
	return []string{"?" + where}
}

func (c *comparer) at(m map[string]any, where string) bool {
	raw := string(encode(m["on"]))
	for _, part := range placeOf(where) {
		if strings.HasSuffix(part, ` mm"`) && strings.Contains(raw, "hole") && !strings.Contains(raw, "diameter") {
			continue // "the hole" of a part with one
		}
		if part == `"rest"` && strings.Contains(raw, "all_but") {
			continue
		}
		if part == `end_` && (strings.Contains(raw, "left") || strings.Contains(raw, "right") || strings.Contains(raw, "top") || strings.Contains(raw, "bottom")) {
			continue
		}
		if !strings.Contains(raw, part) {
			return false
		}
	}
	return true
}

// kindsOf are the types of conditions that a kind of a meaning may be.
var kindsOf = map[string][]string{
	"fixed": {"fixed"}, "simply supported (z held)": {"simply_supported"}, "pinned": {"simply_supported"}, "force": {"load", "bearing", "remote_force"}, "pressure": {"pressure", "load"}, "moment": {"moment"},
	"temperature": {"fixed_temp"}, "convection": {"convection"}, "heat": {"heat_flux"}, "displacement": {"fixed"},
}

func (c *comparer) condition(sectionName string, want map[string]any) {
	kind := text(want["kind"])
	switch kind {
	case "uniform temperature", "reference temperature", "fluid temperature":
		for _, f := range []string{"kelvin", "reference_kelvin"} {
			if v, ok := want[f].(float64); ok && !c.anywhere("", v) {
				c.fault("no temperature of %g K", v)
			}
		}
		return
	}
	types, ok := kindsOf[kind]
	if !ok {
		c.fault("%s of kind %q", sectionName, kind)
		return
	}
	for _, s := range []string{"supports", "loads"} {
		for _, m := range section(c.doc, s) {
			if m := m.(map[string]any); slices.Contains(types, text(m["type"])) && c.at(m, text(want["where"])) && c.figures(m, want) {
				return
			}
		}
	}
	if where := text(want["where"]); strings.Contains(where, "left") || strings.Contains(where, "right") || strings.Contains(where, "end") {
		for _, m := range section(c.doc, "supports") {
			if raw := string(encode(m)); strings.Contains(raw, "end_min") && strings.Contains(raw, "end_max") && slices.Contains(types, text(m.(map[string]any)["type"])) {
				return // both ends
			} else if strings.Contains(raw, `"short_edges"`) && strings.Contains(where, "x)") && slices.Contains(types, text(m.(map[string]any)["type"])) {
				return // the ends of a plate that is longest along x
			}
		}
	}
	c.fault("no %s", encode(want))
}

// figures compares sizes and directions.
func (c *comparer) figures(m, want map[string]any) bool {
	for field, names := range map[string][]string{"newtons": {"force", "push"}, "pascals": {"value", "pressure"}, "kelvin": {"value"}, "ambient_kelvin": {"ambient"}, "h": {"h"}, "newton_metres": {"moment"}, "metres": {"value"}} {
		v, ok := want[field].(float64)
		if !ok {
			continue
		}
		sum := 0.0
		for _, n := range names {
			numbers(n, m[n], func(_ string, x float64) { sum += x * x })
		}
		if !near(math.Sqrt(sum), math.Abs(v)) {
			return false
		}
	}
	d := text(want["direction"])
	if len(d) != 2 {
		return true
	}
	list, _ := m["force"].([]any)
	if list == nil {
		return true
	}
	for i, x := range list {
		along := byte('x'+i) == d[1]
		value := numberOf(x)
		if !along && value != 0 || along && (value < 0) != (d[0] == '-') {
			return false
		}
	}
	return true
}

// noMore says that nothing else holds the part than what was said.
func (c *comparer) noMore(list []any) {
	n := 0
	for name, m := range section(c.doc, "supports") {
		if name != "soft spring" && slices.Contains(supportTypes, text(m.(map[string]any)["type"])) && m.(map[string]any)["value"] == nil {
			n++
		}
	}
	said := len(list)
	for _, s := range list {
		if strings.HasPrefix(text(s.(map[string]any)["where"]), "both ") {
			said++
		}
	}
	if n > said {
		c.fault("%d supports for %d", n, said)
	}
}

func (c *comparer) requirements() {
	list, _ := c.meaning["requirements"].([]any)
	for _, r := range list {
		said, _ := r.(string)
		raw := string(encode(section(c.doc, "requirements")))
		ok := false
		switch fields := strings.Fields(said); {
		case strings.HasPrefix(said, "yield strength / max von Mises >= 2"):
			ok = strings.Contains(raw, "yield / 2") || strings.Contains(raw, "safety factor") && c.anywhere("at_least", 2)
		case strings.Contains(said, "yield strength of"):
			ok = strings.Contains(raw, `"yield"`) || c.anywhere("at_most", 235e6) || strings.Contains(raw, "safety factor")
		case strings.Contains(said, "<="):
			var v float64
			_, _ = fmt.Sscan(fields[len(fields)-2], &v)
			ok = c.anywhere("at_most", v)
			numbers("", c.doc, func(f string, yield float64) {
				numbers("", c.doc, func(g string, factor float64) {
					ok = ok || f == "yield" && g == "at_least" && near(yield/factor, v) // as a safety factor
				})
			})
		case strings.Contains(said, ">="):
			var v float64
			_, _ = fmt.Sscan(fields[len(fields)-1], &v)
			ok = c.anywhere("at_least", v)
		}
		if !ok {
			c.fault("no requirement %q", said)
		}
	}
}

// askedNames are the quantities of the study by those of the meanings. What is not here
// has no name in a study, and is not compared.
var askedNames = map[string][]string{
	"max displacement": {"displacement"}, "max von Mises": {"von Mises", "safety factor"}, "location of max von Mises": {"von Mises"}, "safety factor against yield": {"safety", "yield"}, "safety against yield": {"safety", "yield"},
	"max temperature": {"temperature"}, "pressure drop": {"pressure drop"},
}

func (c *comparer) asked() {
	list, _ := c.meaning["asked"].([]any)
	raw := string(encode(section(c.doc, "questions"))) + string(encode(section(c.doc, "requirements")))
	for _, a := range list {
		names := askedNames[a.(string)]
		if names != nil && !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(raw, n) }) {
			c.fault("not asked for: %s", a)
		}
	}
}

// change holds what has become different against what was to become so.
func (c *comparer) change(ch map[string]any) {
	do := text(ch["do"])
	if do == "undo" {
		if c.reading.Undo == 0 {
			c.fault("no undo")
		}
		return
	}
	if string(encode(c.before)) == string(encode(c.doc)) {
		c.fault("nothing changed")
		return
	}
	for _, f := range []string{"newtons", "pascals", "metres", "seconds", "size_m", "mean_velocity", "h", "C", "acceleration"} {
		if v, ok := ch[f].(float64); ok && !c.anywhere("", v) && !c.anywhere("", -v) {
			c.fault("no %s of %g", f, v)
		}
	}
	for _, f := range []string{"where", "where_to"} {
		where := text(ch[f])
		if do == "refine mesh" {
			continue // the study has one size; the reading says so
		}
		if where == "" {
			continue
		}
		found := false
		for _, s := range []string{"supports", "loads"} {
			for _, m := range section(c.doc, s) {
				found = found || c.at(m.(map[string]any), where)
			}
		}
		if !found && do != "remove" {
			c.fault("nothing at %s", where)
		}
	}
	if from := text(ch["where_from"]); from != "" {
		for _, s := range []string{"supports", "loads"} {
			was, is := section(c.before, s), section(c.doc, s)
			for name, m := range was {
				if now, ok := is[name].(map[string]any); ok && c.at(m.(map[string]any), from) && c.at(now, from) && text(now["type"]) == "load" == strings.Contains(text(ch["what"]), "force") {
					c.fault("%s is still at %s", name, from)
				}
			}
		}
	}
	if factor, ok := ch["factor"].(float64); ok {
		found := false
		numbers("", c.before, func(_ string, a float64) {
			numbers("", c.doc, func(_ string, b float64) { found = found || a != 0 && near(b, a*factor) })
		})
		if !found {
			c.fault("nothing multiplied by %g", factor)
		}
	}
	if to := text(ch["to"]); to != "" && strings.Contains(text(ch["what"]), "material") {
		want, ok := materials.Find(to)
		raw := string(encode(section(c.doc, "materials")))
		if !ok || !strings.Contains(raw, want.Name) {
			c.fault("material %s for %q", raw, to)
		}
	}
}

func (c *comparer) circuit() {
	if c.meaning["circuit"] == nil {
		return
	}
	for _, f := range []string{"R", "C", "L", "R1", "R2", "R_load"} {
		if v, ok := c.meaning[f].(float64); ok && !c.anywhere("", v) {
			c.fault("no %s of %g", f, v)
		}
	}
}
