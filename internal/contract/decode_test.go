package contract

import (
	"context"
	"encoding/json"
	"testing"
)

// JSON Schema 2020-12 (Core 4.2.3): 1.0 is an integer.
func TestIntegersMayBeWrittenAsAnyNumber(t *testing.T) {
	for text, want := range map[string]string{
		`{"n":46.0}`:                          `{"n":46}`,
		`[1e3,-2.50e1,0.0,-0.0,12E+0]`:        `[1000,-25,0,0,12]`,
		`{"46.0":"1e3 \" 2.0","x":[1.5]}`:     `{"46.0":"1e3 \" 2.0","x":[1.5]}`,
		`{"n":9007199254740993.0}`:            `{"n":9007199254740993}`, // 2^53 + 1: no float64 on the way
		`{"n":18446744073709551615.0}`:        `{"n":18446744073709551615}`,
		`{"n":1e300}`:                         `{"n":1e300}`, // no integer of Go's holds it
		`{"n":46}`:                            `{"n":46}`,
		`  {"a" : 1.0 , "b" : "\\", "c":2.0}`: `  {"a" : 1 , "b" : "\\", "c":2}`,
	} {
		if got := string(plainIntegers([]byte(text))); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

func TestValidatedInputsNeverFailToDecode(t *testing.T) {
	type in struct {
		Size   float64 `json:"size"`
		Points []int   `json:"points"`
	}
	var got in
	tool := Bind(minimal(t, nil), func(_ context.Context, _ *Call, i in) (*Result, error) { got = i; return &Result{}, nil })
	run := func(input string) error {
		if faults := tool.Contract.ValidateInput(json.RawMessage(input)); len(faults) > 0 {
			t.Fatalf("%s does not validate: %v", input, faults)
		}
		_, err := tool.Run(context.Background(), &Call{}, json.RawMessage(input))
		return err
	}
	if err := run(`{"size":1e2,"points":[46.0,1e3]}`); err != nil || got.Size != 100 || got.Points[0] != 46 || got.Points[1] != 1000 {
		t.Fatalf("%v %+v", err, got)
	}
	e := AsError(run(`{"size":1,"points":[1e30]}`))
	if e.Code != CodeInvalidInput || e.Field != "/points" {
		t.Fatalf("%v", e)
	}
}

// A tool whose struct asks for a number as it was written gets it so; in any other
// 1.0 is the integer 1.
func TestDigitsAreKeptWhereTheyAreAskedFor(t *testing.T) {
	for text, want := range map[string]string{"1.0": "1.0", "1.500e3": "1.500e3", "46": "46"} {
		var in struct {
			Size json.Number `json:"size"`
		}
		if err := decodeInput("t", json.RawMessage(`{"size":`+text+`}`), &in); err != nil || in.Size.String() != want {
			t.Errorf("%s became %q: %v", text, in.Size, err)
		}
	}
	var in struct {
		Size int `json:"size"`
	}
	if err := decodeInput("t", json.RawMessage(`{"size":1.500e3}`), &in); err != nil || in.Size != 1500 {
		t.Errorf("%+v %v", in, err)
	}
}
