// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// measuredOptions are the flags that say where measured values come from.
type measuredOptions struct {
	prometheus, samples     string
	selector, token, caFile string
	timeout                 time.Duration
	from, to                string
	last, every             time.Duration
}

func (o *measuredOptions) register(f *pflag.FlagSet) {
	f.StringVar(&o.prometheus, "prometheus", "", "`URL` of the Prometheus to ask, without /api/v1")
	f.StringVar(&o.samples, "samples", "", "`FILE` with samples: answers of Prometheus to query_range, or CSV; in place of --prometheus")
	f.StringVar(&o.selector, "selector", "", "matchers of labels that select the cluster's series, such as 'namespace=\"serve\"'")
	f.StringVar(&o.token, "bearer-token-file", "", "file with a bearer token for the Prometheus")
	f.StringVar(&o.caFile, "ca-file", "", "file with certificates in PEM that the Prometheus' certificate may be signed by (default the system's)")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "how long one answer of the Prometheus or of the API server may take")
	f.StringVar(&o.from, "from", "", "`TIME` at which the window begins, such as 2026-01-05T08:00:00Z (default the first sample of the file)")
	f.StringVar(&o.to, "to", "", "`TIME` at which the window ends (default now, or the last sample of the file)")
	f.DurationVar(&o.last, "last", 0, "how long the window lasts, up to --to, in place of --from; with --play, how long is played (default one of --every)")
	f.DurationVar(&o.every, "every", 0, "length of an hour: values are held against the prediction for each (default 1h, or the window if that is shorter)")
}

func (o *measuredOptions) check(faults *cli.Faults) {
	faults.If((o.prometheus == "") == (o.samples == ""), "one source is required: --prometheus URL or --samples FILE")
	faults.If(o.from != "" && o.last != 0, "--from and --last both say where the window begins: use only one")
	faults.If(o.prometheus != "" && o.samples == "" && o.from == "" && o.last == 0, "--prometheus needs --from or --last")
	faults.If(o.last < 0 || o.every < 0 || o.timeout <= 0, "--last, --every and --timeout must be greater than 0")
}

// read returns the samples of the window.
func (o *measuredOptions) read(ctx context.Context) (observe.Window, *observe.Recording, error) {
	if o.samples != "" {
		return o.readFile()
	}
	p, err := o.client()
	if err != nil {
		return observe.Window{}, nil, err
	}
	w, err := o.window(time.Now().Truncate(time.Second).UTC())
	if err != nil {
		return w, nil, err
	}
	defer p.Client.CloseIdleConnections() // each look has its own client, with the token of now
	r, err := p.Ask(ctx, &w)
	return w, r, err
}

// client asks the Prometheus of the flags.
func (o *measuredOptions) client() (*observe.Prometheus, error) {
	token, roots, err := o.secrets()
	if err != nil {
		return nil, err
	}
	p, err := observe.NewPrometheus(o.prometheus, token, o.selector, observe.NewClient(o.timeout, roots))
	if err != nil {
		return nil, fmt.Errorf("--prometheus: %w", err)
	}
	return p, nil
}

// window is that of a Prometheus at a time.
func (o *measuredOptions) window(now time.Time) (observe.Window, error) {
	from, to, err := o.bounds(time.Time{}, now)
	if err != nil {
		return observe.Window{}, err
	}
	return observe.NewWindow(from, to, o.every, observe.StepOf(o.every, to.Sub(from)))
}

// readFile returns the samples of a file. The window is that of the samples unless flags say
// otherwise.
func (o *measuredOptions) readFile() (observe.Window, *observe.Recording, error) {
	fail := func(err error) (observe.Window, *observe.Recording, error) {
		return observe.Window{}, nil, fmt.Errorf("--samples %s: %w", o.samples, err)
	}
	if at, err := os.Stat(o.samples); err == nil && at.IsDir() {
		return fail(errors.New("is a folder: name a file with samples, which are answers of Prometheus to query_range, or CSV"))
	}
	in, err := trace.OpenPath(o.samples)
	if err != nil {
		return fail(err)
	}
	defer in.Close()
	r, err := observe.Read(in)
	if err != nil {
		return fail(err)
	}
	first, last, _ := r.Span() // Read wants some
	from, to, err := o.bounds(first, last)
	if err != nil {
		return observe.Window{}, nil, err
	}
	w, err := observe.NewWindow(from, to, o.every, r.Interval())
	if err != nil {
		return fail(err)
	}
	return w, r, nil
}

// bounds are those of the window, by flags and by what they are without.
func (o *measuredOptions) bounds(first, last time.Time) (from, to time.Time, err error) {
	from, to = first, last
	if o.to != "" {
		if to, err = timeFlag("--to", o.to); err != nil {
			return from, to, err
		}
	}
	switch {
	case o.from != "":
		from, err = timeFlag("--from", o.from)
	case o.last > 0:
		from = to.Add(-o.last)
	}
	return from, to, err
}

func timeFlag(flag, text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%s %q: must be a time such as 2026-01-05T08:00:00Z", flag, text)
	}
	return t.UTC(), nil
}

// secrets reads the files with the token and the certificates.
func (o *measuredOptions) secrets() (token string, roots *x509.CertPool, err error) {
	if o.token != "" {
		raw, err := os.ReadFile(o.token)
		if err != nil {
			return "", nil, fmt.Errorf("--bearer-token-file: %w", err)
		}
		token = strings.TrimSpace(string(raw))
		if token == "" || strings.ContainsAny(token, " \r\n") {
			return "", nil, fmt.Errorf("--bearer-token-file: %s does not hold one token", o.token)
		}
	}
	if o.caFile != "" {
		raw, err := os.ReadFile(o.caFile)
		if err != nil {
			return "", nil, fmt.Errorf("--ca-file: %w", err)
		}
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(raw) {
			return "", nil, fmt.Errorf("--ca-file: %s has no certificate in PEM", o.caFile)
		}
	}
	return token, roots, nil
}
