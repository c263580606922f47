// SPDX-License-Identifier: Apache-2.0

package propose

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/bundle"
	"windtunnel.dev/windtunnel/pkg/search"
)

// tries is how often an inquiry is made, and maxAnswerBytes bounds an answer.
const (
	tries          = 3
	maxAnswerBytes = 4 << 20
)

// Options say whom a client asks, and about what.
type Options struct {
	URL string
	// Authorization, if set, returns the header of this name for each try.
	Authorization func() (string, error)
	// Timeout is that of one try, and Pause the time after the first that fails; it is twice
	// as long after the second.
	Timeout, Pause time.Duration
	// Wait waits for so long, or until the context ends.
	Wait func(context.Context, time.Duration)
	// Objectives and Features are what trials have.
	Objectives []Objective
	Features   []string
	// Known are the entries of former sessions, and Note is called for each new one.
	Known []Entry
	Note  func(Entry) error
}

// Objective is a metric and its direction.
type Objective struct {
	Metric   string
	Maximize bool
}

// A Client asks a service. It may be used by one search at a time.
type Client struct {
	options Options
	http    http.Client
	known   Journal
}

// NewClient returns a client. It follows no redirects: the header is for one host, and a redirect
// from https to http would send it as plain text.
func NewClient(o Options) *Client {
	c := &Client{options: o, known: Journal{}, http: http.Client{
		Timeout:       o.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	c.known.Add(o.Known)
	return c
}

// Propose asks all inquiries whose answers are not known, side by side. An inquiry without an
// answer has no policies, and its entry says why. The error is that of Note.
func (c *Client) Propose(ctx context.Context, inquiries []search.Inquiry) ([][]search.Proposed, error) {
	entries := make([]*Entry, len(inquiries))
	var asking sync.WaitGroup
	for i := range inquiries {
		in := &inquiries[i]
		if entries[i] = c.known[place{in.Generation, in.Island}]; entries[i] == nil {
			asking.Go(func() { entries[i] = c.ask(ctx, in) })
		}
	}
	asking.Wait()
	all := make([][]search.Proposed, len(inquiries))
	for i, e := range entries {
		all[i] = e.proposed()
		at := place{e.Generation, e.Island}
		if c.known[at] != nil {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.known[at] = e
		if err := c.options.Note(*e); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ask makes an inquiry, up to three times.
func (c *Client) ask(ctx context.Context, in *search.Inquiry) *Entry {
	e := &Entry{Generation: in.Generation, Island: in.Island}
	body, err := json.Marshal(c.question(in))
	if err != nil {
		panic(fmt.Sprintf("propose: marshal a question: %v", err))
	}
	pause := c.options.Pause
	for try := range tries {
		var again bool
		var answer *reply
		if answer, again, err = c.post(ctx, body); err == nil {
			keep(in, answer.Policies, e)
			return e
		}
		if !again || try == tries-1 {
			break
		}
		c.options.Wait(ctx, pause)
		pause *= 2
	}
	e.Error = printable.Clip(err.Error(), maxReasonBytes)
	return e
}

// post sends a question. again says that another try may have an answer.
func (c *Client) post(ctx context.Context, body []byte) (answer *reply, again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.options.URL, bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.options.Authorization != nil {
		header, err := c.options.Authorization()
		if err != nil {
			return nil, true, err
		}
		request.Header.Set("Authorization", header)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, ctx.Err() == nil, withoutAnswer(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	switch {
	case err != nil:
		return nil, true, err
	case response.StatusCode != http.StatusOK:
		// Neither the body nor the words of the status are quoted: who names a URL need not be one who may read them.
		again = response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests
		return nil, again, fmt.Errorf("the proposer answers %d %s", response.StatusCode, http.StatusText(response.StatusCode))
	case len(raw) > maxAnswerBytes:
		return nil, false, fmt.Errorf("the answer has more than %d MiB", maxAnswerBytes>>20)
	}
	answer = &reply{}
	if err := json.Unmarshal(raw, answer); err != nil {
		return nil, false, errors.New("the answer is not that of a proposer")
	}
	return answer, false, nil
}

// withoutAnswer is an error of a request that quotes nothing of what the service says: who names a
// URL need not be one who may read what is there. Errors before an answer say why.
func withoutAnswer(err error) error {
	var failed *url.Error
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &failed) && failed.Timeout() || errors.As(err, new(*net.OpError)) || errors.As(err, &certificate) || errors.Is(err, io.EOF) {
		return err
	}
	return errors.New("the service does not answer as HTTP servers do")
}

func (c *Client) question(in *search.Inquiry) question {
	q := question{Version: version, Generation: in.Generation, Island: in.Island, Count: in.Count}
	for i := range in.Parents {
		p := &in.Parents[i]
		of := parent{
			PolicyID: bundle.IDOf(p.Value), Bundle: json.RawMessage(p.Value), Score: -p.Losses[0], Feasible: p.Excess <= 0,
			Metrics: map[string]float64{}, Features: map[string]float64{},
		}
		for j, o := range c.options.Objectives {
			of.Metrics[o.Metric] = p.Losses[j]
			if o.Maximize {
				of.Metrics[o.Metric] = -p.Losses[j]
			}
		}
		for j, name := range c.options.Features {
			of.Features[name] = p.Features[j]
		}
		q.Parents = append(q.Parents, of)
	}
	return q
}
