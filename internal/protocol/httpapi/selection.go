package httpapi

import (
	"net/http"
	"strings"

	"atelier/internal/contract"
)

// Selection reads ?family=a,b and ?tools=pattern,…, by which every list of
// tools is narrowed.
func Selection(r *http.Request) contract.Selection {
	return contract.Selection{Families: listed(r, "family"), Tools: listed(r, "tools")}
}

// SelectionParameters describe what Selection reads.
func SelectionParameters() []Parameter {
	return []Parameter{
		{Name: "family", In: "query", Description: "Only the tools of these families, or of a server name such as web-fetch; separated by commas.",
			Schema: Schema(`{"type":"string"}`)},
		{Name: "tools", In: "query", Description: "Only these tools: names or aliases, separated by commas; * and ? stand for any characters. Added to family.",
			Schema: Schema(`{"type":"string"}`)},
	}
}

// CanonicalNames reads ?names=canonical; without it tools are shown by their
// aliases, which every client accepts.
func CanonicalNames(r *http.Request) (bool, error) {
	query := r.URL.Query()
	if !query.Has("names") {
		return false, nil
	}
	switch names := query.Get("names"); names {
	case "alias":
		return false, nil
	case "canonical":
		return true, nil
	default:
		return false, contract.Errorf(contract.CodeInvalidRequest, "names is %q", names).At("names").
			With("accepted", []string{"alias", "canonical"}).WithHint("Use alias or canonical.")
	}
}

// NamesParameter describes what CanonicalNames reads.
func NamesParameter() Parameter {
	return Parameter{Name: "names", In: "query", Description: "Which name of a tool is shown: its alias (circuits_simulate) or its canonical id (circuits.simulate). Calls accept both.",
		Schema: Schema(`{"type":"string","enum":["alias","canonical"],"default":"alias"}`)}
}

func listed(r *http.Request, name string) []string {
	var values []string
	for _, text := range r.URL.Query()[name] {
		for _, v := range strings.Split(text, ",") {
			if v = strings.TrimSpace(v); v != "" {
				values = append(values, v)
			}
		}
	}
	return values
}
