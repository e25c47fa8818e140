package stat

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain writes a number in ASCII with the exponent E, where it is one that has the
// decimal digits of another script or Fortran's exponent D of double precision; other
// texts it leaves. Fortran always writes the point, which tells 1.5D+02 from a name.
func Plain(text []byte) []byte {
	if at := bytes.IndexAny(text, "dD"); at > 0 && bytes.IndexByte(text[:at], '.') >= 0 && digitsOnly(text[:at]) && digitsOnly(text[at+1:]) {
		out := bytes.Clone(text)
		out[at] = 'E'
		return out
	}
	if bytes.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Nd, r) }) < 0 {
		return text
	}
	var out []byte
	script := rune(0)
	for _, r := range string(text) {
		switch zero := zeroOf(r); {
		case zero > 0 && (script == 0 || zero == script):
			out, script = append(out, byte('0'+r-zero)), zero
		case r == arabicPoint:
			out = append(out, '.')
		case strings.ContainsRune("+-.eE", r):
			out = append(out, byte(r))
		default:
			return text
		}
	}
	return out
}

// arabicPoint is the decimal separator of Arabic-Indic digits.
const arabicPoint = '\u066b'

// zeroOf is the digit 0 of the script of a decimal digit; 0 of other characters. Unicode
// has the ten digits of each script in a row.
func zeroOf(r rune) rune {
	for _, of := range unicode.Nd.R16 {
		if lo, hi := rune(of.Lo), rune(of.Hi); r >= lo && r <= hi {
			return lo + (r-lo)/10*10
		}
	}
	for _, of := range unicode.Nd.R32 {
		if lo, hi := rune(of.Lo), rune(of.Hi); r >= lo && r <= hi {
			return lo + (r-lo)/10*10
		}
	}
	return 0
}

// digitsOnly says that a text is digits with a sign or a point.
func digitsOnly(text []byte) bool {
	return len(bytes.Trim(text, "0123456789+-.")) == 0 && bytes.ContainsAny(text, "0123456789")
}
