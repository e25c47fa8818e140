package transcript

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"

	"atelier/internal/contract"
	"atelier/internal/llm"
	"atelier/internal/tools/transcript/captions"
)

//go:embed transcript_clean.json
var cleanContract []byte

type cleanInput struct {
	Text string `json:"text"`
}

type cleanOutput struct {
	CleanText string `json:"clean_text"`
}

func cleaner(editor *llm.Client) contract.Tool {
	return contract.Bind(cleanContract, func(ctx context.Context, call *contract.Call, in cleanInput) (*contract.Result, error) {
		text, report := captions.Clean(in.Text)
		if err := ctx.Err(); err != nil { // the rules themselves take seconds for the largest texts
			return nil, err
		}
		if text == "" {
			return nil, contract.Errorf(contract.CodeTranscriptEmpty, "nothing was said in the %d characters of the transcript", len(in.Text)).At("/text").
				With("removed", report.Removed).
				WithHint("All of it is times, sound tags and hesitations; details.removed counts them. Send the part with words.")
		}
		result := &contract.Result{Metrics: map[string]any{
			"format": report.Format, "languages": report.Languages, "turns": report.Turns, "words": report.Words, "removed": report.Removed, "all_caps": report.AllCaps,
			"method": "rules",
		}}
		if editor != nil {
			var err error
			if text, err = polished(ctx, call, editor, text, result); err != nil {
				return nil, err
			}
		}
		result.Output = cleanOutput{text}
		result.Summary = fmt.Sprintf("Cleaned a transcript (%s) to %d words in %d turns.", report.Format, report.Words, report.Turns)
		return result, nil
	})
}

// polished has the model go over the text, and tells what of its work was kept.
func polished(ctx context.Context, call *contract.Call, editor *llm.Client, text string, result *contract.Result) (string, error) {
	call.Progress(0, "The rules are done; the model reads it.")
	edited, told, err := captions.Polish(ctx, text, editBy(editor))
	if err != nil {
		return "", modelFault(ctx, err)
	}
	maps.Copy(result.Metrics, map[string]any{"method": "rules and model", "model": editor.Name(), "passages": told.Passages, "passages_edited": told.Kept, "passages_refused": told.Refused})
	if refused := told.Passages - told.Kept; refused > 0 {
		result.Warnings = append(result.Warnings, contract.Warning{Code: "model_text_refused", Message: fmt.Sprintf(
			"Of %d passages %d kept the text of the rules, because the model's had lost or invented something (%s).", told.Passages, refused, told.Examples[0])})
	}
	return edited, nil
}

const instruction = `You edit transcripts of speech. You get one passage between <passage> and </passage>, and for understanding only what was said before and after it.
Answer with the edited passage alone, in its own language: no comment, no quotation marks around it.
Take out what is left of hesitations, false starts and repeated words. Mend punctuation, capitals and sentences that were broken.
Keep every other word, every number exactly as it is written, every name, and their order. Do not shorten, explain, translate or answer.`

// editBy asks a model for each passage.
func editBy(editor *llm.Client) captions.Editor {
	zero := 0.0
	return func(ctx context.Context, before, passage, after string) (string, error) {
		ask := fmt.Sprintf("<before>%s</before>\n<passage>%s</passage>\n<after>%s</after>", before, passage, after)
		reply, err := editor.Stream(ctx, llm.Request{
			Messages: []llm.Message{llm.Text("system", instruction), llm.Text("user", ask)},
			Settings: llm.Settings{Temperature: &zero},
		}, nil)
		if err != nil {
			return "", err
		}
		if reply.FinishReason == "length" {
			return "", nil // a text that was cut off counts as none
		}
		return reply.Text, nil
	}
}

// modelFault tells every fault of the model by the contract's codes.
func modelFault(ctx context.Context, err error) error {
	e := contract.AsError(err)
	if e.Code == contract.CodeTimeout || errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return contract.Errorf(contract.CodeTimeout, "the time was used up before the model had gone over the whole transcript").
			WithHint("Ask for more time with limits.timeout_ms, or send the transcript in parts.")
	}
	if e.Code == contract.CodeCancelled {
		return e
	}
	told := contract.Errorf(contract.CodeModelError, "the model could not go over the transcript: %w", err).With("cause", e.Code)
	told.Message = "the model could not go over the transcript: " + e.Message
	return told.WithHint("The operator sets the model with --transcript-model; without it the rules alone clean transcripts.")
}
