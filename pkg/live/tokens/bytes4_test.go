// SPDX-License-Identifier: Apache-2.0

package tokens

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The ids are the bytes in hexadecimal, written by hand.
func TestBytes4(t *testing.T) {
	for text, want := range map[string][]uint32{
		"":           {},
		"a":          {0x61},
		"abcd":       {0x61626364},
		"abcde":      {0x61626364, 0x65},
		"Grüße":      {0x4772c3bc, 0xc39f65},
		"日本":         {0xe697a5e6, 0x9cac},
		"a\x00b\x00": {0x61006200},
	} {
		got := Bytes4{}.Encode(text)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (−want +got):\n%s", text, diff)
		}
		if back := (Bytes4{}).Decode(got); back != text {
			t.Errorf("%q comes back as %q", text, back)
		}
	}
}

func FuzzBytes4(f *testing.F) {
	f.Add("Grüße")
	f.Fuzz(func(t *testing.T, text string) {
		ids := Bytes4{}.Encode(text)
		if len(ids) != (len(text)+3)/4 {
			t.Errorf("%d bytes have %d tokens", len(text), len(ids))
		}
		if back := (Bytes4{}).Decode(ids); back != text && !strings.Contains(text, "\x00") {
			t.Errorf("%q comes back as %q", text, back)
		}
	})
}
