// SPDX-License-Identifier: Apache-2.0

package hostile_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/hostile"
)

// mostBytes is what an API server takes of a ConfigMap.
const mostBytes = 1 << 20

func TestTheSameNumberGivesTheSameObject(t *testing.T) {
	seen := map[string]int{}
	for i := range uint64(300) {
		family, first := hostile.Object(1, i)
		_, second := hostile.Object(1, i)
		if diff := cmp.Diff(first.Object, second.Object); diff != "" {
			t.Errorf("object %d (-first +second):\n%s", i, diff)
		}
		if _, err := json.Marshal(first.Object); err != nil {
			t.Errorf("object %d: %v", i, err)
		}
		seen[family]++
	}
	for _, family := range hostile.Families() {
		if seen[family] == 0 {
			t.Errorf("no object is of family %s", family)
		}
	}
}

func TestInputsFitIntoConfigMaps(t *testing.T) {
	for _, cm := range hostile.Inputs() {
		size := 0
		for _, raw := range cm.BinaryData {
			size += len(raw)
		}
		if size > mostBytes {
			t.Errorf("%s has %d bytes, at most %d", cm.Name, size, mostBytes)
		}
	}
}
