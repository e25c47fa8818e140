package join

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Schemas keep the order of their members: readers, people and models alike,
// meet the required ones first. So objects are lists here, not maps.
type (
	member struct {
		key   string
		value any // object, []any, string, json.Number, bool or nil
	}
	object []member
)

func (o object) find(key string) int {
	for i, m := range o {
		if m.key == key {
			return i
		}
	}
	return -1
}

func parse(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	value, err := next(dec)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("the file goes on after its first value, at byte %d", dec.InputOffset())
	}
	return value, nil
}

func next(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			key, err := dec.Token() // the decoder refuses any other than a string
			if err != nil {
				return nil, err
			}
			value, err := next(dec)
			if err != nil {
				return nil, err
			}
			o = append(o, member{key.(string), value})
		}
		_, err = dec.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			value, err := next(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = dec.Token()
		return list, err
	}
	return token, nil
}

func write(out *bytes.Buffer, value any) error {
	switch v := value.(type) {
	case object:
		for i, m := range v {
			out.WriteByte("{,"[min(i, 1)])
			if err := write(out, m.key); err != nil {
				return err
			}
			out.WriteByte(':')
			if err := write(out, m.value); err != nil {
				return err
			}
		}
		if len(v) == 0 {
			out.WriteByte('{')
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := write(out, item); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	default:
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1) // the encoder's line feed
	}
	return nil
}
