// Package defs holds the parts that several contracts share: schemas, groups of
// properties, lists of errors. A contract refers to them by name and
// internal/contract/join puts them in place.
package defs

import "embed"

// Files are the parts, by subject.
//
//go:embed *.json
var Files embed.FS
