package dataset

import (
	"bytes"
	"unicode/utf8"

	"atelier/internal/stat"
)

// builder makes a block of typed columns of the values of a run of records.
type builder struct {
	names   []string
	kinds   []Kind
	wide    bool // a value did not fit: kinds are what is needed, and no block is made
	numbers []numbers
	texts   []texts
	rows    int
	size    int // bytes of texts
	buf     []byte
	chunks  []chunkInfo
	words   []map[string]int64 // that are taken as missing, of each column; nil for none
	// spelled says which columns keep their texts as they are given; their different
	// ones, and where those of numbers are written.
	spelled   []bool
	spellings map[int][]string
	beside    map[int]chunkInfo
	styles    []style
	beyond    int // fields after the columns, which are empty
}

func newBuilder(names []string, kinds []Kind) *builder {
	b := &builder{names: names}
	b.reset(kinds)
	return b
}

// reset empties the builder for another block of columns of these types.
func (b *builder) reset(kinds []Kind) {
	b.kinds = append(b.kinds[:0], kinds...)
	for len(b.numbers) < len(kinds) {
		b.numbers, b.texts = append(b.numbers, numbers{}), append(b.texts, texts{})
	}
	for i := range b.numbers {
		b.numbers[i].clear()
		b.texts[i].clear()
	}
	b.words, b.styles = make([]map[string]int64, len(kinds)), make([]style, len(kinds))
	b.spellings, b.beside = nil, nil
	b.wide, b.rows, b.size, b.buf, b.chunks = false, 0, 0, b.buf[:0], b.chunks[:0]
}

// grow adds columns, which the blocks before lack.
func (b *builder) grow(names []string) {
	b.wide, b.names = true, append([]string(nil), names...)
	for len(b.kinds) < len(names) {
		b.kinds, b.words, b.styles = append(b.kinds, none), append(b.words, nil), append(b.styles, style{})
		b.numbers, b.texts = append(b.numbers, numbers{}), append(b.texts, texts{})
	}
}

// value takes the next value of column i, as text; it is missing where that is
// empty or says so. given is the text with the spaces around it.
func (b *builder) value(i int, f, given []byte, line int) error {
	if missing(f) {
		if b.kinds[i] == String && len(f) > 0 {
			b.word(i, f)
		}
		b.none(i)
		return nil
	}
	switch b.kinds[i] {
	case String:
		if !utf8.Valid(f) {
			return fault(line, "the value of %q at line %d is not UTF-8", b.names[i], line).WithHint(asUTF8)
		}
		if len(given) > len(f) {
			b.styles[i].padded = true
		} else {
			b.styles[i].bare = true
		}
		if b.keeps(i) {
			f = given
		}
		b.size += len(f)
		b.texts[i].add(f)
		return nil
	case Integer, Number:
		if m, places, ok := stat.ParseDecimal(stat.Plain(f)); ok && (b.kinds[i] == Number || kindOf(f) == Integer) {
			b.numbers[i].decimal(m, places)
			b.written(i, f)
			return nil
		}
		if b.kinds[i] == Number {
			if v, err := stat.Parse(string(f)); err == nil {
				b.written(i, f)
				b.numbers[i].other(v)
				return nil
			}
		}
	case Boolean:
		if v, ok := boolean(f); ok {
			b.numbers[i].decimal(v, 0)
			return nil
		}
	case Time:
		if ns, ok := instant(f); ok {
			b.numbers[i].decimal(ns, timePlaces)
			return nil
		}
	}
	if k := b.kinds[i]; (k == none || k == Integer || k == Number) && standIn(f) {
		b.word(i, f)
		b.none(i)
		return nil
	}
	b.kinds[i], b.wide = join(b.kinds[i], kindOf(f)), true
	return nil
}

// word counts a word that is taken as missing.
func (b *builder) word(i int, f []byte) {
	if b.words[i] == nil {
		b.words[i] = map[string]int64{}
	}
	b.words[i][string(f)]++
}

// keeps says that the column keeps its texts as they are given.
func (b *builder) keeps(i int) bool { return i < len(b.spelled) && b.spelled[i] }

// written takes note of how a number is written.
func (b *builder) written(i int, text []byte) {
	if unusualNumber(text) {
		b.numbers[i].unusualText = true
	}
	if b.keeps(i) {
		b.texts[i].add(text)
	}
}

func (b *builder) none(i int) {
	if b.kinds[i] == String {
		b.texts[i].none()
		return
	}
	b.numbers[i].none()
	if b.keeps(i) {
		b.texts[i].none()
	}
}

// encode makes the block's bytes and tells where each column's lie in them.
func (b *builder) encode() {
	if b.wide {
		return
	}
	for i, kind := range b.kinds {
		if kind == Integer || kind == Number {
			b.styles[i] = b.numbers[i].style()
		}
		var info, texts chunkInfo
		if b.keeps(i) {
			if b.spellings == nil {
				b.spellings, b.beside = map[int][]string{}, map[int]chunkInfo{}
			}
			b.spellings[i] = b.texts[i].words
		}
		if kind == String || b.keeps(i) {
			texts = b.put(b.texts[i].write)
		}
		switch {
		case kind == String:
			info = texts
		default:
			if info = b.put(b.numbers[i].write); b.keeps(i) {
				b.beside[i] = texts
			}
		}
		b.chunks = append(b.chunks, info)
	}
}

// put appends a column's bytes.
func (b *builder) put(write func([]byte) ([]byte, chunkInfo)) (info chunkInfo) {
	start := len(b.buf)
	b.buf, info = write(b.buf)
	info.Offset, info.Length = int64(start), len(b.buf)-start
	return info
}

// csv takes the records of a piece.
func (b *builder) csv(p piece, comma byte) error {
	room := min(stat.BlockRows, len(p.data)/(2*len(b.kinds))+1) // a value takes two bytes with its comma
	for i := range b.numbers {
		if b.kinds[i] != String && b.numbers[i].mantissa == nil {
			b.numbers[i].mantissa = make([]int64, 0, room)
		}
	}
	if !p.quoted && b.beyond == 0 {
		return b.unquoted(p, comma)
	}
	rows, s := &lines{piece: p}, &splitter{comma: comma}
	for {
		r, ok := rows.next()
		if !ok {
			return nil
		}
		if len(r.text) == 0 && len(b.kinds) > 1 {
			continue // blank lines are no records, except of a single column
		}
		s.line = r.line
		fields, err := s.split(r.text)
		if err != nil {
			return err
		}
		if fields, err = cutEmpty(fields, len(b.kinds), b.beyond, r.line); err != nil {
			return err
		}
		if len(fields) != len(b.kinds) {
			return ragged(r.line, len(fields), b.names, r.text)
		}
		for i, f := range fields {
			if err := b.value(i, f, s.given[i], r.line); err != nil {
				return err
			}
		}
		b.rows++
	}
}

// unquoted takes the records of a piece without quotes, in which every line is one.
func (b *builder) unquoted(p piece, comma byte) error {
	data, last := p.data, len(b.kinds)-1
	for line := p.line; len(data) > 0; line++ {
		if last > 0 && (data[0] == '\n' || data[0] == '\r' && len(data) > 1 && data[1] == '\n') {
			data = data[bytes.IndexByte(data, '\n')+1:]
			continue
		}
		n, err := b.record(data, comma, line)
		if err != nil {
			return err
		}
		data = data[n:]
		b.rows++
	}
	return nil
}

// record takes the values of the record that data starts with, and returns the
// bytes that it has with its end.
func (b *builder) record(data []byte, comma byte, line int) (n int, err error) {
	last := len(b.kinds) - 1
	for i := range b.kinds {
		if kind := b.kinds[i]; kind == Integer || kind == Number {
			m, places, k := shortDecimal(data[n:])
			if k > 0 && (kind == Number || places < 0) {
				if skip, ok := ends(data[n+k:], i == last, comma); ok {
					b.numbers[i].decimal(m, max(places, 0))
					if c := data[n]; c <= '0' || b.spelled != nil { // a zero, a sign or a point first
						b.written(i, data[n:n+k])
					}
					n += k + skip
					continue
				}
			}
		}
		end := n
		for end < len(data) && data[end] != comma && data[end] != '\n' {
			end++
		}
		field := data[n:end]
		if atEnd := end == len(data) || data[end] == '\n'; atEnd != (i == last) {
			text, _, _ := bytes.Cut(data, []byte{'\n'})
			return 0, ragged(line, bytes.Count(text, []byte{comma})+1, b.names, text)
		}
		if i == last {
			field = bytes.TrimRight(field, "\r")
		}
		if err := b.value(i, bytes.Trim(field, " "), field, line); err != nil {
			return 0, err
		}
		n = min(end+1, len(data))
	}
	return n, nil
}

// ends says whether a field ends where rest starts, and how many bytes its end has.
func ends(rest []byte, last bool, comma byte) (skip int, ok bool) {
	switch {
	case len(rest) == 0:
		return 0, last
	case !last:
		return 1, rest[0] == comma
	case rest[0] == '\n':
		return 1, true
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		return 2, true
	}
	return 0, false
}

// shortDecimal reads a decimal of at most 18 digits at the start of a text. places is
// -1 without a point; n, its length, is 0 where there is none.
func shortDecimal(text []byte) (mantissa int64, places, n int) {
	var m uint64
	i, start, point := 0, 0, -1
	if len(text) > 0 && text[0] == '-' {
		i, start = 1, 1
	}
	for ; i < len(text); i++ {
		c := text[i]
		if d := c - '0'; d <= 9 {
			m = m*10 + uint64(d)
		} else if c == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	digits := i - start
	places = -1
	if point >= 0 {
		digits--
		places = i - point - 1
	}
	if digits == 0 || digits > 18 {
		return 0, 0, 0
	}
	if start == 1 {
		return -int64(m), places, i
	}
	return int64(m), places, i
}
