// SPDX-License-Identifier: Apache-2.0

package transfer

// members are the flows that one station stops: a heap, the first to end on top.
type members []*flow

func (m *members) add(f *flow) {
	f.place = len(*m)
	*m = append(*m, f)
	m.up(f.place)
}

func (m *members) remove(f *flow) {
	all := *m
	at, last := f.place, len(all)-1
	all.swap(at, last)
	all[last] = nil
	*m = all[:last]
	if at < last {
		m.down(at)
		m.up(at)
	}
}

func (m members) up(at int) {
	for at > 0 && m[at].target.less(m[(at-1)/2].target) {
		m.swap(at, (at-1)/2)
		at = (at - 1) / 2
	}
}

func (m members) down(at int) {
	for {
		first := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(m); child++ {
			if m[child].target.less(m[first].target) {
				first = child
			}
		}
		if first == at {
			return
		}
		m.swap(at, first)
		at = first
	}
}

func (m members) swap(i, j int) {
	m[i], m[j] = m[j], m[i]
	m[i].place, m[j].place = i, j
}
