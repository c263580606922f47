// SPDX-License-Identifier: Apache-2.0

package search

import (
	"math/big"
	"strings"
	"testing"
)

func TestCanonicalDecimalWritesANumberOneWay(t *testing.T) {
	tests := map[string]string{
		"0": "0", "-0": "0", "000": "0", "0.000": "0", "-0.00": "0",
		"5": "5", "005": "5", "5.0": "5", "5.50": "5.5", "0.5": "0.5", "00.50": "0.5",
		"100": "100", "100.00": "100", "-2.50": "-2.5", "0.001": "0.001", "-0.0010": "-0.001",
		"12345678901234567890123.4567890": "12345678901234567890123.456789",
	}
	for text, want := range tests {
		if got, err := CanonicalDecimal(text); err != nil || got != want {
			t.Errorf("CanonicalDecimal(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestCanonicalDecimalRefusesWhatIsNoDecimalNumber(t *testing.T) {
	for _, text := range []string{
		"", "-", ".", "-.", ".5", "5.", "+5", "--5", "1e3", "0x10", "1_000", " 1", "1 ", "1,5", "1.2.3", "1.-2", "٣",
		"NaN", "Inf", "five", strings.Repeat("1", maxDecimalLength+1),
	} {
		if got, err := CanonicalDecimal(text); err == nil {
			t.Errorf("CanonicalDecimal(%q) = %q, want an error", text, got)
		}
	}
}

// Whatever the parser takes has the value that big.Rat reads, and one name.
func FuzzCanonicalDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-0.50", "2.5", "1e3", "000.1", ".5", "5.", "1234567890123456789012345678901234567890.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		canonical, err := CanonicalDecimal(text)
		if err != nil {
			return
		}
		want, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is read as %q, and is no number", text, canonical)
		}
		got, ok := new(big.Rat).SetString(canonical)
		if !ok || got.Cmp(want) != 0 {
			t.Errorf("%q is written as %q", text, canonical)
		}
		if again, err := CanonicalDecimal(canonical); err != nil || again != canonical {
			t.Errorf("%q is written as %q the second time: %v", canonical, again, err)
		}
		if len(canonical) > len(text) {
			t.Errorf("%q is longer than %q", canonical, text)
		}
	})
}

// A range that passes has ascending values between its ends, each with a name
// of its own, and draws that are among them.
func FuzzRange(f *testing.F) {
	f.Add("0", "5", "0.5", 1, false)
	f.Add("0.001", "1000", "", 0, true)
	f.Add("-1.5", "1.5", "", 0, false)
	f.Add("16", "4096", "16", 2, true)
	f.Add("1.0000001", "1.0000002", "", 0, true)
	f.Add("1", "1.00000000002002", "", 0, false)
	f.Add("0.44411414441441141144414001", "9100101000111000100", "", 0, false)
	f.Fuzz(func(t *testing.T, min, max, step string, kind int, log bool) {
		p := Parameter{Name: "p", Kind: Kind(uint(kind) % 3), Min: min, Max: max, Step: step, LogScale: log}
		a, errs := p.axis(nil)
		if len(errs) > 0 {
			return
		}
		if a.size() > 1<<48 {
			return // more whole numbers than coordinates
		}
		last := a.size() - 1
		checkAxis(t, p, a, []int64{0, 1, 2, last / 3, last / 2, last - 1, last})
	})
}
