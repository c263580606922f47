// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/picker"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// maxFaultBytes is how much is read of an answer that is none.
const maxFaultBytes = 4 << 10

// statusError is an answer other than 200 OK.
type statusError struct {
	code         int
	reason, text string
}

// Error implements error.
func (e *statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s %s", e.code, e.reason, e.text))
}

// sender sends requests. It is safe for concurrent use.
type sender struct {
	http   *http.Client
	target string
	picker *picker.Client
	clock  runClock
}

// newSender keeps a connection for each request that was in flight at once: the default of two
// for each host would open one for almost each request.
func newSender(o *Options, clock runClock) *sender {
	transport := o.Transport
	if transport == nil {
		transport = &http.Transport{MaxIdleConns: maxInFlight, MaxIdleConnsPerHost: maxInFlight, DisableCompression: true}
	}
	return &sender{http: &http.Client{Transport: transport}, target: strings.TrimSuffix(o.Target, "/"), picker: o.Picker, clock: clock}
}

// call is a request that is ready to be sent.
type call struct {
	request workload.Request
	path    string
	header  http.Header
	body    []byte
}

// send sends a request and waits for its end, however it ends.
func (s *sender) send(ctx context.Context, c *call) *Outcome {
	o := &Outcome{Request: c.request}
	o.ID, o.Tenant, o.Class, o.Model = c.request.ID, c.request.Tenant, c.request.Class, c.request.Model
	o.PromptTokens, o.FirstToken, o.Arrival = c.request.Prompt.Tokens(), -1, s.clock.now()
	patient, cancel := s.patience(ctx, c.request.Timeout)
	defer cancel(nil)
	began := func() {}
	if wait := c.request.FirstTokenTimeout; wait > 0 {
		late := s.clock.AfterFunc(s.clock.wall(wait), func() { cancel(errTimeOut) })
		began = func() { late.Stop() }
		defer began()
	}
	err := s.exchange(patient, c, o, began)
	o.End, o.Ended = s.clock.now(), completed
	switch {
	case err == nil:
	case ctx.Err() != nil: // the run is over
		o.Ended = unfinished
	default:
		o.fail(err, context.Cause(patient))
	}
	return o
}

// patience bounds the time of a request; 0 is without end.
func (s *sender) patience(ctx context.Context, timeout time.Duration) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if timeout == 0 {
		return ctx, cancel
	}
	ctx, stop := context.WithTimeoutCause(ctx, s.clock.wall(timeout), errTimeOut)
	return ctx, func(cause error) { cancel(cause); stop() }
}

// exchange finds the endpoint, and has the answer from it.
func (s *sender) exchange(ctx context.Context, c *call, o *Outcome, began func()) error {
	target, header, body := s.target, c.header, c.body
	var told *picker.Exchange
	if s.picker != nil {
		var err error
		told, err = s.picker.Pick(ctx, picker.Request{Path: c.path, Header: c.header, Body: c.body})
		o.Chosen = s.clock.now()
		if err != nil {
			return err
		}
		defer told.Close()
		o.Endpoint, o.Scores = told.Endpoints[0], told.Scores
		target, header, body = "http://"+o.Endpoint, told.Header, told.Body
		ctx = told.Context()
	}
	err := s.answer(ctx, target+c.path, header, body, o, told, began)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause // as that of the EPP
	}
	return err
}

// answer has the answer to a request from an endpoint, and tells the EPP of it, if there is one.
func (s *sender) answer(ctx context.Context, url string, header http.Header, body []byte, o *Outcome, told *picker.Exchange, began func()) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = header
	answer, err := s.http.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close() //nolint:errcheck // what was read is right
	got := answer.Header
	if told != nil {
		if got, err = told.ResponseHeader(answer.StatusCode, answer.Header); err != nil {
			return err
		}
	}
	o.token = got.Get(sessionTokenHeader)
	if answer.StatusCode != http.StatusOK {
		return refusal(answer, told)
	}
	if err := s.listen(answer.Body, o, told, began); err != nil || told == nil {
		return err
	}
	return told.End()
}

// refusal is the error of an answer other than 200 OK, of which the EPP hears too.
func refusal(answer *http.Response, told *picker.Exchange) error {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxFaultBytes))
	if err != nil {
		return err
	}
	if told != nil {
		if err := told.ResponseBody(text); err != nil {
			return err
		}
		if err := told.End(); err != nil {
			return err
		}
	}
	return &statusError{answer.StatusCode, answer.Header.Get(picker.DroppedReasonHeader), strings.TrimSpace(string(text))}
}

// listen takes the events of an answer, and notes when they come.
func (s *sender) listen(in io.Reader, o *Outcome, told *picker.Exchange, began func()) error {
	for stream := newEvents(in); ; {
		raw, err := stream.next()
		at := s.clock.now()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF // the stream ends by an event
		}
		if err != nil {
			return err
		}
		if told != nil {
			if err := told.ResponseBody(raw); err != nil {
				return err
			}
		}
		p, done, err := parseEvent(raw)
		if err != nil || done {
			return err
		}
		if o.FirstToken < 0 && len(p.Choices) > 0 {
			began()
		}
		o.take(at, &p)
	}
}

// take notes a part of the answer. A chat begins with a part that has only the role, at the time of
// its first token.
func (o *Outcome) take(at simtime.Time, p *part) {
	if u := p.Usage; u != nil {
		o.PromptTokens, o.OutputTokens = u.PromptTokens, u.CompletionTokens
		if u.Details != nil {
			o.Scheduled, o.CachedTokens = true, u.Details.CachedTokens
		}
	}
	text, ends := p.text()
	if len(p.Choices) == 0 {
		return
	}
	if o.FirstToken < 0 {
		o.FirstToken, o.LastToken = at, at
	}
	if text == "" && !ends {
		return
	}
	if len(o.answer) > 0 && text != "" {
		o.Gaps = append(o.Gaps, at.Sub(o.LastToken))
	}
	o.LastToken, o.answer = at, append(o.answer, text...)
}
