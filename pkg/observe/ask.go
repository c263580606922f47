// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Prometheus is one that can be asked. Nothing is written to it.
type Prometheus struct {
	// URL is where its API is, without /api/v1.
	URL *url.URL
	// Token is sent as a bearer token; "" is none.
	Token string
	// Selector has matchers of labels, such as namespace="serve"; "" selects all.
	Selector string
	Client   *http.Client
}

// maxAnswer is how many bytes an answer may have.
const maxAnswer = 512 << 20

// NewPrometheus checks an address. A token is sent to a host that TLS shows to be the right one,
// or to this machine.
func NewPrometheus(address, token, selector string, client *http.Client) (*Prometheus, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the address must be such as https://prometheus.example.com:9090")
	case u.User != nil:
		return nil, errors.New("the address must not hold a password: other users of the machine see it; use a file with a bearer token")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address must not have a query")
	case token != "" && u.Scheme == "http" && !isLocal(u.Hostname()):
		return nil, fmt.Errorf("the token would go to %s without TLS: use https", u.Host)
	}
	return &Prometheus{u, token, strings.Trim(strings.TrimSpace(selector), "{}"), client}, nil
}

// NewClient returns a client that follows no redirects: a token is for one host. Without roots, those of
// the system count.
func NewClient(timeout time.Duration, roots *x509.CertPool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return &http.Client{
		Timeout: timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Ask reads the metrics that figures are made of.
func (p *Prometheus) Ask(ctx context.Context, w *Window) (*Recording, error) {
	r := &Recording{}
	for _, f := range families {
		if err := p.ask(ctx, w, f, r); err != nil {
			return nil, fmt.Errorf("ask the Prometheus at %s: %w", p.URL.Redacted(), err)
		}
	}
	r.normalize()
	return r, nil
}

// ask asks for one family.
func (p *Prometheus) ask(ctx context.Context, w *Window, f family, r *Recording) error {
	matchers := `__name__=~"` + strings.Join(f.parts(), "|") + `"`
	if p.Selector != "" {
		matchers += "," + p.Selector
	}
	seconds := func(t time.Time) string {
		return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', -1, 64)
	}
	u := p.URL.JoinPath("api", "v1", "query_range")
	u.RawQuery = url.Values{
		"query": {"{" + matchers + "}"}, "start": {seconds(w.From)}, "end": {seconds(w.To())},
		"step": {strconv.FormatFloat(w.Interval.Seconds(), 'f', -1, 64)},
	}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	if p.Token != "" {
		request.Header.Set("Authorization", "Bearer "+p.Token)
	}
	response, err := p.Client.Do(request)
	if err != nil {
		return withoutAddress(err)
	}
	defer response.Body.Close()
	return r.take(response)
}

// withoutAddress leaves the query out of an error, which is long.
func withoutAddress(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		if of.Timeout() {
			return errors.New("no answer in time")
		}
		return of.Err
	}
	return err
}

// take adds an answer.
func (r *Recording) take(response *http.Response) error {
	switch response.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("it refuses with %q: a bearer token with the right to query is needed", response.Status)
	case http.StatusOK, http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusServiceUnavailable:
	default:
		return fmt.Errorf("it answers %q", response.Status)
	}
	body := &io.LimitedReader{R: response.Body, N: maxAnswer}
	var a answer
	err := json.NewDecoder(body).Decode(&a)
	switch {
	case err != nil && body.N == 0:
		return fmt.Errorf("an answer has more than %d MiB: look at a shorter time, or select fewer pods", maxAnswer>>20)
	case err != nil && response.StatusCode != http.StatusOK:
		return fmt.Errorf("it answers %q", response.Status)
	case err != nil:
		return fmt.Errorf("it does not answer as Prometheus does: %w", err)
	case a.Status == "error":
		return fmt.Errorf("it answers: %s", a.Error)
	}
	return r.addAnswer(&a)
}
