// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestParseCached(t *testing.T) {
	var memory Builder
	reads := 0
	length := func(raw []byte, path *field.Path) (int, field.ErrorList) {
		reads++
		if len(raw) == 0 {
			return 0, field.ErrorList{field.Required(path, "")}
		}
		return len(raw), nil
	}
	same := func(raw []byte, _ *field.Path) (string, field.ErrorList) { return string(raw), nil }
	for range 3 {
		if n, errs := parseCached(&memory, "abc", nil, length); n != 3 || len(errs) > 0 {
			t.Errorf("read %d, %v", n, errs)
		}
		if text, errs := parseCached(&memory, "abc", nil, same); text != "abc" || len(errs) > 0 {
			t.Errorf("read %q, %v", text, errs)
		}
	}
	if reads != 1 {
		t.Errorf("the text was read %d times", reads)
	}
	for range 2 {
		if _, errs := parseCached(&memory, "", nil, length); len(errs) != 1 {
			t.Errorf("a faulty text has the faults %v", errs)
		}
	}
}
