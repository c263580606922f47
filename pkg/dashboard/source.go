// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"errors"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// ErrNotFound says that there is no such object.
var ErrNotFound = errors.New("not found")

// Source has objects and their results.
type Source interface {
	// List returns the objects of a resource in a namespace; "" is all namespaces.
	List(ctx context.Context, resource Resource, namespace string) ([]Object, error)
	// Get returns an object, or ErrNotFound.
	Get(ctx context.Context, key Key) (*Object, error)
	// Results returns what is known of an object that has results. An error that is an
	// archive.Fault is one to show to the reader.
	Results(ctx context.Context, object *Object) (*Results, error)
	// Watch tells of each change of an object until the context ends.
	Watch(ctx context.Context, changed func(Key)) error
}

// Results are the rows of an object, and what is known about them.
type Results struct {
	Rows []result.Row
	// Deciding are the metrics of gates, those that fail first, and of objectives.
	Deciding []result.Measure
	// Parameters are those of each point.
	Parameters map[int][]result.Assignment
	// Report is that of a sweep; nil where ReportFault says why there is none. A fault that is no
	// archive.Fault may pass, and is for the log only.
	Report      *page.Sweep
	ReportFault error
	// RunReport makes that of a run; nil without one.
	RunReport func() (*page.Run, error)
	// Decisions are the stored routing decisions: gzip files of JSON lines.
	Decisions [][]byte
	// Run makes the manifest of a run that simulates a point again; nil where the spec is
	// not known.
	Run func(point int) (*v1alpha1.SimulationRun, error)
}
