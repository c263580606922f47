// SPDX-License-Identifier: Apache-2.0

package local

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

// A requestFile is the Parquet file of --requests. Simulations that run at once
// write into parts of their own next to it; as they end, the parts are appended in
// the order of the simulations, so that the bytes are the same on any number of
// cores. The file has its name once everything is in it. A nil requestFile takes
// nothing.
type requestFile struct {
	name string
	file *os.File
	buf  *bufio.Writer
	out  *dataframe.RequestWriter

	mu sync.Mutex
	// object is whose simulations are numbered, next is the first of them whose
	// requests are not in the file; ended are later ones that are over.
	object string
	next   int
	ended  map[int]bool
}

// newRequestFile begins a file; nil where name is "".
func newRequestFile(name string) (*requestFile, error) {
	if name == "" {
		return nil, nil
	}
	if at, err := os.Stat(name); err == nil && !at.Mode().IsRegular() {
		return nil, cli.BadInput(fmt.Errorf("--requests: %s is not a file", name))
	}
	f, err := os.Create(name + ".partial")
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--requests: %w", err))
	}
	b := bufio.NewWriter(f)
	return &requestFile{name: name, file: f, buf: b, out: dataframe.NewRequestWriter(b)}, nil
}

// KeepRequests does the work of a verb with the file of --requests, which is there
// afterwards only where all was simulated.
func (o *Options) KeepRequests(work func() error) error {
	into, err := newRequestFile(o.Requests)
	if err != nil {
		return err
	}
	o.into = into
	err = work()
	if failed := into.finish(err == nil || cli.IsResult(err)); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// of has a conductor write the requests of an object.
func (r *requestFile) of(object string, by Executor) Executor {
	if r == nil {
		return by
	}
	r.object, r.next, r.ended = object, 0, map[int]bool{}
	also := by.Requests
	by.Requests = func(simulation int, point experiment.Point, seed int64) (execute.RequestSink, error) {
		part, err := r.open(simulation)
		if err != nil || also == nil {
			return part, err
		}
		other, err := also(simulation, point, seed)
		return bothSinks{part, other}, err
	}
	return by
}

// bothSinks takes requests for two.
type bothSinks [2]execute.RequestSink

// Write implements [execute.RequestSink].
func (b bothSinks) Write(row *result.RequestRow) error {
	return errors.Join(b[0].Write(row), b[1].Write(row))
}

// Close implements [execute.RequestSink].
func (b bothSinks) Close() error { return errors.Join(b[0].Close(), b[1].Close()) }

func (r *requestFile) part(simulation int) string {
	return fmt.Sprintf("%s.partial.%d", r.name, simulation)
}

// requestPart takes the requests of one simulation.
type requestPart struct {
	of         *requestFile
	simulation int
	file       *os.File
	buf        *bufio.Writer
	out        *dataframe.RequestWriter
}

func (r *requestFile) open(simulation int) (*requestPart, error) {
	f, err := os.Create(r.part(simulation))
	if err != nil {
		return nil, fmt.Errorf("--requests: %w", err)
	}
	b := bufio.NewWriter(f)
	return &requestPart{of: r, simulation: simulation, file: f, buf: b, out: dataframe.NewRequestWriter(b)}, nil
}

// Write appends a request.
func (p *requestPart) Write(row *result.RequestRow) error {
	row.Object = p.of.object
	return p.out.Write(row)
}

// Close ends the part, and appends all parts whose turn it is.
func (p *requestPart) Close() error {
	if err := errors.Join(p.out.Close(), p.buf.Flush(), p.file.Close()); err != nil {
		return fmt.Errorf("--requests: %w", err)
	}
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.of.ended[p.simulation] = true
	for p.of.ended[p.of.next] {
		if err := p.of.append(p.of.next); err != nil {
			return err
		}
		p.of.next++
	}
	return nil
}

// append moves a part into the file.
func (r *requestFile) append(simulation int) error {
	delete(r.ended, simulation)
	f, err := os.Open(r.part(simulation))
	if err != nil {
		return fmt.Errorf("--requests: %w", err)
	}
	if err := errors.Join(r.out.Append(f), f.Close(), os.Remove(r.part(simulation))); err != nil {
		return fmt.Errorf("--requests: %w", err)
	}
	return nil
}

// rest appends the parts behind simulations that had none: points whose values do
// not go together.
func (r *requestFile) rest() error {
	if r == nil {
		return nil
	}
	for _, simulation := range slices.Sorted(maps.Keys(r.ended)) {
		if err := r.append(simulation); err != nil {
			return err
		}
	}
	return nil
}

// finish gives the file its name, or removes everything where the work did not
// come to its end.
func (r *requestFile) finish(worked bool) error {
	if r == nil {
		return nil
	}
	err := errors.Join(r.out.Close(), r.buf.Flush(), r.file.Close())
	if worked && err == nil {
		return os.Rename(r.file.Name(), r.name)
	}
	for simulation := range r.ended {
		_ = os.Remove(r.part(simulation))
	}
	return errors.Join(err, os.Remove(r.file.Name()))
}
