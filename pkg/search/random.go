// SPDX-License-Identifier: Apache-2.0

package search

import "k8s.io/apimachinery/pkg/util/validation/field"

// newRandom proposes points drawn at random, each once: every value of a
// parameter is equally likely; on a logarithmic scale the value is the one
// nearest to a number whose logarithm is spread evenly. It ends after MaxTrials
// points, or when there are no others left.
func newRandom(p *problem) (Algorithm, field.ErrorList) {
	return newDesign(p, func() []Values {
		return newUntried(p.cube).drawUpTo(p.Settings.MaxTrials, nil, p.stream(0))
	}), nil
}
