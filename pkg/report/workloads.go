// SPDX-License-Identifier: Apache-2.0

package report

// byWorkload returns a table for each objective of all workloads: the mean of each
// candidate under each workload.
func (l board) byWorkload() []*grid {
	var grids []*grid
	for _, o := range l.Objectives {
		if _, ok := o.Measure.OfWorkload(""); !ok || len(l.Workloads) == 0 {
			continue
		}
		g := &grid{}
		var names []string
		widths := l.parameterWidths()
		for i := range l.Candidates {
			names = append(names, candidateName(&l.Candidates[i], widths))
		}
		g.add(o.Measure.Unit().Title(o.Measure.String())+" "+arrow(o.Direction)+" by workload", false, names)
		for _, workload := range l.Workloads {
			under, _ := o.Measure.OfWorkload(workload)
			g.add(workload, true, l.means(under))
		}
		grids = append(grids, g)
	}
	return grids
}
