package circuit

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// plot is one analysis as ngspice writes it to a raw file. The first vector is
// the scale of a sweep: time, frequency or the swept source.
type plot struct {
	name    string // "Transient Analysis"
	complex bool
	vectors []vector
	index   map[string]int // of the vectors by name, made when first asked for
}

// vector has one value per point; im is nil in a real plot.
type vector struct {
	name string // v(out), i(v1), time; lower case
	kind string // voltage, current, time, frequency
	re   []float64
	im   []float64
	// empty says that the simulator had no value for it, and wrote another one.
	empty bool
}

func (p *plot) points() int {
	if len(p.vectors) == 0 {
		return 0
	}
	return len(p.vectors[0].re)
}

func (p *plot) find(name string) *vector {
	if p.index == nil {
		p.index = make(map[string]int, len(p.vectors))
		for i := range slices.Backward(p.vectors) {
			p.index[p.vectors[i].name] = i
		}
	}
	if i, ok := p.index[name]; ok {
		return &p.vectors[i]
	}
	return nil
}

func readRaw(path string) ([]*plot, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parseRaw(bufio.NewReaderSize(f, 1<<16), info.Size())
}

// parseRaw reads all plots of a raw file, ascii or binary (64-bit little endian).
// size is its length in bytes: a header that promises more values is a lie.
func parseRaw(r *bufio.Reader, size int64) ([]*plot, error) {
	var plots []*plot
	for {
		p, err := parsePlot(r, size)
		if errors.Is(err, io.EOF) {
			return plots, nil
		}
		if err != nil {
			return nil, fmt.Errorf("raw file, plot %d: %w", len(plots)+1, err)
		}
		plots = append(plots, p)
	}
}

func parsePlot(r *bufio.Reader, size int64) (*plot, error) {
	p := &plot{}
	variables, points := 0, 0
	for begun := false; ; {
		line, err := r.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) && begun {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, err
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "":
			continue
		case "Plotname":
			p.name = value
		case "Flags":
			p.complex = strings.Contains(value, "complex")
		case "No. Variables":
			variables, _ = strconv.Atoi(value)
		case "No. Points":
			points, _ = strconv.Atoi(value)
		case "Variables":
			if err := p.header(r, variables, points, size); err != nil {
				return nil, err
			}
		case "Values":
			return p, p.ascii(r, points)
		case "Binary":
			return p, p.binary(r, points)
		}
		begun = true
	}
}

// lineCurrent is the current into an end of a transmission line, which the simulator
// keeps as the voltage of an inner node.
var lineCurrent = regexp.MustCompile(`(?i)^v\([to][\w.]*#i[12]\)$`)

func (p *plot) header(r *bufio.Reader, variables, points int, size int64) error {
	if variables < 1 || points < 0 || int64(variables) > size || int64(points) > size/int64(variables) {
		return fmt.Errorf("%d variables of %d points", variables, points)
	}
	p.vectors = make([]vector, variables)
	for i := range p.vectors {
		line, err := r.ReadString('\n')
		if err != nil {
			return io.ErrUnexpectedEOF
		}
		f := strings.Fields(line)
		if columns := strings.Split(strings.TrimSpace(line), "\t"); len(columns) > 2 && len(f) > 3 {
			f = append([]string{columns[0], columns[1]}, strings.Fields(strings.Join(columns[2:], " "))...) // a name may have a space
		}
		if len(f) < 3 {
			return fmt.Errorf("variable %d: %q", i, strings.TrimSpace(line))
		}
		if lineCurrent.MatchString(f[1]) {
			f[2] = "current"
		}
		v := vector{name: strings.ToLower(f[1]), kind: f[2], re: make([]float64, points), empty: slices.Contains(f[3:], "dims=0")}
		// The simulator leaves the imaginary part of the frequency uninitialised.
		if p.complex && i > 0 || p.complex && v.kind != "frequency" {
			v.im = make([]float64, points)
		}
		p.vectors[i] = v
	}
	return nil
}

func (p *plot) set(point, variable int, re, im float64) {
	v := &p.vectors[variable]
	v.re[point] = re
	if v.im != nil {
		v.im[point] = im
	}
}

func (p *plot) binary(r *bufio.Reader, points int) error {
	width := 8
	if p.complex {
		width = 16
	}
	row := make([]byte, width*len(p.vectors))
	number := func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	for i := range points {
		if _, err := io.ReadFull(r, row); err != nil {
			return fmt.Errorf("point %d of %d: %w", i, points, io.ErrUnexpectedEOF)
		}
		for j := range p.vectors {
			b := row[j*width:]
			im := 0.0
			if p.complex {
				im = number(b[8:])
			}
			p.set(i, j, number(b), im)
		}
	}
	return nil
}

func (p *plot) ascii(r *bufio.Reader, points int) error {
	next := func() (string, error) {
		for {
			line, err := r.ReadString('\n')
			if f := strings.Fields(line); len(f) > 0 {
				return f[len(f)-1], nil // the first value of a point follows its number
			}
			if err != nil {
				return "", io.ErrUnexpectedEOF
			}
		}
	}
	for i := range points {
		for j := range p.vectors {
			word, err := next()
			if err != nil {
				return fmt.Errorf("point %d of %d: %w", i, points, err)
			}
			reText, imText, _ := strings.Cut(word, ",")
			re, err := strconv.ParseFloat(reText, 64)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				return fmt.Errorf("point %d: %w", i, err)
			}
			im := 0.0
			if imText != "" {
				if im, err = strconv.ParseFloat(imText, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
					return fmt.Errorf("point %d: %w", i, err)
				}
			}
			p.set(i, j, re, im)
		}
	}
	return nil
}

// notFinite names the first vector with a value that is not a number.
func (p *plot) notFinite() (string, int, bool) {
	for _, v := range p.vectors {
		for i := range v.re {
			if bad(v.re[i]) || (v.im != nil && bad(v.im[i])) {
				return v.name, i, true
			}
		}
	}
	return "", 0, false
}

func bad(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// dropEchoes takes out "v(all)", which the simulator adds to a plot of one
// vector, vectors that stand twice, and vectors without a value.
func (p *plot) dropEchoes() {
	seen := map[string]bool{}
	kept := p.vectors[:0]
	for _, v := range p.vectors {
		if seen[v.name] || v.empty || (v.name == "v(all)" && len(p.vectors) > 1) {
			continue
		}
		seen[v.name] = true
		kept = append(kept, v)
	}
	p.vectors, p.index = kept, nil
}

// dropUndefined takes vectors away that are not finite, and names them.
func (p *plot) dropUndefined() []string {
	var names []string
	p.index = nil
	p.vectors = slices.DeleteFunc(p.vectors, func(v vector) bool {
		gone := math.IsNaN(v.re[0]) || math.IsInf(v.re[0], 0)
		if gone {
			names = append(names, v.name)
		}
		return gone
	})
	return names
}
