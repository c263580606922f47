// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// agree compares a quantity with what Kubernetes makes of it.
func agree(t *testing.T, written string) {
	t.Helper()
	number, exponent, _ := strings.Cut(strings.ToLower(written), "e")
	if strings.Trim(number, "+-.mkgnui") == "" || len(strings.TrimLeft(exponent, "+-0")) > 1 {
		return // what only Kubernetes accepts
	}
	got, err := thousandths(written)
	want, wrong := resource.ParseQuantity(written)
	switch {
	case (err == nil) != (wrong == nil):
		t.Errorf("%q: %v, and Kubernetes says %v", written, err, wrong)
	case err == nil && got != want.MilliValue():
		t.Errorf("%q: %d thousandths, and Kubernetes says %d", written, got, want.MilliValue())
	}
}

func TestQuantitiesAreThoseOfKubernetes(t *testing.T) {
	for _, written := range []string{
		"5", "500m", "0.5", "1.5k", "2Ki", "1M", "3Gi", "1e3", "1E2", "1e-2", "0", "-1", "+7", "100u", "1n", "1500m", ".5", "5.",
		"", "m", "five", "5 ", " 5", "5mm", "1e", "--1", "1-", "1.2.3", "5%", "NaN", "0x10", "1_000", "1/2",
	} {
		agree(t, written)
	}
}

func TestRandomQuantitiesAreThoseOfKubernetes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := make([]byte, 1+r.IntN(7))
		for i := range text {
			text[i] = "0123456789.mkKMiGe-+nu"[r.IntN(22)]
		}
		agree(t, string(text))
	}
}
