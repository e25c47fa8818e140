package fetch

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	perHost  = 4    // requests to one host at once
	maxHosts = 4096 // hosts that are remembered
)

// pace holds requests to a rate and a number at once, host by host.
type pace struct {
	rate  float64
	mu    sync.Mutex
	hosts map[string]*hostLimiter
}

// hostLimiter bounds the requests to one host: their rate and their number at
// once.
type hostLimiter struct {
	limiter *rate.Limiter
	places  chan struct{}
	users   int
	used    time.Time
}

func newPace(perSecond float64) *pace {
	return &pace{rate: perSecond, hosts: map[string]*hostLimiter{}}
}

// enter waits for the host's turn; leave must be called.
func (p *pace) enter(ctx context.Context, host string) (leave func(), err error) {
	if p.rate < 0 {
		return func() {}, nil
	}
	l := p.limiter(host)
	done := func() {
		p.mu.Lock()
		l.users--
		l.used = time.Now()
		p.mu.Unlock()
	}
	select {
	case l.places <- struct{}{}:
	case <-ctx.Done():
		done()
		return nil, context.Cause(ctx)
	}
	if err := l.limiter.Wait(ctx); err != nil {
		<-l.places
		done()
		return nil, context.DeadlineExceeded // the turn comes after the end of the time
	}
	return func() { <-l.places; done() }, nil
}

// slow lets a host have no more than one request per interval (Crawl-delay).
func (p *pace) slow(host string, interval time.Duration) {
	if p.rate < 0 || interval <= 0 {
		return
	}
	l := p.limiter(host)
	p.mu.Lock()
	defer p.mu.Unlock()
	l.users--
	if limit := rate.Every(interval); limit < l.limiter.Limit() {
		l.limiter.SetLimit(limit)
		l.limiter.SetBurst(1)
	}
}

func (p *pace) limiter(host string) *hostLimiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.hosts[host]
	if l == nil {
		p.forget()
		l = &hostLimiter{limiter: rate.NewLimiter(rate.Limit(p.rate), max(1, int(2*p.rate))), places: make(chan struct{}, perHost)}
		p.hosts[host] = l
	}
	l.users++
	l.used = time.Now()
	return l
}

// forget drops hosts that nobody has asked for a while, when there are many.
func (p *pace) forget() {
	if len(p.hosts) < maxHosts {
		return
	}
	for host, l := range p.hosts {
		if l.users == 0 && time.Since(l.used) > time.Minute {
			delete(p.hosts, host)
		}
	}
}
