// SPDX-License-Identifier: Apache-2.0

package query

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
)

// Query is a query that is ready to be evaluated. It keeps what it works with from one
// evaluation to the next: one simulation owns it, and it is not called concurrently.
type Query struct {
	root     any // a vectorNode or a scalarNode
	window   time.Duration
	notes    []string
	reads    map[string]bool
	places   map[string]int // of pods in a sample
	readings []Reading
	x        evaluation
}

// Problem is why a query has no value.
type Problem int

// The problems.
const (
	None Problem = iota
	// Empty: the result has no series.
	Empty
	// Several: the result has several series.
	Several
	// SeveralPartners: an element of a vector has several partners in the other.
	SeveralPartners
)

var problemTexts = [...]string{
	"", "the query has no result", "the query has several results", "the query finds several partners for a series",
}

// String returns the problem in a sentence.
func (p Problem) String() string { return problemTexts[p] }

// Window returns how far the query reads back. It is 0 where the newest sample is enough.
func (q *Query) Window() time.Duration { return q.window }

// Notes returns in sentences what of the query has no effect here.
func (q *Query) Notes() []string { return q.notes }

// Reads reports whether the query reads a metric under a name.
func (q *Query) Reads(metric string) bool { return q.reads[metric] }

// Scalar reports whether the query is a number rather than a vector. KEDA cannot read the
// answer to such a query.
func (q *Query) Scalar() bool {
	_, scalar := q.root.(scalarNode)
	return scalar
}

// Value returns the number that the query is, or that its only series has, which may be NaN or
// infinite. There is none where problem is not None.
func (q *Query) Value(v *autoscaling.View) (value float64, problem Problem) {
	if root, ok := q.root.(scalarNode); ok {
		q.begin(v)
		return root.scalar(&q.x), q.x.problem
	}
	all, problem := q.vector(v)
	switch {
	case problem != None:
		return 0, problem
	case len(all) == 0:
		return 0, Empty
	case len(all) > 1:
		return 0, Several
	}
	return all[0].value, None
}

// Reading is one series of a result.
type Reading struct {
	// Endpoint is the place in a sample of the pod that the label pod names; −1 where the
	// series has no such label.
	Endpoint int
	Value    float64
	labels   *labels
}

// Labels returns the labels of the series as Prometheus writes them.
func (r *Reading) Labels() string { return r.labels.String() }

// Series returns the series of the result, until the next call. A number is one series without
// labels.
func (q *Query) Series(v *autoscaling.View) ([]Reading, Problem) {
	q.readings = q.readings[:0]
	if _, ok := q.root.(scalarNode); ok {
		value, problem := q.Value(v)
		return append(q.readings, Reading{-1, value, &labels{}}), problem
	}
	all, problem := q.vector(v)
	for _, e := range all {
		endpoint, ok := q.places[e.labels[pod]]
		if !ok {
			endpoint = -1
		}
		q.readings = append(q.readings, Reading{endpoint, e.value, e.labels})
	}
	return q.readings, problem
}

func (q *Query) vector(v *autoscaling.View) ([]element, Problem) {
	q.begin(v)
	all := q.root.(vectorNode).vector(&q.x)
	return all, q.x.problem
}

func (q *Query) begin(v *autoscaling.View) {
	q.x = evaluation{now: v.Now, monitor: v.Monitor}
}
