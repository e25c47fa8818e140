// Package statistics holds the statistical tools: regression,
// analysis of variance, tests and summaries of stored captures and of tables.
package statistics

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"atelier/internal/contract"
	"atelier/internal/dataset"
	"atelier/internal/stat"
)

// source is where a call's data come from, where the call carries no capture
// selection of an invocation: a stored capture, or a table to be read.
type source struct {
	Capture *contract.CaptureSelection `json:"capture"`
	Path    string                     `json:"path"`
}

// selectedData is the selected part of the data. at is the JSON pointer of the
// selection.
type selectedData struct {
	*dataset.Selection
	at    string
	done  func() // ends the call's turn
	named []int  // columns that the call names
	// levels are those of them whose levels it compares.
	levels []int
	clock  int // the column of the times of a series, of which no figure is made; -1: none
	// called are the rows that are called totals or the like; nil: not looked for yet.
	called []totalRow
}

// Close closes the data.
func (d *selectedData) Close() error {
	d.done()
	return d.Selection.Close()
}

// open finds the data of a call. The caller closes them.
func (s source) open(ctx context.Context, call *contract.Call) (*selectedData, error) {
	given, enveloped := call.Capture()
	own := contract.CaptureSelection{}
	if s.Capture != nil {
		own = *s.Capture
	}
	stored, named := enveloped && given.CaptureID != "", own.CaptureID != ""
	count := 0
	for _, is := range []bool{stored, named, s.Path != ""} {
		if is {
			count++
		}
	}
	switch {
	case count > 1, stored && s.Capture != nil:
		return nil, contract.Errorf(contract.CodeInvalidInput, "the call names its data more than once").
			WithHint("Give one of the invocation's capture_selection, capture, and path.")
	case stored:
		return openStored(ctx, call, given, "/capture_selection")
	case named:
		return openStored(ctx, call, own, "/capture")
	case s.Path != "" && s.Capture != nil:
		return s.openTable(ctx, call, own.Selectors, "/capture")
	case s.Path != "":
		return s.openTable(ctx, call, given.Selectors, "/capture_selection")
	}
	at := "/capture"
	if enveloped {
		at = "/capture_selection/capture_id"
	}
	return nil, contract.Errorf(contract.CodeInvalidInput, "the call names no data").At(at).With("fault", contract.FaultMissing).
		WithHint("Store a table with POST /v1/captures and name its capture_id, or give path.")
}

func openStored(ctx context.Context, call *contract.Call, s contract.CaptureSelection, at string) (*selectedData, error) {
	path, err := call.Files.Path(ctx, contract.CapturePrefix+s.CaptureID)
	if err != nil {
		if e := contract.AsError(err); e.Code != contract.CodeFileNotFound {
			return nil, e.At(at + "/capture_id")
		}
		return nil, contract.Errorf(contract.CodeNotFound, "there is no capture %q", s.CaptureID).At(at + "/capture_id").
			WithHint("GET /v1/captures lists those there are; POST /v1/captures makes one.")
	}
	done, err := turn(ctx, path)
	if err != nil {
		return nil, err
	}
	return selected(path, s.Selectors, at, done)
}

func (s source) openTable(ctx context.Context, call *contract.Call, selectors contract.CaptureSelectors, at string) (*selectedData, error) {
	path, err := call.File(ctx, s.Path, "/path")
	if err != nil {
		return nil, err
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, contract.Errorf(contract.CodeFileUnreadable, "%s cannot be read", s.Path).At("/path")
	}
	defer in.Close()
	about, err := in.Stat()
	if err != nil {
		return nil, err
	}
	done, err := turn(ctx, path)
	if err != nil {
		return nil, err
	}
	imported := false
	defer func() {
		if !imported {
			done()
		}
	}()
	columns := filepath.Join(call.Dir, ".table.capture")
	out, err := os.Create(columns)
	if err != nil {
		return nil, err
	}
	defer os.Remove(columns) // an open file stays readable
	defer out.Close()
	if _, err := dataset.ImportFile(ctx, path, "", in, out, dataset.Options{}); err != nil {
		if e := new(contract.Error); errors.As(err, &e) {
			return nil, e.At("/path")
		}
		return nil, err
	}
	if imported = true; about.Size() > largeBytes {
		debug.FreeOSMemory() // what the reading took is of no use to the fitting
	}
	return selected(columns, selectors, at, done)
}

// selected opens a capture's file; the turn ends here where that fails.
func selected(path string, selectors contract.CaptureSelectors, at string, done func()) (*selectedData, error) {
	c, err := dataset.Open(path)
	if err != nil {
		done()
		return nil, err
	}
	sel, err := c.Select(selectors, at)
	if err != nil {
		done()
		_ = c.Close()
		return nil, err
	}
	return &selectedData{Selection: sel, at: at, done: done, clock: -1}, nil
}

// A call on data of more than largeBytes takes a turn: largeAtOnce have one at a
// time, since each is spread over all processors, and as many as largeWaiting
// wait. Calls on small data never do.
const (
	largeBytes   = 4 << 20
	largeAtOnce  = 2
	largeWaiting = 16
)

var (
	turns   = make(chan struct{}, largeAtOnce)
	waiting = make(chan struct{}, largeAtOnce+largeWaiting)
)

// turn waits for the turn of a call on a file; done ends it.
func turn(ctx context.Context, path string) (done func(), err error) {
	about, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if about.Size() <= largeBytes {
		return func() {}, nil
	}
	select {
	case waiting <- struct{}{}:
	default:
		return nil, contract.Errorf(contract.CodeTooManyRequests, "%d calls on large data are running or waiting already", cap(waiting)).
			WithHint("Call again in a few seconds.")
	}
	select {
	case turns <- struct{}{}:
		thrift.enter()
		return func() { thrift.leave(); <-turns; <-waiting }, nil
	case <-ctx.Done():
		<-waiting
		return nil, ctx.Err()
	}
}

// column finds a column that an argument names; numeric says that it must hold
// numbers.
func (d *selectedData) column(name, pointer string, numeric bool) (int, error) {
	at, err := d.Readable(name)
	if err != nil {
		return 0, contract.AsError(err).At(pointer)
	}
	if kind := d.Columns[at].Type; numeric && !kind.Numeric() {
		return 0, d.notNumeric(at).At(pointer)
	}
	if !slices.Contains(d.named, at) {
		d.named = append(d.named, at)
	}
	return at, nil
}

// beyond is the error of a value that no arithmetic is possible with: infinite, too
// large, or not 0 and too small.
func (d *selectedData) beyond(column int, row int64, v stat.DD) *contract.Error {
	name := d.Columns[column].Name
	if math.IsNaN(v.Hi) {
		return contract.Errorf(contract.CodeInvalidInput, "the column %q has a value in row %d that is nearer to 0 than any float64 (%.2g) and is not 0", name, row, math.SmallestNonzeroFloat64).
			With("row", row).WithHint("Give the column in a smaller unit, write 0 where the value means nothing else, or leave such rows out with the filter %s is not null.", name)
	}
	return contract.Errorf(contract.CodeInvalidInput, "the column %q has a value in row %d that is infinite or larger than any float64 (%.2g)", name, row, math.MaxFloat64).
		With("row", row).WithHint("Correct it, or select rows with a filter such as abs(x) < 1e300.")
}

// firstBeyond is the error of the first selected value, of the columns that the call
// names, that no arithmetic is possible with; nil where there is none.
func (d *selectedData) firstBeyond() *contract.Error {
	for block := range d.Blocks() {
		rows, err := d.Rows(block)
		if err != nil {
			return nil
		}
		for _, column := range d.named {
			if !d.Columns[column].Type.Numeric() {
				continue
			}
			values, absent, err := rows.Numbers(column)
			if err != nil {
				return nil
			}
			for r, v := range values {
				if !absent[r] && !v.Finite() {
					return d.beyond(column, rows.Number(r), v)
				}
			}
		}
	}
	return nil
}

// empty is the error of a selection without a usable row.
func (d *selectedData) empty(selected int64) error {
	if selected == 0 {
		return contract.Errorf(contract.CodeInvalidInput, "the selection takes none of the %d rows", d.Info.Rows).At(d.at).
			WithHint("Widen time_range, channels or filters.")
	}
	return contract.Errorf(contract.CodeInvalidInput, "every one of the %d selected rows lacks a value that is needed", selected).At(d.at)
}

// thrift makes the collector run more often while large data are read, whose
// blocks are garbage soon: it costs little, as next to nothing is alive.
var thrift collector

type collector struct {
	sync.Mutex
	users, usual int
}

// thriftyPercent is how much garbage there may be, of what is alive.
const thriftyPercent = 40

func (c *collector) enter() {
	c.Lock()
	defer c.Unlock()
	if c.users++; c.users > 1 {
		return
	}
	if c.usual = debug.SetGCPercent(thriftyPercent); c.usual < thriftyPercent {
		debug.SetGCPercent(c.usual) // off, or thriftier by itself
	}
}

func (c *collector) leave() {
	c.Lock()
	defer c.Unlock()
	if c.users--; c.users == 0 {
		debug.SetGCPercent(c.usual)
	}
}
