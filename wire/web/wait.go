package web

import (
	"time"

	"atelier/contract"
)

const longestWait = 120 * time.Second

// Wait is how long a request may wait for its job: wait_ms clamped to 1 ms …
// 120 s, and absent where it is not given. A negative one is an error at field.
func Wait(ms *float64, absent time.Duration, field string) (time.Duration, error) {
	if ms == nil {
		return absent, nil
	}
	if !(*ms >= 0) { // a query can say NaN
		return 0, contract.Errorf(contract.CodeInvalidRequest, "wait_ms is %g; it must not be negative", *ms).At(field)
	}
	wait := time.Duration(min(*ms, float64(longestWait.Milliseconds()))) * time.Millisecond
	return max(wait, time.Millisecond), nil
}
