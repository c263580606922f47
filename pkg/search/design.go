// SPDX-License-Identifier: Apache-2.0

package search

// design is an algorithm that learns nothing: its points are known beforehand.
type design struct {
	problem *problem
	draw    func() []Values
	points  []Values // what draw gave, which is nil then
	told    int
}

func newDesign(p *problem, draw func() []Values) *design { return &design{problem: p, draw: draw} }

func (d *design) Ask() []Proposal {
	if d.draw != nil {
		d.points, d.draw = d.draw(), nil
	}
	left := d.points[min(d.told, len(d.points)):]
	return d.problem.inFull(left[:min(d.problem.generation(len(left)), len(left))])
}

func (d *design) Tell(trials []Trial) { d.told += len(trials) }
