package session

import (
	"context"
	"time"

	"atelier/internal/contract"
)

// textPeriod is how long pieces of text are gathered before they are told: short
// enough to read along, long enough that a model's tokens share one commit.
const textPeriod = 40 * time.Millisecond

// Text says something: it is told within textPeriod, before anything that
// happens later.
func (r *Run) Text(delta string) {
	if delta == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(delta)
	r.said.WriteString(delta)
	if !r.pending {
		r.pending = true
		time.AfterFunc(textPeriod, r.flush)
	}
}

// flush tells the text that has gathered. When the database does not take it,
// the text waits for the next flush.
func (r *Run) flush() {
	r.sending.Lock()
	defer r.sending.Unlock()
	r.mu.Lock()
	r.pending = false
	text := r.text.String()
	r.text.Reset()
	r.mu.Unlock()
	if text == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.s.emit(ctx, r.Session, event(TextDelta, r.ID, textDelta{Delta: text})); err != nil {
		r.s.opts.Logger.Warn("text could not be recorded yet", "session", r.Session, "run", r.ID, "error", err)
		r.mu.Lock()
		later := r.text.String()
		r.text.Reset()
		r.text.WriteString(text + later)
		r.mu.Unlock()
	}
}

// Progress tells how far the run is, in words; fraction is from 0 to 1, negative
// where it is not known.
func (r *Run) Progress(ctx context.Context, fraction float64, message string) error {
	r.flush()
	told := callEvent{Message: message}
	if fraction >= 0 {
		told.Fraction = &fraction
	}
	return r.s.emit(ctx, r.Session, event(Progress, r.ID, told))
}

// ReportError tells an error after which the run goes on; one that ends it is what the
// Runner returns.
func (r *Run) ReportError(ctx context.Context, err error) error {
	r.flush()
	return r.s.emit(ctx, r.Session, event(Failure, r.ID, contract.ErrorsOf(err)[0]))
}
