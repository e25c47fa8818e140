package contract

import (
	"context"
	"encoding/json"
)

type callerKey struct{}

// WithCaller notes who calls: a text that is the same for all calls of one
// client, and no other's. A protocol sets it; only tools with NeedsCaller get it.
func WithCaller(ctx context.Context, caller string) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf is what WithCaller noted, or "".
func CallerOf(ctx context.Context) string {
	caller, _ := ctx.Value(callerKey{}).(string)
	return caller
}

// CallContext adds the caller to the context of a call that names no session,
// where there is a caller.
func CallContext(ctx context.Context, given json.RawMessage) json.RawMessage {
	caller := CallerOf(ctx)
	if caller == "" {
		return given
	}
	fields := map[string]json.RawMessage{}
	if len(given) > 0 && json.Unmarshal(given, &fields) != nil || fields == nil {
		return given // a context of another kind
	}
	fields["caller"], _ = json.Marshal(caller) // a text always encodes
	raw, err := json.Marshal(fields)
	if err != nil {
		return given
	}
	return raw
}
