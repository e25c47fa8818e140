package dataset

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"atelier/internal/stat"
)

// chunkInfo tells how the values of one column in one block are written.
type chunkInfo struct {
	Offset  int64  `json:"o"`
	Length  int    `json:"l"`
	Form    string `json:"f"`           // decimal, float, double, text
	Places  int    `json:"p,omitempty"` // of decimal: value = (Base + stored) / 10^Places
	Base    int64  `json:"b,omitempty"`
	Width   int    `json:"w,omitempty"` // bytes of one stored value
	Missing int    `json:"m,omitempty"`
	// Range is min and max of the numbers that are there; absent without any, or
	// where one is infinite or too small for any float64, which is kept as NaN.
	Range []float64 `json:"r,omitempty"`
}

var errCorrupt = errors.New("the stored capture is damaged")

const (
	formDecimal = "decimal"
	formFloat   = "float"
	formDouble  = "double"
	formText    = "text"
)

// numbers collects the values of a numeric column of one block: as decimals as
// long as one number of places can hold them all, else as double-doubles.
type numbers struct {
	mantissa []int64
	common   int       // places of all mantissas
	places   []int8    // of each, -1 where it is missing; nil while they are common
	double   []stat.DD // not nil once a value was no short decimal
	absent   []bool    // nil while none is
	missing  int
	spare    []stat.DD // memory for double
	// unusualText says that a value was written otherwise than as digits and a point.
	unusualText bool
}

func (c *numbers) decimal(m int64, places int) {
	if places == c.common && c.places == nil && c.double == nil && c.absent == nil {
		c.mantissa = append(c.mantissa, m)
		return
	}
	c.unusual(m, places)
}

func (c *numbers) unusual(m int64, places int) {
	if c.absent != nil {
		c.absent = append(c.absent, false)
	}
	if c.double != nil {
		c.double = append(c.double, stat.FromDecimal(m, places))
		return
	}
	if len(c.mantissa) == c.missing { // the first that is there
		c.common = places
	}
	if places != c.common && c.places == nil {
		c.places = make([]int8, len(c.mantissa), stat.BlockRows)
		for i := range c.places {
			c.places[i] = int8(c.common)
			if c.absent != nil && c.absent[i] {
				c.places[i] = -1
			}
		}
	}
	if c.places != nil {
		c.places = append(c.places, int8(places))
	}
	c.mantissa = append(c.mantissa, m)
}

func (c *numbers) other(v stat.DD) {
	c.toDouble()
	c.double = append(c.double, v)
	if c.absent != nil {
		c.absent = append(c.absent, false)
	}
}

func (c *numbers) none() {
	if c.absent == nil {
		c.absent = make([]bool, max(len(c.mantissa), len(c.double)), stat.BlockRows)
	}
	c.absent = append(c.absent, true)
	c.missing++
	if c.double != nil {
		c.double = append(c.double, stat.DD{})
		return
	}
	c.mantissa = append(c.mantissa, 0)
	if c.places != nil {
		c.places = append(c.places, -1)
	}
}

// lacks says whether value i is missing.
func (c *numbers) lacks(i int) bool { return c.absent != nil && c.absent[i] }

func (c *numbers) toDouble() {
	if c.double != nil {
		return
	}
	if c.spare == nil {
		c.spare = make([]stat.DD, 0, stat.BlockRows)
	}
	c.double = c.spare[:0]
	for i, m := range c.mantissa {
		places := c.common
		if c.places != nil {
			places = max(int(c.places[i]), 0)
		}
		c.double = append(c.double, stat.FromDecimal(m, places))
	}
}

// write appends the block's bytes and empties the collector.
func (c *numbers) write(buf []byte) ([]byte, chunkInfo) {
	info := chunkInfo{Missing: c.missing}
	buf = appendAbsent(buf, c.absent, c.missing)
	if c.double == nil && !c.align(&info) {
		c.toDouble()
	}
	if c.double == nil {
		buf = c.writeDecimal(buf, &info)
	} else {
		buf = c.writeDouble(buf, &info)
	}
	c.clear()
	return buf, info
}

func (c *numbers) clear() { *c = numbers{mantissa: c.mantissa[:0], spare: c.spare} }

// align gives all mantissas the same number of places; false where one would
// not fit any more.
func (c *numbers) align(info *chunkInfo) bool {
	if info.Places = c.common; c.places == nil {
		return true
	}
	most := int8(0)
	for _, p := range c.places {
		most = max(most, p)
	}
	for i, p := range c.places {
		if p < 0 || p == most {
			continue
		}
		m := c.mantissa[i]
		for ; p < most; p++ {
			if m > math.MaxInt64/10 || m < math.MinInt64/10 {
				return false
			}
			m *= 10
		}
		c.mantissa[i], c.places[i] = m, most
	}
	info.Places = int(most)
	return true
}

func (c *numbers) writeDecimal(buf []byte, info *chunkInfo) []byte {
	info.Form = formDecimal
	lo, hi, any := c.span()
	info.Base = lo
	if any {
		info.Range = []float64{toFloat(lo, info.Places), toFloat(hi, info.Places)}
	}
	switch spread := uint64(hi) - uint64(lo); {
	case spread == 0:
	case spread <= math.MaxUint8:
		info.Width = 1
	case spread <= math.MaxUint16:
		info.Width = 2
	case spread <= math.MaxUint32:
		info.Width = 4
	default:
		info.Width = 8
	}
	if c.absent != nil {
		for i, a := range c.absent {
			if a {
				c.mantissa[i] = lo
			}
		}
	}
	start := len(buf)
	buf = slices.Grow(buf, info.Width*len(c.mantissa))[:start+info.Width*len(c.mantissa)]
	out := buf[start:]
	switch info.Width {
	case 1:
		for i, m := range c.mantissa {
			out[i] = byte(m - lo)
		}
	case 2:
		for i, m := range c.mantissa {
			binary.LittleEndian.PutUint16(out[2*i:], uint16(m-lo))
		}
	case 4:
		for i, m := range c.mantissa {
			binary.LittleEndian.PutUint32(out[4*i:], uint32(m-lo))
		}
	case 8:
		for i, m := range c.mantissa {
			binary.LittleEndian.PutUint64(out[8*i:], uint64(m-lo))
		}
	}
	return buf
}

// span is the least and the largest mantissa of those that are there.
func (c *numbers) span() (lo, hi int64, any bool) {
	if c.missing == len(c.mantissa) {
		return 0, 0, false
	}
	lo, hi = math.MaxInt64, math.MinInt64
	for i, m := range c.mantissa {
		if !c.lacks(i) {
			lo, hi = min(lo, m), max(hi, m)
		}
	}
	return lo, hi, true
}

func (c *numbers) writeDouble(buf []byte, info *chunkInfo) []byte {
	info.Form = formFloat
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, v := range c.double {
		if v.Lo != 0 {
			info.Form = formDouble
		}
		if !c.lacks(i) {
			lo, hi = math.Min(lo, v.Hi), math.Max(hi, v.Hi)
		}
	}
	if span := hi - lo; !math.IsInf(lo, 0) && !math.IsInf(hi, 0) && !math.IsNaN(span) {
		info.Range = []float64{lo, hi}
	}
	for _, v := range c.double {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v.Hi))
	}
	if info.Form == formDouble {
		for _, v := range c.double {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v.Lo))
		}
	}
	return buf
}

// toFloat rounds a decimal to float64: at once where both parts are exact.
func toFloat(m int64, places int) float64 {
	if places == 0 {
		return float64(m)
	}
	if m < 1<<53 && m > -1<<53 {
		return float64(m) / pow10[places]
	}
	return stat.FromDecimal(m, places).Float()
}

var pow10 = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

func appendAbsent(buf []byte, absent []bool, missing int) []byte {
	if missing == 0 {
		return buf
	}
	start := len(buf)
	buf = append(buf, make([]byte, (len(absent)+7)/8)...)
	for i, a := range absent {
		if a {
			buf[start+i/8] |= 1 << (i % 8)
		}
	}
	return buf
}

// texts collects the values of a string column of one block.
type texts struct {
	words   []string
	index   map[string]int
	code    []uint16
	absent  []bool
	missing int
}

func (c *texts) add(text []byte) {
	if c.index == nil {
		c.index = map[string]int{}
	}
	if n := len(c.code); n > 0 && !c.absent[n-1] && c.words[c.code[n-1]] == string(text) {
		c.code, c.absent = append(c.code, c.code[n-1]), append(c.absent, false)
		return
	}
	at, ok := c.index[string(text)]
	if !ok {
		at = len(c.words)
		word := string(text)
		c.words = append(c.words, word)
		c.index[word] = at
	}
	c.code, c.absent = append(c.code, uint16(at)), append(c.absent, false)
}

func (c *texts) none() {
	c.code, c.absent = append(c.code, 0), append(c.absent, true)
	c.missing++
}

func (c *texts) write(buf []byte) ([]byte, chunkInfo) {
	buf = appendAbsent(buf, c.absent, c.missing)
	buf = binary.AppendUvarint(buf, uint64(len(c.words)))
	for _, w := range c.words {
		buf = binary.AppendUvarint(buf, uint64(len(w)))
		buf = append(buf, w...)
	}
	for _, code := range c.code {
		buf = binary.LittleEndian.AppendUint16(buf, code)
	}
	info := chunkInfo{Form: formText, Missing: c.missing}
	c.clear()
	return buf, info
}

func (c *texts) clear() { *c = texts{code: c.code[:0], absent: c.absent[:0]} }
