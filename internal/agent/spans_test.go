package agent_test

import (
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"atelier/internal/agent"
	"atelier/internal/llm/llmtest"
)

// One trace holds the agent, each reply of the model and each tool under the
// names of the semantic conventions, and nothing of what was said.
func TestSpans(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSyncer(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	h, _ := scripted(t, agent.Budget{}, calls(`probe_wait {"ms":1,"say":"secret"}`), llmtest.Step{Text: "secret"})
	h.say(t, h.with(t, ""), "secret")
	count := map[string]int{}
	traces := map[string]bool{}
	for _, s := range spans.GetSpans() {
		count[s.Name]++
		traces[s.SpanContext.TraceID().String()] = true
		for _, a := range s.Attributes {
			if a.Value.Type() == attribute.STRING && a.Value.AsString() == "secret" {
				t.Errorf("%s tells what was said in %s", s.Name, a.Key)
			}
		}
		holds := attribute.NewSet(s.Attributes...)
		for _, want := range map[string][]attribute.KeyValue{
			"chat scripted": {attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.request.model", "scripted"),
				attribute.Int("gen_ai.usage.input_tokens", llmtest.Usage.Input), attribute.Int("gen_ai.usage.output_tokens", llmtest.Usage.Output)},
			"execute_tool probe_wait": {attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "probe_wait"),
				attribute.String("gen_ai.tool.call.id", "call_s0")},
			"invoke_agent orchestration_agent": {attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", "orchestration_agent")},
		}[s.Name] {
			if got, ok := holds.Value(want.Key); !ok || got != want.Value {
				t.Errorf("%s: %s is %v, want %v", s.Name, want.Key, got.String(), want.Value.String())
			}
		}
	}
	if count["invoke_agent orchestration_agent"] != 1 || count["chat scripted"] != 2 || count["execute_tool probe_wait"] != 1 || len(traces) != 1 {
		t.Errorf("%v in %d traces", count, len(traces))
	}
}
