package quantity

import (
	"encoding/json"
	"fmt"
	"strings"
)

// FileLength is a length or a coordinate of an argument whose numbers are in the
// unit of a file: a number in that unit, or a text with a unit, which is known in
// metres. It becomes a number when the unit of the file is known.
type FileLength struct {
	Value  float64
	Metres bool // the value is in metres whatever the file's unit
}

const metresSuffix = " m"

// UnmarshalJSON reads 2.5, and "0.0025 m" as a normalised input has it.
func (l *FileLength) UnmarshalJSON(raw []byte) error {
	l.Metres = strings.HasPrefix(string(raw), `"`)
	if !l.Metres {
		return json.Unmarshal(raw, &l.Value)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	number, ok := strings.CutSuffix(text, metresSuffix)
	if !ok {
		return fmt.Errorf("%q is no length in metres", text)
	}
	return json.Unmarshal([]byte(number), &l.Value)
}

// MarshalJSON is the inverse of UnmarshalJSON.
func (l FileLength) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(l.Value)
	if err != nil || !l.Metres {
		return raw, err
	}
	return json.Marshal(string(raw) + metresSuffix)
}

// In is the number in the unit of the file.
func (l FileLength) In(unit string) (float64, error) {
	if !l.Metres {
		return l.Value, nil
	}
	return Convert(l.Value, "m", unit)
}
