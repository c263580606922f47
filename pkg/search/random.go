// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// Random proposes points drawn at random, each once. Every value of a parameter
// is equally likely; on a logarithmic scale the value is the one nearest to a
// number whose logarithm is spread evenly. Random stops after maxTrials points,
// or when there are no others left.
type Random struct {
	axes   []axis
	size   uint64
	left   int
	stream *stats.Stream
	seen   map[string]bool
}

var _ Algorithm = (*Random)(nil)

// NewRandom returns the draws of at most maxTrials points under a seed, or
// everything that is wrong with the space. path is that of the list of
// parameters.
func NewRandom(s Space, seed int64, maxTrials int, path *field.Path) (*Random, field.ErrorList) {
	axes, errs := s.axes(path)
	if len(errs) > 0 {
		return nil, errs
	}
	return &Random{
		axes:   axes,
		size:   size(axes),
		left:   maxTrials,
		stream: stats.NewStream(seed, "search/random"),
		seen:   map[string]bool{},
	}, nil
}

// Ask returns the next points, at most n.
func (r *Random) Ask(n int) []Point {
	var points []Point
	for ; len(points) < n && r.left > 0 && uint64(len(r.seen)) < r.size; r.left-- {
		points = append(points, pointAt(r.axes, r.unseen()))
	}
	return points
}

// Tell changes nothing.
func (r *Random) Tell([]Trial) {}

// maxRedraws bounds how often a point is drawn in vain before its neighbours
// are tried in turn, as it must be once a small space is nearly used up.
const maxRedraws = 64

// unseen returns the indices of a point that was not proposed yet, and takes
// note of it. There must be one.
func (r *Random) unseen() []int64 {
	indices := make([]int64, len(r.axes))
	for range maxRedraws {
		for i, a := range r.axes {
			indices[i] = a.draw(r.stream)
		}
		if r.firstSeen(indices) {
			return indices
		}
	}
	for !r.firstSeen(indices) {
		r.advance(indices)
	}
	return indices
}

// firstSeen notes a point and says whether it is new.
func (r *Random) firstSeen(indices []int64) bool {
	var key []byte
	for _, index := range indices {
		key = binary.AppendVarint(key, index)
	}
	if r.seen[string(key)] {
		return false
	}
	r.seen[string(key)] = true
	return true
}

// advance moves to the next point in the order of a grid; the first one
// follows the last.
func (r *Random) advance(indices []int64) {
	for i := len(indices) - 1; i >= 0; i-- {
		indices[i]++
		if indices[i] < r.axes[i].size() {
			return
		}
		indices[i] = 0
	}
}
