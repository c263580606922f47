// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// kvCacheScorer is what kvCacheUtilizationScorer was called in gie-v0.5.
var kvCacheScorer = func() scheduler.Factory {
	same := kvCacheUtilizationScorer
	same.Name, same.Needs = "kv-cache-scorer", nil
	same.Registration = version.GIE("..gie-v0.5")
	return same
}()
