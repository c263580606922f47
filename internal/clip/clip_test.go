// SPDX-License-Identifier: Apache-2.0

package clip

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTextNeverCutsThroughACharacter(t *testing.T) {
	for _, text := range []string{"", "abc", "abcdef", "äöüäöüäöü", "日本語日本語", strings.Repeat("日", 300), `"` + strings.Repeat(`\"`, 300) + `"`} {
		for most := 3; most < 200; most++ {
			got := Text(text, most)
			if len(got) > most || !utf8.ValidString(got) {
				t.Errorf("Text(%q, %d) = %q", text, most, got)
			}
			if len(text) <= most && got != text {
				t.Errorf("Text(%q, %d) = %q, want all of it", text, most, got)
			}
		}
	}
}

// The reason of an error stays, whatever it quotes.
func TestTheReasonStays(t *testing.T) {
	const reason = `: must be UTC or a name such as "Europe/Berlin"`
	for name, value := range map[string]string{
		"a word":            strings.Repeat("x", 2000),
		"letters":           strconv.Quote(strings.Repeat("x", 2000)),
		"spaces":            strconv.Quote(strings.Repeat("x y ", 500)),
		"quotes":            strconv.Quote(strings.Repeat(`"`, 2000)),
		"backslashes":       strconv.Quote(strings.Repeat(`\`, 2000)),
		"odd backslashes":   strconv.Quote(strings.Repeat(`\`, 1999) + "x"),
		"quote and letters": strconv.Quote(strings.Repeat(`a"`, 1000)),
		"line breaks":       strconv.Quote(strings.Repeat("\n", 2000)),
		"other characters":  strconv.Quote(strings.Repeat("日", 700)),
	} {
		got := Text("spec.x: Invalid value: "+value+reason, 512)
		if !strings.HasPrefix(got, "spec.x: Invalid value: ") || !strings.HasSuffix(got, reason) || !strings.Contains(got, mark) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestValues(t *testing.T) {
	long := strings.Repeat("0123456789", 30)
	// 160 bytes: 120 from the beginning, 40 from the end, and quotes count.
	short := long[:119] + "…" + long[len(long)-39:]
	for text, want := range map[string]string{
		"":                           "",
		`a "b" c`:                    `a "b" c`,
		`a "` + long + `" c`:         `a "` + short + `" c`,
		`"` + long + ` no end`:       `"` + long[:119] + "…" + long[len(long)-40:] + " no end",
		long + " c":                  long[:120] + "…" + long[len(long)-40:] + " c",
		strings.Repeat("word ", 100): strings.Repeat("word ", 100),
	} {
		if got := Values(text); got != want {
			t.Errorf("Values(%s)\n     = %s\nwant   %s", text, got, want)
		}
	}
}
