// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestAListIsWholeWhereAnObjectFails: the second of two objects prints nothing.
func TestAListIsWholeWhereAnObjectFails(t *testing.T) {
	var out bytes.Buffer
	list := newListWriter(&out)
	list.next()
	if err := JSON.Write(list, map[string]int{"a": 1}); err != nil {
		t.Fatal(err)
	}
	list.next() // of which nothing is written
	if err := list.close(); err != nil {
		t.Fatal(err)
	}
	var got struct{ Items []any }
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got.Items) != 1 {
		t.Errorf("%d items, %v, want 1", len(got.Items), err)
	}
	out.Reset()
	if err := newListWriter(&out).close(); err != nil || out.Len() > 0 {
		t.Errorf("a list of nothing prints %q, %v", out.String(), err)
	}
}
