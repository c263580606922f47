// SPDX-License-Identifier: Apache-2.0

package result

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// recordedMetrics is the digest of the registry's metrics at RowsVersion 2.
const recordedMetrics = "911e64a9ca4f059a"

func TestTheVersionOfRowsChangesWithTheRegistry(t *testing.T) {
	sum := sha256.Sum256([]byte(strings.Join(MetricNames(), "\n")))
	if got := hex.EncodeToString(sum[:8]); got != recordedMetrics {
		t.Errorf("the registry's metrics have the digest %s, recorded is %s: raise RowsVersion, and record it", got, recordedMetrics)
	}
}
