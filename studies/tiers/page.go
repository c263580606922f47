// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // the page
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"windtunnel.dev/windtunnel/internal/chart"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload/trace"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

// write writes the page and, next to it, the chart.
func (f *findings) write(path string) error {
	return study.WritePage(path, template.Must(template.New("page").Parse(pageText)), f.page, f.chart())
}

// page is what the template needs.
func (f *findings) page(chart string) any {
	one := func(blocks int) string { return size(blocks, trace.MooncakeBlockTokens) }
	several := func(blocks int) string { return size(blocks, clusterBlockTokens) }
	small, last, cluster := smallGPU(f.scale), len(f.one)-1, f.cluster[len(f.cluster)-1]
	return map[string]any{
		"Chart":             chart,
		"Engine":            simulator.EngineVersion,
		"Requests":          study.Grouped(f.trace.Requests),
		"Tokens":            study.Grouped(f.trace.InputTokens),
		"Most":              percent(f.trace.ReusableShare),
		"CPU":               one(f.scale.cpu),
		"Storage":           one(f.scale.storage),
		"Small":             one(f.scale.gpu[small]),
		"At":                f.at(small),
		"LargestGPU":        one(f.scale.gpu[last]),
		"Largest":           percent(f.one[last][0].all()),
		"ClusterCPU":        several(f.scale.clusterCPU),
		"ClusterStorage":    several(f.scale.clusterStorage),
		"ClusterGPU":        several(f.scale.clusterGPU[len(f.cluster)-1]),
		"LargestCluster":    percent(cluster[0].all()),
		"DefaultTTFT":       fmt.Sprintf("%.0f ms", cluster[0].ttftMs),
		"ClusterWithShared": percent(f.policies[0][1].all()),
		"Forgotten":         percent(f.cluster[0][1].all()),
		"Remembered":        percent(f.remembered.all()),
		"LeastGPU":          several(f.scale.clusterGPU[0]),
		"Affine":            percent(f.affine.all()),
		"AffineTTFT":        fmt.Sprintf("%.0f s", f.affine.ttftMs/1e3),
		"PolicyGPU":         study.Grouped(f.scale.policyGPU),
		"PolicyGPUSize":     fmt.Sprintf("%.0f GiB", gib(f.scale.policyGPU, clusterBlockTokens)),
		"Threshold":         fmt.Sprint(100 * offloadThreshold),
		"Thrash":            thrashWindow.Seconds(),
		"One":               f.oneTable(),
		"Cluster":           f.clusterTable(),
		"Policies":          f.policyTable(),
	}
}

// oneTable is the one cache by the GPU's capacity.
func (f *findings) oneTable() *study.Table {
	t := &study.Table{Titles: []string{"blocks", "GPU memory"}}
	for _, one := range ones {
		t.Titles = append(t.Titles, one.name)
	}
	for i, all := range f.one {
		row := []string{study.Grouped(f.scale.gpu[i]), size(f.scale.gpu[i], trace.MooncakeBlockTokens)}
		for _, h := range all {
			row = append(row, percent(h.all()))
		}
		t.Add(row...)
	}
	return t
}

// clusterTable is the cluster by the GPUs' capacity.
func (f *findings) clusterTable() *study.Table {
	t := &study.Table{Titles: []string{
		"blocks", "GPU memory", "GPU alone", "with CPU", "of it GPU, CPU", "with CPU and storage", "of it GPU, CPU, storage", "mean TTFT, ms",
	}}
	for i, h := range f.cluster {
		t.Add(study.Grouped(f.scale.clusterGPU[i]), size(f.scale.clusterGPU[i], clusterBlockTokens), percent(h[0].all()),
			percent(h[1].all()), parts(h[1].gpu, h[1].cpu),
			percent(h[2].all()), parts(h[2].gpu, h[2].cpu, h[2].storage),
			fmt.Sprintf("%.0f, %.0f, %.0f", h[0].ttftMs, h[1].ttftMs, h[2].ttftMs))
	}
	return t
}

// at are the shares that the one cache finds, as percentages.
func (f *findings) at(i int) []string {
	var all []string
	for _, h := range f.one[i] {
		all = append(all, percent(h.all()))
	}
	return all
}

func (f *findings) policyTable() *study.Table {
	t := &study.Table{Titles: []string{
		"offload", "tiers", "found", "of it GPU, CPU, storage", "TTFT mean, P90 ms", "wait for a load, ms", "blocks loaded", "thrashed", "refused",
	}}
	for i, o := range offloads {
		for tiers, h := range f.policies[i] {
			t.Add(o.name, []string{"CPU", "CPU, storage"}[tiers], percent(h.all()), parts(h.gpu, h.cpu, h.storage),
				fmt.Sprintf("%.0f, %.0f", h.ttftMs, h.ttftP90Ms), fmt.Sprintf("%.1f", h.loadMs),
				study.Grouped(int(h.loaded)), study.Grouped(int(h.thrashed)), study.Grouped(int(h.refused)))
		}
	}
	return t
}

// chart draws the one cache and the cluster over the GPU memory of all.
func (f *findings) chart() *chart.Chart {
	c := &chart.Chart{
		Title: "Mooncake conversations: prompt tokens found in KV caches",
		X:     "GPU memory for KV, all replicas together", Y: "% of prompt tokens",
		Limit: 100 * f.trace.ReusableShare, LimitName: "a cache without bounds: " + percent(f.trace.ReusableShare) + " %",
	}
	first := f.scale.gpu[0] * trace.MooncakeBlockTokens
	for _, blocks := range f.scale.gpu {
		c.Ticks = append(c.Ticks, size(blocks, trace.MooncakeBlockTokens))
	}
	for k, one := range ones {
		sizes := below(0, one.level, f.scale.cpu, f.scale.storage)
		line := chart.Line{Name: "one cache, " + one.name + sizes.note(trace.MooncakeBlockTokens), Colour: k}
		for i, h := range f.one {
			line.Points = append(line.Points, chart.XY{X: float64(i), Y: 100 * h[k].all()})
		}
		c.Lines = append(c.Lines, line)
	}
	for level, name := range levels {
		sizes := below(0, level, replicas*f.scale.clusterCPU, f.scale.clusterStorage)
		line := chart.Line{Name: "eight replicas, " + name + sizes.note(clusterBlockTokens), Colour: []int{0, 1, 3}[level], Dashed: true}
		for i, h := range f.cluster {
			x := octaves(f.scale.clusterGPU[i]*clusterBlockTokens*replicas, first)
			if x <= float64(len(c.Ticks)-1) {
				line.Points = append(line.Points, chart.XY{X: x, Y: 100 * h[level].all()})
			}
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// note says how large the tiers below the GPU are, of all replicas together.
func (s setup) note(blockTokens int) string {
	switch {
	case s.storage > 0:
		return fmt.Sprintf(" (%s, %s)", size(s.cpu, blockTokens), size(s.storage, blockTokens))
	case s.cpu > 0:
		return fmt.Sprintf(" (%s)", size(s.cpu, blockTokens))
	}
	return ""
}

// octaves is how many times from has to be doubled to give tokens.
func octaves(tokens, from int) float64 {
	n := 0.0
	for ; from < tokens; from *= 2 {
		n++
	}
	return n
}

func percent(share float64) string { return fmt.Sprintf("%.2f", 100*share) }

// parts are percentages, one after the other.
func parts(shares ...float64) string {
	var all []string
	for _, s := range shares {
		all = append(all, fmt.Sprintf("%.1f", 100*s))
	}
	return strings.Join(all, ", ")
}

// size writes the bytes of blocks in GiB or TiB.
func size(blocks, blockTokens int) string {
	n := gib(blocks, blockTokens)
	if n >= 1024 {
		return strconv.FormatFloat(n/1024, 'f', -1, 64) + " TiB"
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " GiB"
}

func gib(blocks, blockTokens int) float64 {
	return float64(blocks) * float64(blockTokens) * kvBytesPerToken / (1 << 30)
}

// smallGPU is the first of the capacities that is at least that of an H100.
func smallGPU(s scale) int {
	for i, blocks := range s.gpu {
		if blocks*trace.MooncakeBlockTokens >= s.policyGPU*clusterBlockTokens {
			return i
		}
	}
	return 0
}
