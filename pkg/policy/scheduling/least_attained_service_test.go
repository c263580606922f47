// SPDX-License-Identifier: Apache-2.0

package scheduling

import "testing"

func TestLeastAttainedServiceFollowsWhatIsServed(t *testing.T) {
	s := LeastAttainedService()
	expectOrder(t, s, 0, 1, 2, 3, 4)
	s.Service.Add(0, 100)
	expectOrder(t, s, 1, 2, 3, 0, 4)
	s.Service.Add(1, 200)
	expectOrder(t, s, 2, 0, 4, 1, 3)
}
