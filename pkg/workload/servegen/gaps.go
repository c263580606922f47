// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// gaps is a law of the gaps between arrivals. ServeGen's fit tells its shape; its mean
// follows from the rate, since in sparse windows the mean of the fit is several times off.
type gaps struct {
	pattern string
	shape   float64
	mean    float64 // of a draw at scale 1
}

// The patterns. Where ServeGen could not fit any, arrivals are a Poisson process.
const (
	gammaPattern   = "Gamma"
	weibullPattern = "Weibull"
)

// The shapes that a fit may have. Windows of a few even gaps in the published m-large have Gamma shapes of up to 45,230.
const minShape, maxShape = 0.005, 1_000_000

func newGaps(pattern string, shape float64) (gaps, error) {
	switch pattern {
	case "":
		return gaps{mean: 1}, nil
	case gammaPattern, weibullPattern:
	default:
		return gaps{}, fmt.Errorf("pattern: must be %s, %s or empty, got %.80q", gammaPattern, weibullPattern, pattern)
	}
	if shape < minShape || shape > maxShape || pattern == weibullPattern && shape < 0.05 {
		return gaps{}, fmt.Errorf("arg1: must be a shape between %g (Weibull: 0.05) and %d, got %g", minShape, maxShape, shape)
	}
	g := gaps{pattern: pattern, shape: shape, mean: shape}
	if pattern == weibullPattern {
		g.mean = stats.Exp(stats.LogGamma(1 + 1/shape))
	}
	return g, nil
}

// draw returns a gap in units of the mean gap.
func (g gaps) draw(s *stats.Stream) float64 {
	switch g.pattern {
	case gammaPattern:
		return s.Gamma(g.shape) / g.mean
	case weibullPattern:
		return stats.Pow(s.Exponential(), 1/g.shape) / g.mean
	}
	return s.Exponential()
}
