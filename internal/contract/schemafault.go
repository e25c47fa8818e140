package contract

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// SchemaFault says in plain words, with their place, why a schema of a contract is
// none: the sentences of the compiler name its own documents. Any other error is
// returned as it is.
func SchemaFault(err error) error {
	var invalid *jsonschema.SchemaValidationError
	var regex *jsonschema.InvalidRegexError
	var lost *jsonschema.JSONPointerNotFoundError
	var remote *jsonschema.LoadURLError
	switch {
	case errors.As(err, &invalid):
		var root *jsonschema.ValidationError
		if !errors.As(invalid.Err, &root) {
			return err
		}
		var faults []*Error
		collect(nil, root, CodeInvalidConfig, &faults)
		if what := badPattern(root); what != "" {
			return fmt.Errorf("%s%s", sideOf(invalid.URL), what)
		}
		if len(faults) > 0 {
			return fmt.Errorf("%s%s", sideOf(invalid.URL), strings.TrimPrefix(faults[0].Message, "the input: "))
		}
	case errors.As(err, &regex):
		_, at, _ := strings.Cut(regex.URL, "#")
		return fmt.Errorf("%s%s is no regular expression: %s", sideOf(regex.URL), at, regexWords(regex.Err))
	case errors.As(err, &lost):
		_, at, _ := strings.Cut(lost.URL, "#")
		return fmt.Errorf("%sa $ref leads to #%s, and nothing is there", sideOf(lost.URL), at)
	case errors.As(err, &remote):
		return fmt.Errorf("a $ref or $schema is %q; a contract refers to parts of its own (#/$defs/…) and to those of this program (atelier:defs/…)", remote.URL)
	}
	return err
}

// sideOf is the schema that a document of the compiler's is.
func sideOf(url string) string {
	document, _, _ := strings.Cut(url, "#")
	switch {
	case strings.HasSuffix(document, "/input"):
		return "input_schema: "
	case strings.HasSuffix(document, "/output"):
		return "output_schema: "
	}
	return ""
}

// badPattern is the first regular expression that is none; "" without one.
func badPattern(v *jsonschema.ValidationError) string {
	if k, ok := v.ErrorKind.(*kind.Format); ok && k.Want == "regex" {
		return fmt.Sprintf("%s is %s, which is no regular expression: %s", pointer(v.InstanceLocation), brief(k.Got), regexWords(k.Err))
	}
	for _, c := range v.Causes {
		if what := badPattern(c); what != "" {
			return what
		}
	}
	return ""
}

// regexWords: patterns are read by RE2, which lacks what cannot be matched in linear
// time.
func regexWords(err error) string {
	if err == nil {
		return "it is not understood"
	}
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ") + " (the syntax is RE2's: no look-around and no back-references)"
}
