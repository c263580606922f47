// SPDX-License-Identifier: Apache-2.0

package epp

// kvCacheScorer is what kvCacheUtilizationScorer was called in gie-v0.5.
var kvCacheScorer = func() factory {
	same := kvCacheUtilizationScorer
	same.name, same.needs = "kv-cache-scorer", nil
	same.registration = gie("..gie-v0.5")
	return same
}()
