// SPDX-License-Identifier: Apache-2.0

package jsonline

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

func marshal(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func FuzzNumber(f *testing.F) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-6, 1e-7, 9.99e-7, 1e-9, 1.5e-10, -1e22, 1e15, 1e20, 1e21, -1e21, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			if got := string(Number(nil, x)); got != "null" {
				t.Errorf("%v is %s", x, got)
			}
			return
		}
		if got, want := string(Number(nil, x)), marshal(t, x); got != want {
			t.Errorf("%s, encoding/json %s", got, want)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "plain", `"`, `\`, "\n", "<a>&", "ü", "\xff", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := string(Text(nil, s)), marshal(t, s); got != want {
			t.Errorf("%s, encoding/json %s", got, want)
		}
	})
}
