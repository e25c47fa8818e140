package part21

import (
	"maps"
	"math/bits"
	"slices"
)

// Missing are instances that others name and that the file does not have.
type Missing struct {
	Count int
	First []int // the lowest ten
}

const (
	pageBits  = 1 << 15
	mostPages = 1 << 13 // 32 MB for each of two sets; numbers of real files are dense
	mostTold  = 10
)

// set holds whole numbers by pages of bits; what does not fit is left out.
type set struct {
	pages map[int]*[pageBits / 64]uint64
	full  bool
}

func (s *set) add(n int) {
	if n < 0 {
		return
	}
	if s.pages == nil {
		s.pages = map[int]*[pageBits / 64]uint64{}
	}
	page := s.pages[n/pageBits]
	if page == nil {
		if len(s.pages) >= mostPages {
			s.full = true
			return
		}
		page = new([pageBits / 64]uint64)
		s.pages[n/pageBits] = page
	}
	page[n%pageBits/64] |= 1 << (n % 64)
}

// numbers are those of the instances that a file has, and of those that it names.
type numbers struct{ defined, named set }

// name takes the references of an instance.
func (n *numbers) name(body []byte) {
	quoted := false
	for i := 0; i < len(body); i++ {
		switch b := body[i]; {
		case b == '\'':
			quoted = !quoted
		case b == '#' && !quoted:
			number, digits := 0, 0
			for i+1 < len(body) && body[i+1] >= '0' && body[i+1] <= '9' && digits < 18 {
				i++
				number, digits = 10*number+int(body[i]-'0'), digits+1
			}
			if digits > 0 {
				n.named.add(number)
			}
		}
	}
}

func (n *numbers) missing() Missing {
	var m Missing
	if n.defined.full || n.named.full {
		return m // nobody knows
	}
	for _, at := range slices.Sorted(maps.Keys(n.named.pages)) {
		have := n.defined.pages[at]
		for word, named := range n.named.pages[at] {
			lacks := named
			if have != nil {
				lacks &^= have[word]
			}
			m.Count += bits.OnesCount64(lacks)
			for ; lacks != 0 && len(m.First) < mostTold; lacks &= lacks - 1 {
				m.First = append(m.First, at*pageBits+64*word+bits.TrailingZeros64(lacks))
			}
		}
	}
	return m
}
