// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation"
)

// mostFollowed is the greatest spec.follow.best.
const mostFollowed = 10

// followUp says how sweep --follow writes the manifest of a run of a point.
type followUp struct {
	// Sweep is the name of the sweep; "" if the file names none.
	Sweep string
	// Place is that of the point in the leaderboard, from 1; 0 if --follow never writes it.
	Place int
}

// File is the manifest of the run, in the folder of --follow.
func (f *followUp) File() string { return f.name() + "-best-" + strconv.Itoa(f.Place) + ".yaml" }

// name is the sweep's, or a word in its place.
func (f *followUp) name() string { return cmp.Or(f.Sweep, "NAME") }

// followUp is that of a point of a sweep whose spec is not known. The name is a file's: one that a cluster
// would refuse is in no command that people paste.
func (r *reading) followUp(point int) *followUp {
	f := &followUp{}
	if name := r.object.printedName(); len(validation.IsDNS1123Subdomain(name)) == 0 {
		f.Sweep = name
	}
	if r.Report == nil {
		return f
	}
	ranked := r.Report.Report.Board.Candidates
	for i := range min(mostFollowed, len(ranked)) {
		if ranked[i].Complete() && ranked[i].Point == point {
			f.Place = i + 1
		}
	}
	return f
}
