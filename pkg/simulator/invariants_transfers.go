// SPDX-License-Identifier: Apache-2.0

package simulator

// excused says whether a replica may idle though requests wait: they wait for
// blocks that are being copied or handed over, or for another replica.
func (s *simulation) excused(r *replica) bool {
	if r.port.loading > 0 {
		return true
	}
	if l := r.lower; l != nil && l.over+l.spilling > 0 {
		return true
	}
	for i := range s.requests.all {
		if j := &s.requests.all[i]; j.job && j.replica == r.index && j.phase == phaseLeaving {
			return true
		}
	}
	return false
}
