package rest

import (
	"net/http/httptest"
	"testing"

	"atelier/internal/contract"
)

// state and status are two names of one parameter; a fault names the one that was sent.
func TestAFaultNamesTheParameterThatWasSent(t *testing.T) {
	for _, name := range []string{"state", "status"} {
		_, err := (&Server{}).jobFilter(httptest.NewRequest("GET", "/v1/jobs?"+name+"=zzz", nil))
		if e := contract.AsError(err); err == nil || e.Field != name || e.Message != name+` is "zzz"` {
			t.Errorf("%s: %v", name, err)
		}
	}
}
