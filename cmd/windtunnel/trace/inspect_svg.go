// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"time"

	"windtunnel.dev/windtunnel/internal/chart"
	"windtunnel.dev/windtunnel/pkg/workload/inspect"
)

// drawInspection draws an inspection: rates over time, distributions of lengths, and reuse by
// cache size where there is some.
func drawInspection(w io.Writer, in *inspect.Inspection) error {
	charts := []chart.Chart{requestRates(in), lengthShares(in)}
	if in.Reuse != nil {
		charts = append(charts, reuseShares(in.Reuse))
	}
	return chart.WriteColumn(w, charts)
}

const mostTicks = 8

// timeUnits are the units of a time axis, the largest first.
var timeUnits = []struct {
	name   string
	length time.Duration
}{{"days", 24 * time.Hour}, {"hours", time.Hour}, {"minutes", time.Minute}, {"seconds", time.Second}}

// requestRates draws the rate of each bin at its middle.
func requestRates(in *inspect.Inspection) chart.Chart {
	unit := timeUnits[len(timeUnits)-1]
	for i := len(timeUnits) - 1; i >= 0 && in.SpanSeconds >= 4*timeUnits[i].length.Seconds(); i-- {
		unit = timeUnits[i]
	}
	bins := in.Rates.Bins
	every := (len(bins) + mostTicks - 1) / mostTicks
	c := chart.Chart{
		Title: fmt.Sprintf("Requests by %v", time.Duration(in.Rates.BinSeconds*1e9)), X: "time (" + unit.name + ")", Y: "requests/s",
		Limit: in.Rates.RequestsPerSecond, LimitName: "mean",
	}
	line := chart.Line{Name: "requests/s", Plain: true}
	for i, b := range bins {
		if i%every == 0 {
			c.Ticks = append(c.Ticks, strconv.FormatFloat(math.Round(100*b.FromSeconds/unit.length.Seconds())/100, 'g', -1, 64))
		}
		line.Points = append(line.Points, chart.XY{X: (float64(i) + 0.5) / float64(every), Y: b.RequestsPerSecond})
	}
	if last := line.Points[len(bins)-1].X; last > float64(len(c.Ticks))-0.5 {
		c.Ticks = append(c.Ticks, "")
	}
	c.Lines = []chart.Line{line}
	return c
}

// lengthShares draws the distributions of prompts and answers over powers of two.
func lengthShares(in *inspect.Inspection) chart.Chart {
	c := chart.Chart{Title: "Lengths", X: "tokens", Y: "% of requests with at most this many tokens"}
	least, most := math.MaxInt, 0
	for _, l := range []inspect.Lengths{in.InputTokens, in.OutputTokens} {
		least, most = min(least, l.CDF[0].Tokens), max(most, l.CDF[len(l.CDF)-1].Tokens)
	}
	for tokens := least; tokens <= most; tokens *= 2 {
		c.Ticks = append(c.Ticks, short(int64(tokens)))
	}
	for i, l := range []inspect.Lengths{in.InputTokens, in.OutputTokens} {
		line := chart.Line{Name: []string{"prompts", "answers"}[i], Colour: i}
		for _, s := range l.CDF {
			line.Points = append(line.Points, chart.XY{X: float64(bits.Len(uint(s.Tokens/least)) - 1), Y: 100 * s.Share})
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// reuseShares draws reuse over cache sizes.
func reuseShares(r *inspect.Reuse) chart.Chart {
	c := chart.Chart{
		Title: fmt.Sprintf("Reuse by an LRU cache, in blocks of %d tokens", r.BlockTokens), X: "blocks", Y: "% of prompt tokens",
		Limit: 100 * r.UnboundedShare, LimitName: "unbounded",
	}
	line := chart.Line{Name: "LRU cache"}
	for i, s := range r.Caches {
		c.Ticks = append(c.Ticks, short(s.Blocks))
		line.Points = append(line.Points, chart.XY{X: float64(i), Y: 100 * s.Share})
	}
	c.Lines = []chart.Line{line}
	return c
}

// short prints a power of two with a binary prefix.
func short(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 20, "Mi"}, {1 << 10, "Ki"}} {
		if n >= unit.size {
			return fmt.Sprintf("%d%s", n/unit.size, unit.name)
		}
	}
	return strconv.FormatInt(n, 10)
}
