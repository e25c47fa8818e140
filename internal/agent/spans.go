package agent

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"atelier/internal/contract"
	"atelier/internal/llm"
)

// The names are those of OpenTelemetry's semantic conventions for generative AI
// (status: development); what was said and returned is never recorded.
const (
	attrOperation = attribute.Key("gen_ai.operation.name")
	attrAgent     = attribute.Key("gen_ai.agent.name")
	attrSystem    = attribute.Key("gen_ai.provider.name")
	attrModel     = attribute.Key("gen_ai.request.model")
	attrFinish    = attribute.Key("gen_ai.response.finish_reasons")
	attrInput     = attribute.Key("gen_ai.usage.input_tokens")
	attrOutput    = attribute.Key("gen_ai.usage.output_tokens")
	attrTool      = attribute.Key("gen_ai.tool.name")
	attrCallID    = attribute.Key("gen_ai.tool.call.id")
	attrToolType  = attribute.Key("gen_ai.tool.type")
	attrTalk      = attribute.Key("gen_ai.conversation.id")
	attrError     = attribute.Key("error.type")
	attrJob       = attribute.Key("atelier.job.id")
)

// span begins one; without an exporter it costs nothing.
func span(ctx context.Context, name, operation string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	return otel.Tracer("atelier/internal/agent").Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(append(attributes, attrOperation.String(operation))...))
}

func agentSpan(ctx context.Context, conversation string) (context.Context, trace.Span) {
	var more []attribute.KeyValue
	if conversation != "" {
		more = append(more, attrTalk.String(conversation))
	}
	return span(ctx, "invoke_agent "+Role, "invoke_agent", trace.SpanKindInternal, append(more, attrAgent.String(Role))...)
}

func chatSpan(ctx context.Context, m *llm.Client) (context.Context, trace.Span) {
	return span(ctx, "chat "+m.Name(), "chat", trace.SpanKindClient, attrModel.String(m.Name()), attrSystem.String("openai"))
}

func toolSpan(ctx context.Context, name, callID string) (context.Context, trace.Span) {
	more := []attribute.KeyValue{attrTool.String(name), attrToolType.String("function")}
	if callID != "" {
		more = append(more, attrCallID.String(callID))
	}
	return span(ctx, "execute_tool "+name, "execute_tool", trace.SpanKindInternal, more...)
}

// endSpan ends it with the error's code, if there is one.
func endSpan(s trace.Span, err error) {
	var fault *contract.Error
	switch {
	case errors.As(err, &fault) && fault != nil:
		s.SetAttributes(attrError.String(fault.Code))
		s.SetStatus(codes.Error, fault.Code)
	case err != nil && !errors.As(err, &fault):
		s.SetAttributes(attrError.String("_OTHER"))
		s.SetStatus(codes.Error, "")
	}
	s.End()
}
