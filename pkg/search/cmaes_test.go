// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/search"
)

func TestCMAESBeatsRandom(t *testing.T) { checkBeatsRandom(t, search.CMAES, 100, manyTasks) }

func BenchmarkCMAES(b *testing.B) { benchmarkFresh(b, search.CMAES) }
