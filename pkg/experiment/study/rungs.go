// SPDX-License-Identifier: Apache-2.0

package study

import "windtunnel.dev/windtunnel/pkg/search"

// Rungs returns the finished rungs of a search that goes from little effort to
// more, with how well each predicted the next; none where it does not.
func (s *Study) Rungs() []search.Rung {
	reporter, ok := search.As[interface{ Rungs() []search.Rung }](s.algorithm)
	if !ok {
		return nil
	}
	return reporter.Rungs()
}
