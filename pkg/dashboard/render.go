// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

//go:embed templates
var templates embed.FS

//go:embed assets
var assets embed.FS

// parsed returns a template that is read on first use: most commands print no page.
func parsed(files ...string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		return template.Must(template.ParseFS(templates, files...))
	})
}

// framed is a template within the frame of all pages.
func framed(name string) func() *template.Template {
	return parsed("templates/layout.html.tmpl", "templates/"+name+".html.tmpl")
}

var (
	listTemplate    = framed("list")
	statusTemplate  = framed("status")
	pointsTemplate  = framed("points")
	pointTemplate   = framed("point")
	seedTemplate    = framed("seed")
	requestTemplate = framed("request")
	compareTemplate = framed("compare")
	sorryTemplate   = framed("sorry")
	loginTemplate   = framed("login")
	aboveTemplate   = parsed("templates/above.html.tmpl")
)

// layout is what the frame of all pages reads.
type layout struct {
	Title, About, Reader string
	// Events is where the page hears of changes, and Since the version that it shows; "" if it has
	// nothing that changes.
	Events, Since string
	// Trail are the pages above this one.
	Trail []link
	// CanLogOut says that the page has a button for it.
	CanLogOut bool
}

// link is a page by its name.
type link struct{ Name, Path string }

func (v *view) layout(title, events string) layout {
	l := layout{Title: title, Events: events, About: v.About, CanLogOut: v.Login != nil && v.reader != nil}
	if v.reader != nil {
		l.Reader = v.reader.Name()
	}
	if v.object != nil {
		l.Trail = []link{{"Runs and sweeps", "/"}}
	}
	return l
}

// render writes a page, or nothing if the template has a fault.
func (v *view) render(t *template.Template, data any) error {
	return v.renderStatus(http.StatusOK, t, data)
}

func (v *view) renderStatus(status int, t *template.Template, data any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	v.ResponseWriter.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.WriteHeader(status)
	_, _ = b.WriteTo(printable.NewWriter(v.ResponseWriter)) // the reader may be gone
	return nil
}

// sorry says why there is no page.
func (v *view) sorry(status int, title, text string) {
	// The trail would say that the object is there.
	v.object = nil
	data := struct {
		layout
		Text string
	}{v.layout(title, ""), text}
	if err := v.renderStatus(status, sorryTemplate(), data); err != nil {
		v.Log.Error(err, "A page failed", "path", v.URL.Path)
	}
}

// serveAsset serves the style and the script.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
	text, err := assets.ReadFile("assets/" + path.Base(name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if name == "dashboard.css" {
		text = append([]byte(page.Style()), text...)
	}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	_, _ = w.Write(text) // the reader may be gone
}

// valueText is a value of a status with its unit.
func valueText(metric, text string) string {
	return measured(metric, text, func(_ result.Unit, x float64) float64 { return x })
}

// lowText is the lower end of an interval of a status with its unit.
func lowText(metric, text string) string { return measured(metric, text, result.Unit.LowEnd) }

// measured is what is made of a value of a status, with its unit; the text itself if the metric is not known.
func measured(metric, text string, of func(result.Unit, float64) float64) string {
	m, errs := result.ParseMetric(strings.TrimSpace(metric), nil)
	x, err := strconv.ParseFloat(text, 64)
	if len(errs) > 0 || err != nil {
		return text
	}
	return figureText(result.Of(m), of(m.Unit(), x))
}

// figureText is a figure with few digits and its unit.
func figureText(m result.Measure, x float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
	if err != nil {
		rounded = x
	}
	return m.Unit().Text(rounded)
}
