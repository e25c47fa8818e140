// Package contract says what a tool is: its contract (names, schemas, errors,
// limits, effects), the call it receives, the result it gives back, and the one
// catalogue of error codes. Every protocol is a projection of what stands here.
// Of this module the package imports the parts that contracts share, what joins
// them, evidence and quantity; it performs no I/O.
package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"atelier/api/defs"
	"atelier/internal/contract/join"
	"atelier/internal/jsonvalue"
)

// Stability levels of api/spec/execute.md.
const (
	Stable       = "stable"
	Experimental = "experimental"
	Deprecated   = "deprecated"
)

// Stabilities lists the accepted levels, in the order of api/spec/execute.md.
var Stabilities = []string{Stable, Experimental, Deprecated}

// Contract is the whole description of one tool, as its .json file holds it.
type Contract struct {
	Name          string          `json:"name"`
	Title         string          `json:"title"`
	Version       string          `json:"version"`
	Stability     string          `json:"stability"`
	Deprecation   *Deprecation    `json:"deprecation,omitempty"`
	Status        string          `json:"status"`
	Transport     string          `json:"transport"`
	Endpoint      string          `json:"endpoint"`
	Family        string          `json:"family"` // the group that --family selects: mesh, solve, web …
	Tags          []string        `json:"tags"`
	Description   string          `json:"description"`
	Capabilities  []string        `json:"capabilities"`
	InputSchema   json.RawMessage `json:"input_schema"`
	OutputSchema  json.RawMessage `json:"output_schema"`
	Evidence      EvidenceSpec    `json:"evidence"`
	Errors        []ErrorSpec     `json:"errors"`
	Examples      []Example       `json:"examples"`
	Effects       Effects         `json:"effects"`
	Deterministic bool            `json:"deterministic"`
	Limits        ToolLimits      `json:"limits"`
	CostHint      CostHint        `json:"cost_hint"`
	Engine        string          `json:"engine"`

	input, output lazySchema
	inputDoc      lazyDocument
	marked        marked
	unjoined      error // why a shared part could not be put in place

	checked sync.Once
	fault   error // what Check found
}

// ID is the tool's canonical name.
func (c *Contract) ID() string { return c.Name }

// Deprecation tells since when a tool is deprecated and what replaces it.
type Deprecation struct {
	Since       string `json:"since"`
	Replacement string `json:"replacement"`
	Removal     string `json:"removal,omitempty"`
}

// ErrorSpec is one error that a tool may answer with; HTTPStatus is the status
// of the direct dialect (api/spec/tool-contracts.md). Fields are JSON pointers of arguments
// whose faults are told with this code (invalid_port for /port); a fault of any
// other argument is invalid_request.
type ErrorSpec struct {
	Code       string   `json:"code"`
	HTTPStatus int      `json:"http_status"`
	When       string   `json:"when"`
	Fields     []string `json:"fields,omitempty"`
}

// Example is an input that validates against the contract's input schema.
type Example struct {
	Title string          `json:"title"`
	Input json.RawMessage `json:"input"`
	Notes string          `json:"notes"`
}

// Effects say what a call may do to the world. SideEffects is the class of
// api/spec/invocation.md: none, read_only or external_write.
type Effects struct {
	ReadOnly    bool   `json:"read_only"`
	Destructive bool   `json:"destructive"`
	Idempotent  bool   `json:"idempotent"`
	OpenWorld   bool   `json:"open_world"`
	SideEffects string `json:"side_effects"`
}

// CostHint is the pricing guidance of api/spec/invocation.md.
type CostHint struct {
	Unit          string  `json:"unit"`
	EstimatedCost float64 `json:"estimated_cost"`
	Currency      string  `json:"currency"`
}

var (
	namePattern   = regexp.MustCompile(`^[a-z][a-z0-9]*([_.][a-z0-9]+)*$`)
	semverPattern = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	aliasPattern  = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]{0,63}$`)
)

// Alias is the name without dots, for the many clients that refuse them.
func (c *Contract) Alias() string { return strings.ReplaceAll(c.Name, ".", "_") }

// Major is the first number of the semantic version, as `/v1/tools` shows it.
func (c *Contract) Major() string { return strings.SplitN(c.Version, ".", 2)[0] }

// Parse reads a contract file and checks all that can be checked without
// running the tool: names, versions, schemas, error codes, and that every
// example validates. The error names the contract and the fault.
func Parse(file []byte) (*Contract, error) {
	c, err := decode(file)
	if err != nil {
		return nil, err
	}
	if fault := StrictJSON(file, CodeInvalidConfig); fault != nil {
		return nil, fmt.Errorf("the contract cannot be read with certainty: %s. %s", fault.Message, fault.Hint)
	}
	return c, c.Check()
}

// shared are the parts that contracts may refer to.
var shared = sync.OnceValues(func() (*join.Parts, error) { return join.Load(defs.Files) })

// decode joins a contract file with the shared parts and reads it; its contents
// are checked later.
func decode(file []byte) (*Contract, error) {
	parts, err := shared()
	if err != nil {
		return nil, err
	}
	if what, hint := jsonvalue.Syntax(file); what != "" {
		return nil, errors.New(strings.TrimSpace("the contract is not valid JSON: " + what + ". " + hint))
	}
	joined, unjoined := parts.Contract(file)
	if unjoined != nil {
		c := &Contract{unjoined: unjoined}
		var named struct{ Name string }
		_ = json.Unmarshal(file, &named) // Check says what is wrong, of which contract
		c.Name = named.Name
		return c, nil
	}
	c := &Contract{}
	dec := json.NewDecoder(bytes.NewReader(joined))
	dec.DisallowUnknownFields()
	if err := dec.Decode(c); err != nil {
		return nil, errors.New("contract file: " + Misfit(err))
	}
	for name, schema := range map[string]json.RawMessage{"input_schema": c.InputSchema, "output_schema": c.OutputSchema} {
		if len(schema) == 0 {
			c.unjoined = fmt.Errorf("it has no %s: give a JSON Schema of type object", name)
			return c, nil
		}
	}
	c.unjoined = c.complete()
	return c, nil
}

// complete adds what every contract of its kind has, and no file repeats.
func (c *Contract) complete() error {
	c.Errors = answeredSpecs(c.Errors)
	if c.Family == NotebookFamily {
		c.OutputSchema = notebookSchema(c.OutputSchema)
	}
	return c.open()
}

// Check is nil for a contract without a fault.
func (c *Contract) Check() error {
	c.checked.Do(func() {
		if err := c.check(); err != nil {
			c.fault = fmt.Errorf("contract %q: %w", c.Name, err)
		}
	})
	return c.fault
}

func (c *Contract) check() error {
	switch {
	case c.unjoined != nil:
		return c.unjoined
	case !namePattern.MatchString(c.Name):
		return fmt.Errorf("name must match %s", namePattern)
	case !aliasPattern.MatchString(c.Alias()):
		return fmt.Errorf("alias %q must match %s", c.Alias(), aliasPattern)
	case !semverPattern.MatchString(c.Version):
		return fmt.Errorf("version %q is not major.minor.patch", c.Version)
	case !slices.Contains(Stabilities, c.Stability):
		return fmt.Errorf("stability %q is not one of %v", c.Stability, Stabilities)
	case c.Stability == Deprecated && c.Deprecation == nil:
		return fmt.Errorf("a deprecated tool must say since when and what replaces it")
	case !namePattern.MatchString(c.Family):
		return fmt.Errorf("family %q must match %s", c.Family, namePattern)
	case c.Title == "" || c.Description == "":
		return fmt.Errorf("title and description must not be empty")
	case !slices.IsSorted(c.Tags) || len(c.Tags) == 0:
		return fmt.Errorf("tags must be present and sorted")
	case len(c.Examples) == 0:
		return fmt.Errorf("at least one example is needed")
	case !slices.Contains([]string{"none", "read_only", "external_write"}, c.Effects.SideEffects):
		return fmt.Errorf("effects.side_effects must be none, read_only or external_write")
	case c.CostHint.Unit == "" || c.CostHint.Currency == "":
		return fmt.Errorf("cost_hint must name a unit and a currency")
	}
	return c.checkParts()
}

func (c *Contract) checkParts() error {
	if err := c.Limits.check(); err != nil {
		return err
	}
	for _, e := range c.Errors {
		if !Known(e.Code) {
			return fmt.Errorf("error code %q is not in the catalogue", e.Code)
		}
		if e.HTTPStatus < 400 || e.HTTPStatus > 599 || e.When == "" {
			return fmt.Errorf("error %q needs an http_status of 400 to 599 and a sentence in when", e.Code)
		}
	}
	if _, err := c.compiledInput(); err != nil {
		return fmt.Errorf("input_schema: %w", err)
	}
	if _, err := c.compiledOutput(); err != nil {
		return fmt.Errorf("output_schema: %w", err)
	}
	if err := c.checkSchemas(); err != nil {
		return err
	}
	if err := c.checkFields(); err != nil {
		return err
	}
	if err := c.checkEvidence(); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	for i, ex := range c.Examples {
		if ex.Title == "" {
			return fmt.Errorf("example %d has no title", i)
		}
		if faults := c.ValidateInput(ex.Input); len(faults) > 0 {
			return fmt.Errorf("example %q does not validate: %s", ex.Title, faults[0].Error())
		}
	}
	return nil
}
