package contract

// placeIn names a place in words: of an input by its pointer alone, of an output
// with the word, so that nobody mends an argument for it.
func placeIn(code, at string) string {
	switch {
	case code != CodeInvalidToolOutput && at == "":
		return "the input"
	case code != CodeInvalidToolOutput:
		return at
	case at == "":
		return "the output"
	}
	return "the output's " + at
}

// OutputFaults are violations of an output schema as the errors of a call. A
// pointer of theirs leads into the output and not into the arguments, so it moves
// from the field to details.output, and the kind of an argument's fault is dropped.
func (c *Contract) OutputFaults(faults []*Error) []*Error {
	for _, f := range faults {
		if f.Field != "" {
			_ = f.With("output", f.Field)
		}
		f.Field = ""
		delete(f.Details, "fault")
		f.Message = c.Name + " answered what its contract does not describe: " + f.Message
		_ = f.WithHint("This is a fault of the tool, not of the call: other arguments do not mend it.")
	}
	return faults
}
