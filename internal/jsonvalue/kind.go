package jsonvalue

import "bytes"

// KindOf is what JSON calls the value that a text holds: object, array, string, boolean,
// null or number. The text has been read before.
func KindOf(text []byte) string {
	switch bytes.TrimSpace(text)[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}
