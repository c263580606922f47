// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"net/http"
	"strconv"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
)

// compareView is what the template of a comparison reads.
type compareView struct {
	layout
	*Object
	NameA, NameB string
	Table        report.Table
	Notes        []string
}

// compare compares two points of a sweep seed by seed.
func (r *reading) compare() error {
	a, errA := strconv.Atoi(r.FormValue("a"))
	b, errB := strconv.Atoi(r.FormValue("b"))
	first, second := r.rowsOf(a), r.rowsOf(b)
	if errA != nil || errB != nil || len(first) == 0 || len(second) == 0 {
		return &faultPage{http.StatusNotFound, "Nothing to compare", "Both points must be numbers of points that have results."}
	}
	contrast, err := result.NewContrast([2]string{"A", "B"}, first, second, nil)
	if err != nil {
		return &faultPage{http.StatusConflict, "The points cannot be compared", err.Error()}
	}
	var names []string
	for _, m := range r.Deciding {
		names = append(names, m.String())
	}
	contrast.PutFirst(names)
	c := &compareView{
		layout: r.layout(fmt.Sprintf("%s and %s in %s", r.pointName(a), r.pointName(b), r.object.Name), ""), Object: r.object,
		NameA: r.pointName(a), NameB: r.pointName(b),
	}
	c.Trail = append(c.Trail, r.trail()...)
	c.Table, c.Notes = report.ContrastTable(contrast)
	return r.render(compareTemplate(), c)
}
