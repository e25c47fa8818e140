// Package study holds the schema of the study document.
package study

import _ "embed"

// Schema is the JSON Schema (2020-12) of the present version, 1.0.
//
//go:embed study.1.0.json
var Schema []byte
