package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"atelier/internal/contract"
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

// QueryWait is Wait of the query's ?wait_ms.
func QueryWait(r *http.Request, absent time.Duration) (time.Duration, error) {
	const name = "wait_ms"
	query := r.URL.Query()
	if !query.Has(name) {
		return absent, nil
	}
	ms, err := strconv.ParseFloat(query.Get(name), 64)
	if err != nil {
		return 0, contract.Errorf(contract.CodeInvalidRequest, "wait_ms is %q, which is not a number", query.Get(name)).At(name)
	}
	return Wait(&ms, absent, name)
}
