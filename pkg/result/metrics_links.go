// SPDX-License-Identifier: Apache-2.0

package result

// LinkUse is what crossed all links of a name.
type LinkUse struct {
	// Name is toHost, toGPU, cpu.read, cpu.write, storage.read, storage.write,
	// egress or ingress.
	Name string `json:"name"`
	// Count is the number of links, Bytes what crossed all of them.
	Count int   `json:"count"`
	Bytes int64 `json:"bytes"`
	// Utilization is the share of time in which something moved, the mean over
	// the links; Concurrency how many transfers shared a link then, on average.
	Utilization float64  `json:"utilization"`
	Concurrency *float64 `json:"concurrency,omitempty"`
}

// linkTitles say what crosses each link, in the order of lists.
var linkTitles = []struct{ name, statistic, title string }{
	{"toHost", "toHost", "from GPU memory to the host"},
	{"toGPU", "toGPU", "from the host to GPU memory"},
	{"cpu.read", "cpuRead", "out of the CPU tier"},
	{"cpu.write", "cpuWrite", "into the CPU tier"},
	{"storage.read", "storageRead", "out of the storage tier"},
	{"storage.write", "storageWrite", "into the storage tier"},
	{"egress", "egress", "from a replica to another one"},
	{"ingress", "ingress", "to a replica from another one"},
}

// links are those that KV crosses, between tiers and between replicas.
var links = subject{
	gather: func(in *selection, g *Group) {
		if g.Replicas != nil {
			g.Replicas.Links = in.links()
		}
	},
	families: []family{
		linkFamily("linkUtilization", Share, "share of time in which KV moved", func(u *LinkUse) (float64, bool) { return u.Utilization, true }).needing(NeedsTransfers).to(capacityPlanners),
		linkFamily("linkConcurrency", Ratio, "mean number of transfers in flight while KV moved", func(u *LinkUse) (float64, bool) { return optional(u.Concurrency) }).needing(NeedsTransfers).to(capacityPlanners),
	},
}

func linkFamily(name string, unit Unit, help string, value func(*LinkUse) (float64, bool)) family {
	f := family{name: name, labels: replicaLabels}
	for _, link := range linkTitles {
		f.statistics = append(f.statistics, statistic{
			name: link.statistic, unit: unit, direction: Minimize, help: help + " " + link.title,
			value: ofReplicas(func(r *Replicas) (float64, bool) {
				for i := range r.Links {
					if r.Links[i].Name == link.name {
						return value(&r.Links[i])
					}
				}
				return 0, false
			}),
		})
	}
	return f
}

// links sums up the links of the selection's replicas, by name.
func (in *selection) links() []LinkUse {
	var all []LinkUse
	for _, link := range linkTitles {
		sum := LinkUse{Name: link.name}
		busy, shared := 0.0, 0.0
		for use := range in.uses() {
			for i := range use.Links {
				l := &use.Links[i]
				if l.Name != link.name {
					continue
				}
				sum.Count++
				sum.Bytes += l.Bytes
				busy += float64(l.Busy)
				shared += float64(l.MeanConcurrency * float64(l.Busy))
			}
		}
		if sum.Count == 0 {
			continue
		}
		sum.Utilization = busy / float64(in.span()) / float64(sum.Count)
		if busy > 0 {
			concurrency := shared / busy
			sum.Concurrency = &concurrency
		}
		all = append(all, sum)
	}
	return all
}
