// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"windtunnel.dev/windtunnel/internal/printable"
)

//go:embed assets/echarts.js
var charts []byte

//go:embed script
var scripts embed.FS

// app is the script that draws the charts: the files in the order in which they need each other.
var app = sync.OnceValue(func() []byte { return joined("common", "sweep", "series", "run", "start") })

// joined returns files of the script after each other.
func joined(names ...string) []byte {
	var all []byte
	for _, name := range names {
		text, err := scripts.ReadFile("script/" + name + ".js")
		if err != nil {
			panic(err)
		}
		all = append(all, text...)
	}
	return all
}

//go:embed style.css
var style string

// policy is the content security policy of a page: its own scripts by their digests, and nothing
// from elsewhere. Tooltips of charts set styles of their own, so styles have no digest.
var policy = sync.OnceValue(func() string {
	return fmt.Sprintf(
		"default-src 'none'; script-src %s %s; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
		scriptDigest(charts), scriptDigest(app()))
})

// Policy returns the content security policy of pages, for servers that send it as a header, too.
func Policy() string { return policy() }

// Style returns the style of pages, for other pages that look like them.
func Style() string { return style }

// scriptDigest is the digest of a script as a policy has it: of all bytes between the tags.
func scriptDigest(script []byte) string {
	sum := sha256.Sum256(script)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// parsed returns a template of this package, with the charts of time series, that is read on first use.
func parsed(name, text string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		t := template.New(name).Funcs(template.FuncMap{"parts": parts, "joined": joinedFigure})
		return template.Must(template.Must(t.Parse(text)).Parse(seriesText))
	})
}

// figureBreaks are the places of a figure at which a line must not break: next to its margin and its unit.
var figureBreaks = strings.NewReplacer("± ", "±\u00a0", " %", "\u00a0%", " ms", "\u00a0ms")

// joinedFigure is a figure of a table that may break before its margin only. Tables in a fixed-width font
// have it with spaces around it.
func joinedFigure(text string) string { return figureBreaks.Replace(strings.TrimSpace(text)) }

// parts are those of a name after which a line may break.
func parts(name string) []string { return strings.SplitAfter(name, ".") }

// write writes a page: what the template makes of a view, then the scripts. Nothing is written
// if the template has a fault.
func write(w io.Writer, t *template.Template, view any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, view); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	for _, script := range [][]byte{charts, app()} {
		b.WriteString("<script>")
		b.Write(script)
		b.WriteString("</script>\n")
	}
	b.WriteString("</body>\n</html>\n")
	_, err := b.WriteTo(printable.NewWriter(w))
	return err
}
