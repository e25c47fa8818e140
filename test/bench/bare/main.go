// Command bare serves echo_json as a plain net/http handler: the same contract
// validates input and output and the same code does the work, but there is no
// job, no record and no limit. The benchmark measures Atelier against it.
package main

import (
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"

	"atelier/internal/contract"
	"atelier/internal/tools"
)

type request struct {
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
}

type response struct {
	Status  contract.Status `json:"status"`
	Summary string          `json:"summary"`
	Metrics map[string]any  `json:"metrics"`
	Output  json.RawMessage `json:"output"`
}

func handler(registry *contract.Registry) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			refuse(w, err.Error())
			return
		}
		var req request
		if err := json.Unmarshal(raw, &req); err != nil {
			refuse(w, err.Error())
			return
		}
		tool, err := registry.Find(req.Tool)
		if err != nil {
			refuse(w, err.Error())
			return
		}
		if faults := tool.Contract.ValidateInput(req.Input); len(faults) > 0 {
			refuse(w, faults[0].Error())
			return
		}
		result, err := tool.Run(r.Context(), &contract.Call{Tool: tool.Contract.Name}, req.Input)
		if err != nil {
			refuse(w, err.Error())
			return
		}
		output := result.OutputJSON()
		if faults := tool.Contract.ValidateOutput(output); len(faults) > 0 {
			refuse(w, faults[0].Error())
			return
		}
		body, err := json.Marshal(response{Status: contract.StatusOK, Summary: result.Summary, Metrics: result.Metrics, Output: output})
		if err != nil {
			refuse(w, err.Error())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // a client that went away is no fault of ours
	}
}

func refuse(w http.ResponseWriter, why string) { http.Error(w, why, http.StatusBadRequest) }

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	registry, err := contract.NewRegistry(tools.All(tools.Parts{}))
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(*addr, handler(registry)))
}
