// SPDX-License-Identifier: Apache-2.0

package search

import "fmt"

// Elite is the best trial of a cell.
type Elite struct {
	Cell  []int // the bin of each feature
	Trial Trial
}

// An island is an archive that breeds apart from others.
type island struct {
	cells  map[string]int // places among the elites
	elites []Elite        // in the order in which their cells were found
}

func newIsland() *island { return &island{cells: map[string]int{}} }

// keep gives an elite its cell where the cell is empty or holds a worse one.
func (l *island) keep(e Elite) {
	key := fmt.Sprint(e.Cell)
	place, taken := l.cells[key]
	switch {
	case !taken:
		l.cells[key] = len(l.elites)
		l.elites = append(l.elites, e)
	case better(e.Trial, l.elites[place].Trial):
		l.elites[place].Trial = e.Trial
	}
}

// migrants is how many elites go from an island to the next one.
const migrants = 3

// best are the best elites of the island.
func (l *island) best() []Elite {
	trials := make([]Trial, len(l.elites))
	for i := range l.elites {
		trials[i] = l.elites[i].Trial
	}
	var best []Elite
	for _, i := range order(trials)[:min(migrants, len(trials))] {
		best = append(best, l.elites[i])
	}
	return best
}

// migrate sends the best elites of each island to the next one, those of the last to
// the first.
func migrate(islands []*island) {
	best := make([][]Elite, len(islands))
	for i, l := range islands {
		best[i] = l.best()
	}
	for i, elites := range best {
		for _, e := range elites {
			islands[(i+1)%len(islands)].keep(e)
		}
	}
}
