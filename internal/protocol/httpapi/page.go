package httpapi

import (
	"net/http"
	"slices"
	"strconv"

	"atelier/internal/contract"
)

// OnlyParameters refuses a query parameter that the route does not know: a
// misspelt one would be ignored in silence.
func OnlyParameters(r *http.Request, known ...string) error {
	for name := range r.URL.Query() {
		if !slices.Contains(known, name) {
			return contract.Errorf(contract.CodeInvalidRequest, "the parameter %q is unknown", name).At(name).With("accepted", known)
		}
	}
	lists := func(name string) bool { return name == "family" || name == "tools" } // as Selection reads them
	return Once(r, slices.DeleteFunc(slices.Clone(known), lists)...)
}

// Once refuses a query in which a parameter of one value stands more than once: all
// but the first would be ignored in silence.
func Once(r *http.Request, names ...string) error {
	for _, name := range names {
		if given := r.URL.Query()[name]; len(given) > 1 {
			return contract.Errorf(contract.CodeInvalidRequest, "%s stands %d times in the query", name, len(given)).At(name).WithHint("Give it once.")
		}
	}
	return nil
}

// The page sizes of every list of ours.
const (
	defaultPage = 50
	longestPage = 500
)

// Page reads ?limit and ?cursor.
func Page(r *http.Request) (limit int, cursor string, err error) {
	query := r.URL.Query()
	if cursor = query.Get("cursor"); cursor == "" && query.Has("cursor") {
		return 0, "", contract.Errorf(contract.CodeInvalidRequest, "cursor is empty").At("cursor").WithHint("Leave it out for the first page.")
	}
	limit, err = Limit(r, defaultPage, longestPage)
	return limit, cursor, err
}

// Limit reads ?limit, from 1 to most.
func Limit(r *http.Request, absent, most int) (int, error) {
	query := r.URL.Query()
	if !query.Has("limit") {
		return absent, nil
	}
	n, err := strconv.Atoi(query.Get("limit"))
	if err != nil || n < 1 || n > most {
		return 0, contract.Errorf(contract.CodeInvalidRequest, "limit is %q; it must be a whole number from 1 to %d", query.Get("limit"), most).At("limit")
	}
	return n, nil
}

// PageParameters describes what Page reads; things are what is listed.
func PageParameters(things string) []Parameter {
	return []Parameter{
		{Name: "limit", In: "query", Description: things + " on a page.", Schema: Schema(`{"type":"integer","minimum":1,"maximum":500,"default":50}`)},
		{Name: "cursor", In: "query", Description: "next_cursor of the page before.", Schema: Schema(`{"type":"string","pattern":"^[A-Za-z0-9_-]+$"}`)},
	}
}

// WritePage answers with a page of a list and, when there is another, its cursor.
func WritePage(w http.ResponseWriter, name string, list any, next string) {
	page := map[string]any{name: list}
	if next != "" {
		page["next_cursor"] = next
	}
	JSON(w, http.StatusOK, page)
}
