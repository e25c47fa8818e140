package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// functions of filters, with the kinds of argument and value.
var functions = map[string]struct {
	in, out valueKind
	number  func(float64) float64
	text    func(string) string
	length  func(string) float64
}{
	"abs":    {in: numberValue, out: numberValue, number: math.Abs},
	"sqrt":   {in: numberValue, out: numberValue, number: math.Sqrt},
	"exp":    {in: numberValue, out: numberValue, number: math.Exp},
	"log":    {in: numberValue, out: numberValue, number: math.Log},
	"log10":  {in: numberValue, out: numberValue, number: math.Log10},
	"floor":  {in: numberValue, out: numberValue, number: math.Floor},
	"ceil":   {in: numberValue, out: numberValue, number: math.Ceil},
	"round":  {in: numberValue, out: numberValue, number: math.RoundToEven},
	"lower":  {in: textValue, out: textValue, text: strings.ToLower},
	"upper":  {in: textValue, out: textValue, text: strings.ToUpper},
	"length": {in: textValue, out: numberValue, length: func(s string) float64 { return float64(len([]rune(s))) }},
}

var keywords = []string{"and", "or", "not", "in", "between", "is", "null"}

func (p *parser) unary() (*expr, error) {
	t := p.in[0]
	if !t.is("-") {
		return p.primary()
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	p.take()
	e, err := p.unary()
	if err != nil {
		return nil, err
	}
	return typed(&expr{op: "minus", at: t.at, args: []*expr{e}, kind: numberValue}, numberValue)
}

func (p *parser) primary() (*expr, error) {
	t := p.take()
	switch {
	case t.kind == tokenNumber:
		v, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			return nil, &syntaxError{t.at, fmt.Sprintf("%s is not a number that can be held", t.text)}
		}
		return &expr{op: "number", at: t.at, num: v, kind: numberValue}, nil
	case t.kind == tokenText:
		return &expr{op: "text", at: t.at, text: t.text, kind: textValue}, nil
	case t.kind == tokenColumn:
		return p.column(t)
	case t.is("("):
		up, err := p.deeper()
		if err != nil {
			return nil, err
		}
		defer up()
		e, err := p.or()
		if err != nil {
			return nil, err
		}
		return e, p.expect(")")
	case t.kind != tokenWord || t.is(keywords...):
		return nil, &syntaxError{t.at, fmt.Sprintf("a value is expected, not %s", t.show())}
	case p.in[0].is("("):
		return p.call(t)
	case t.is("true", "false") && p.info.Find(t.text) < 0:
		e := &expr{op: "number", at: t.at, kind: numberValue, text: "bool"}
		if t.is("true") {
			e.num = 1
		}
		return e, nil
	}
	return p.column(t)
}

// column is a number, a text, or, where it is a boolean, a condition by itself.
func (p *parser) column(t token) (*expr, error) {
	at := p.info.Find(t.text)
	if at < 0 {
		return nil, &syntaxError{t.at, fmt.Sprintf("there is no column %q", t.text)}
	}
	e := &expr{op: "column", at: t.at, text: t.text, col: at, kind: numberValue}
	switch p.info.Columns[at].Type {
	case String:
		e.kind = textValue
	case Boolean:
		if next := p.in[0]; next.kind == tokenEnd || next.is("and", "or", "&&", "||", ")") {
			truth := &expr{op: "number", num: 1, kind: numberValue}
			return &expr{op: "==", at: t.at, args: []*expr{e, truth}, kind: truthValue}, nil
		}
	}
	return e, nil
}

func (p *parser) call(t token) (*expr, error) {
	f, ok := functions[strings.ToLower(t.text)]
	if !ok {
		return nil, &syntaxError{t.at, fmt.Sprintf("there is no function %q; there are abs, sqrt, exp, log, log10, floor, ceil, round, lower, upper, length", t.text)}
	}
	up, err := p.deeper()
	if err != nil {
		return nil, err
	}
	defer up()
	p.take()
	arg, err := p.sum()
	if err != nil {
		return nil, err
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	e, err := typed(&expr{op: strings.ToLower(t.text), at: t.at, args: []*expr{arg}, kind: f.in}, f.in)
	if err == nil {
		e.op, e.text, e.kind = "call", strings.ToLower(t.text), f.out
	}
	return e, err
}

// same checks that the operands of a comparison are of one kind. A text that is
// compared with a time is read as one.
func (p *parser) same(e *expr) (*expr, error) {
	left := e.args[0]
	isTime := false
	for _, a := range e.args {
		isTime = isTime || a.op == "column" && p.info.Columns[a.col].Type == Time
	}
	for _, a := range e.args {
		if isTime && a.op == "text" {
			ns, ok := instant([]byte(a.text))
			if !ok {
				return nil, &syntaxError{a.at, fmt.Sprintf("%q is not a time such as 2026-03-14T09:30:00Z", a.text)}
			}
			a.op, a.kind, a.num = "number", numberValue, toFloat(ns, timePlaces)
		}
	}
	for _, a := range e.args {
		if a.kind == truthValue {
			return nil, &syntaxError{a.at, "a condition cannot be compared"}
		}
		if a.kind != left.kind {
			return nil, &syntaxError{a.at, fmt.Sprintf("%s is compared with %s", left.kind, a.kind)}
		}
	}
	return e, nil
}
