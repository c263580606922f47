// SPDX-License-Identifier: Apache-2.0

package scheduler

import "slices"

// Idle implements [policy.Idler]. A plugin of several profiles is idle where it is in all
// of them.
func (s *Scheduler) Idle() []string {
	var idle, busy []string
	note := func(name string, told bool) {
		if told {
			busy = append(busy, name)
		} else if !slices.Contains(idle, name) {
			idle = append(idle, name)
		}
	}
	for _, p := range s.Staged.profiles() {
		made := 0
		for _, f := range p.filterRefs {
			note(f.plugin.Name, f.made && p.removed[made])
			if f.made {
				made++
			}
		}
		for i := range p.Scorers {
			note(p.Scorers[i].plugin.Name, p.Scorers[i].told)
		}
	}
	return slices.DeleteFunc(idle, func(name string) bool { return slices.Contains(busy, name) })
}

// differ reports whether the parts of two candidates differ.
func differ(parts []float64) bool {
	for _, part := range parts {
		if part != parts[0] {
			return true
		}
	}
	return false
}
