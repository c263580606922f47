// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// tokenRateMemory is after how long tokens count 1/e of what they did, as a
// model goes on being trained.
const tokenRateMemory = 10 * time.Second

// A tokenRate is a mean rate of tokens that forgets slowly.
type tokenRate struct {
	perSecond float64
	at        simtime.Time
}

func (r *tokenRate) Add(now simtime.Time, tokens float64) {
	r.perSecond = r.Of(now) + tokens/tokenRateMemory.Seconds()
	r.at = now
}

func (r *tokenRate) Of(now simtime.Time) float64 {
	if r.perSecond == 0 {
		return 0
	}
	return float64(r.perSecond * stats.Exp(-now.Sub(r.at).Seconds()/tokenRateMemory.Seconds()))
}
