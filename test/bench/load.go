package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// call is one kept-alive client: it makes one call and says whether the answer
// was right.
type call func() error

// opener makes a client of a server; each has its own session where the protocol
// has sessions.
type opener func(client *http.Client, addr string) (call, error)

// figures are those of one measured stretch.
type figures struct {
	rate     float64 // requests per second
	p50, p99 time.Duration
	cpu      time.Duration // of the server, per request
}

// measure drives a server with a number of clients at once for a while.
func measure(p *process, open opener, clients int, warm, span time.Duration) (figures, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	calls := make([]call, clients)
	for i := range calls {
		var err error
		if calls[i], err = open(client, p.addr); err != nil {
			return figures{}, err
		}
	}
	if _, err := drive(calls, warm); err != nil {
		return figures{}, err
	}
	before, begun := p.cpu(), time.Now()
	latencies, err := drive(calls, span)
	elapsed, used := time.Since(begun), p.cpu()-before
	if err != nil {
		return figures{}, err
	}
	n := len(latencies)
	return figures{
		rate: float64(n) / elapsed.Seconds(), cpu: used / time.Duration(n),
		p50: latencies[n/2], p99: latencies[n*99/100],
	}, nil
}

// drive repeats the calls until the time is up and returns the sorted latencies.
func drive(calls []call, span time.Duration) ([]time.Duration, error) {
	perClient, faults := make([][]time.Duration, len(calls)), make([]error, len(calls))
	end := time.Now().Add(span)
	var wg sync.WaitGroup
	for i, do := range calls {
		wg.Go(func() {
			for from := time.Now(); from.Before(end); {
				if faults[i] = do(); faults[i] != nil {
					return
				}
				now := time.Now()
				perClient[i] = append(perClient[i], now.Sub(from))
				from = now
			}
		})
	}
	wg.Wait()
	for _, err := range faults {
		if err != nil {
			return nil, err
		}
	}
	all := slices.Concat(perClient...)
	slices.Sort(all)
	return all, nil
}

// poster sends the same body again and again; wrong looks at an answer.
func poster(client *http.Client, url string, header http.Header, body string, wrong func([]byte) bool) call {
	var answer bytes.Buffer
	return func() error {
		req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader([]byte(body)))
		if err != nil {
			return err
		}
		req.Header = header
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		answer.Reset()
		if _, err := io.Copy(&answer, resp.Body); err != nil {
			return err
		}
		if resp.StatusCode != http.StatusOK || wrong(answer.Bytes()) {
			return fmt.Errorf("%s answered %s: %.300s", url, resp.Status, answer.Bytes())
		}
		return nil
	}
}
