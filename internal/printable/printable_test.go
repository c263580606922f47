// SPDX-License-Identifier: Apache-2.0

package printable_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"plain, a\n\ttab – é 模型 ✔ ±\u00a05": "plain, a\n\ttab – é 模型 ✔ ±\u00a05",
		"\x1b[2JPASS":          `\u001b[2JPASS`, // clears the screen
		"fail\rPASS":           `fail\u000dPASS`,
		"a\r\nb":               "a\nb",
		"a\x07\x08\x7f":        `a\u0007\u0008\u007f`,
		"\u009b2J":             `\u009b2J`,       // the same as ESC [, in one character
		"\x9b2J":               `\x9b2J`,         // and as a byte that is not UTF-8
		"\u202eSSAP":           `\u202eSSAP`,     // turns the direction
		"a\u2066b\u2069":       `a\u2066b\u2069`, // isolates
		"a\u200bb\ufeff\u00ad": `a\u200bb\ufeff\u00ad`,
		"a\u2028b\u2029":       `a\u2028b\u2029`,
		"a\u3164b\ufe0f":       `a\u3164b\ufe0f`, // a letter and a mark that are invisible
		"a\U000e0041b":         `a\udb40\udc41b`, // a tag, as JSON writes it
		"a\ufffdb":             "a\ufffdb",
	} {
		if got := printable.Text(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	if got, want := printable.Line(" one\n\n  two\tthree\u2028four\x1b "), `one two three four\u001b`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := printable.Masked("a\x1b[2J\u202e\xff é\n"), "a\ufffd[2J\ufffd\ufffd é\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for most, want := range map[int]string{9: "模型模型"[:6] + "…", 12: "模型模型", 11: "模型…", 2: "…"} {
		if got := printable.Clip("模型模型", most); got != want {
			t.Errorf("%d bytes: %q, want %q", most, got, want)
		}
	}
}

// A table has one row a name, and two names are two rows.
func TestName(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	names := map[string]bool{}
	for _, name := range []string{"a b", "a  b", "a\nb", "a\tb", "a\x1bb", long, long + "y"} {
		n := printable.Name(name)
		if names[n] || strings.ContainsAny(n, "\n\t\x1b") || len(n) > 253 {
			t.Errorf("%.20q: %q", name, n)
		}
		names[n] = true
	}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"gpu_usage 0.5 (a-b), 5 > 4": "gpu_usage 0.5 (a-b), 5 > 4",
		"<img src=x onerror=y>":      `\<img src=x onerror=y>`,
		"[click](http://x) ![i](y)":  `\[click](http://x) !\[i](y)`,
		"**PASS** __PASS__ `a`":      "\\*\\*PASS\\*\\* \\_\\_PASS\\_\\_ \\`a\\`",
		"a | b\n# PASS":              `a \| b # PASS`,
		"# PASS":                     `\# PASS`,
		"- PASS":                     `\- PASS`,
		"> PASS":                     `\> PASS`,
		`\<b>`:                       `\\\<b>`,
		"&#x202e;":                   `\&#x202e;`,
		"\x1b[2J":                    `\\u001b\[2J`,
	} {
		if got := printable.Markdown(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got, want := printable.HTML("<b>\n\x1b"), `&lt;b&gt; \u001b`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A text is printed alike in any pieces.
func TestWriter(t *testing.T) {
	const text = "a\r\n模型\x1b[2J\u202eb\r模\n"
	for size := 1; size <= len(text); size++ {
		var b bytes.Buffer
		w := printable.NewWriter(&b)
		for rest := text; rest != ""; {
			piece := rest[:min(size, len(rest))]
			if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
			rest = rest[len(piece):]
		}
		if got, want := b.String(), "a\n模型\\u001b[2J\\u202eb\\u000d模\n"; got != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got, want)
		}
	}
}

// Whatever a text is, nothing in it controls a terminal, a cell of a table or a page; a text that is
// printed twice stays as it is, and JSON keeps its values.
func FuzzText(f *testing.F) {
	for _, text := range []string{"\x1b[2J\x1b[HPASS", "\u202eSSAP\u2066", "a|b\n# c <b>&lt;`*", "\xff\xfe", "a\U000e0041\u3164\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := printable.Text(text)
		for i, r := range got {
			if r == utf8.RuneError && !strings.Contains(text, "\ufffd") || (unicode.IsControl(r) && r != '\n' && r != '\t') || unicode.Is(unicode.Cf, r) {
				t.Fatalf("%q has %U at %d", got, r, i)
			}
		}
		if printable.Text(got) != got {
			t.Errorf("%q is printed as %q", got, printable.Text(got))
		}
		if line := printable.Clip(text, 80); len(line) > 80 || strings.ContainsAny(line, "\n\t\r") {
			t.Errorf("%q is no line", line)
		}
		if name := printable.Name(text); len(name) > 253 || strings.ContainsAny(name, "\n\t\r") {
			t.Errorf("%q is no name", name)
		}
		var b bytes.Buffer
		if _, err := printable.NewWriter(&b).Write([]byte(text + "\n")); err != nil || b.String() != printable.Text(text+"\n") {
			t.Errorf("written: %q, %v", b.String(), err)
		}
		raw := jsontest.Encode(t, text)
		var before, after string
		if json.Unmarshal(raw, &before) != nil || json.Unmarshal([]byte(printable.Text(string(raw))), &after) != nil {
			t.Fatalf("%s is no JSON", raw)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("(-JSON +printed):\n%s", diff)
		}
	})
}
