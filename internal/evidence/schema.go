package evidence

import (
	_ "embed"
)

// Schema holds the JSON Schemas of what this package writes into an output, by
// name: quantity, evidence and their parts. They refer to one another as
// "#/$defs/<name>".
//
//go:embed schema.json
var Schema []byte
