package statistics

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"atelier/internal/contract"
	"atelier/internal/stat/plot"
)

//go:embed report.html
var reportPage string

var reportTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{"words": words}).Parse(reportPage))
})

// report is one web page of a result: without scripts, and with nothing from
// elsewhere.
type report struct {
	Title, Summary string
	Doubts         []string // what speaks against the result, known when it is judged
	Facts          []reportFact
	Tables         []reportTable
	Checks         []reportCheck
	Warnings       []contract.Warning
	Method         []string
	Call           string
	Figures        []reportFigure
}

type reportFact struct{ Name, Value string }

type reportTable struct {
	Caption string
	Header  []string
	Rows    [][]string
}

// words says that a cell is no figure.
func words(cell string) bool {
	_, err := strconv.ParseFloat(strings.Replace(cell, "−", "-", 2), 64)
	return err != nil && cell != "–"
}

// Words says that a column holds no figures.
func (t reportTable) Words(column int) bool {
	for _, row := range t.Rows {
		if column < len(row) && !words(row[column]) {
			return false
		}
	}
	return true
}

type reportCheck struct{ Name, Statistic, P, Result, Class, Consequence string }

type reportFigure struct {
	Alt  string
	Wide bool
	SVG  template.HTML // drawn by us, its texts escaped
}

// reportName is the artifact that holds the report.
const reportName = "report.html"

// publish draws the figures as SVG and PNG and writes the report that holds them.
// The artifacts are named in that order, the report first. Where something speaks
// against the result res, the report that res then holds says so at its top.
func (r *report) publish(call *contract.Call, res *contract.Result, figures []*plot.Figure) ([]contract.Artifact, error) {
	files := make([]contract.Artifact, 1+2*len(figures))
	var work errgroup.Group
	draw := func(file *contract.Artifact, name string, figure func() ([]byte, error)) {
		*file = contract.Artifact{Name: name, MIME: contract.MIMEType(name)}
		work.Go(func() (err error) {
			file.Content, err = figure()
			return err
		})
	}
	for i, f := range figures {
		draw(&files[1+2*i], f.Name+".svg", f.SVG)
		draw(&files[2+2*i], f.Name+".png", f.PNG)
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for i, f := range figures {
		r.Figures = append(r.Figures, reportFigure{Alt: f.Alt, Wide: f.Wide(), SVG: inline(files[1+2*i].Content, f)})
	}
	page, err := r.page()
	if err != nil {
		return nil, err
	}
	files[0] = contract.Artifact{Name: reportName, MIME: contract.MIMEType(reportName), Content: page}
	call.IfDoubted(func(doubts []string) (err error) {
		r.Doubts = doubts
		for i := range res.Artifacts {
			if a := &res.Artifacts[i]; a.Name == reportName {
				a.Content, err = r.page()
			}
		}
		return err
	})
	return files, nil
}

func (r *report) page() ([]byte, error) {
	var page bytes.Buffer
	err := reportTemplate().Execute(&page, r)
	return page.Bytes(), err
}

// inline is an SVG document as a part of a page: without its prologue, and with
// what it shows in words.
func inline(document []byte, f *plot.Figure) template.HTML {
	_, rest, found := strings.Cut(string(document), "<svg ")
	if !found {
		return ""
	}
	return template.HTML(`<svg role="img" aria-label="` + template.HTMLEscapeString(f.Title+". "+f.Alt) + `" ` + rest)
}

// shownCheck is a check as the report has it.
func shownCheck(c check) reportCheck {
	r := reportCheck{Name: strings.ReplaceAll(c.Name, "_", " "), Statistic: c.Statistic.sixDigits(), P: c.PValue.sixDigits(), Result: "undefined", Consequence: c.Consequence}
	if c.OK != nil && *c.OK {
		r.Result, r.Class = "holds", "ok"
	} else if c.OK != nil {
		r.Result, r.Class = "fails", "fails"
	}
	return r
}

// sixDigits is a figure with six digits, a dash where it is undefined.
func (n number) sixDigits() string {
	if !n.defined() {
		return "–"
	}
	return strings.Replace(strconv.FormatFloat(float64(n), 'g', 6, 64), "-", "−", 1)
}

// callText is a call that can be sent again: the tool, its arguments, and the
// capture selection of the invocation where there was one.
func callText(call *contract.Call, in any) string {
	text := struct {
		Tool      string                     `json:"tool_name"`
		Selection *contract.CaptureSelection `json:"capture_selection,omitempty"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}{Tool: call.Tool, Arguments: map[string]json.RawMessage{}}
	if given, enveloped := call.Capture(); enveloped {
		text.Selection = &given
	}
	arguments(text.Arguments, reflect.ValueOf(in))
	b, err := json.MarshalIndent(text, "", "  ")
	if err != nil {
		return fmt.Sprintf("%s: %v", call.Tool, err)
	}
	return string(b)
}

// arguments gathers the fields of an input struct that the caller gave.
func arguments(into map[string]json.RawMessage, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			arguments(into, v.Field(i))
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || v.Field(i).IsZero() {
			continue
		}
		if raw, err := json.Marshal(v.Field(i).Interface()); err == nil {
			into[name] = raw
		}
	}
}

func rowFacts(selected, used int64, missing string) reportFact {
	text := fmt.Sprintf("%s used of %s selected", thousands(int(used)), thousands(int(selected)))
	if selected > used {
		text += fmt.Sprintf("; %s left out because a value is missing%s", thousands(int(selected-used)), missing)
	}
	return reportFact{"Rows", text}
}
