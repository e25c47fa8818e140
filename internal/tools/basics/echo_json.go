package basics

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"atelier/internal/contract"
)

//go:embed echo_json.json
var echoContract []byte

type echoInput struct {
	Message string `json:"message"`
	N       int    `json:"n"`
}

type echoOutput struct {
	Message string   `json:"message"`
	Repeat  []string `json:"repeat"`
}

var echoJSON = contract.Bind(echoContract, func(_ context.Context, _ *contract.Call, in echoInput) (*contract.Result, error) {
	message := strings.TrimSpace(in.Message)
	if message == "" {
		return nil, contract.Errorf(contract.CodeInvalidInput, "the message is empty").At("/message").
			WithHint("Send at least one character that is not white space.")
	}
	n := max(in.N, 1) // the schema bounds it; an absent n is one
	repeat := make([]string, n)
	for i := range repeat {
		repeat[i] = message
	}
	return &contract.Result{
		Summary: fmt.Sprintf("Echoed the message %d time(s).", n),
		Output:  echoOutput{message, repeat},
		Metrics: map[string]any{"repeat_count": n},
	}, nil
})
