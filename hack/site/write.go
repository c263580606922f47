// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed layout.html.tmpl
var layoutText string

//go:embed style.css
var styleText []byte

//go:embed search.js
var searchText []byte

var layout = template.Must(template.New("layout").Parse(layoutText))

// A view is what the layout shows.
type view struct {
	Title string
	// Root is the path from the page to the root of the site: "" or a number of "../".
	Root  string
	Menus []menu
	// Sections are the headings of the second level.
	Sections []entry
	Body     template.HTML
	// Home is whether this is the first page.
	Home bool
}

// write replaces a folder by the site. The new content is written next to it first, so that a
// fault leaves the old site.
func (s *site) write(folder string) error {
	files, err := s.render()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(filepath.Dir(folder), ".site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	for name, raw := range files {
		to := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, raw, 0o644); err != nil {
			return err
		}
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return os.Rename(fresh, folder)
}

// render returns the files of the site by their paths.
func (s *site) render() (map[string][]byte, error) {
	files := map[string][]byte{"site.css": styleText, "search.js": searchText}
	index, err := s.index()
	if err != nil {
		return nil, err
	}
	files["sections.js"] = index
	for _, p := range s.pages {
		if files[p.path()], err = s.renderPage(p); err != nil {
			return nil, err
		}
	}
	for _, name := range s.files {
		if err := s.renderFile(files, name); err != nil {
			return nil, err
		}
	}
	for _, name := range s.folders {
		if err := s.renderFolder(files, name); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func (s *site) renderPage(p *page) ([]byte, error) {
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, p.source, p.tree); err != nil {
		return nil, err
	}
	// The renderer leaves out all HTML that a page may have, and escapes the rest.
	v := view{Title: p.title, Body: template.HTML(scrollable(body.String())), Home: p.name == "README.md"} //nolint:gosec // see above
	for _, h := range p.headings {
		if h.level == 2 {
			v.Sections = append(v.Sections, entry{Label: h.text, Link: "#" + h.id})
		}
	}
	return s.renderView(p.path(), v)
}

// scrollable lets tables and code scroll on narrow screens, by keyboard too.
func scrollable(body string) string {
	body = strings.ReplaceAll(body, "<pre><code", `<pre tabindex="0"><code`)
	body = strings.ReplaceAll(body, "<table>", `<div class="scroll" tabindex="0" role="group" aria-label="table"><table>`)
	return strings.ReplaceAll(body, "</table>", "</table></div>")
}

var fileBody = template.Must(template.New("file").Parse(`<h1>{{.Name}}</h1>
<pre tabindex="0"><code>{{.Text}}</code></pre>
`))

func (s *site) renderFile(files map[string][]byte, name string) error {
	raw, err := fs.ReadFile(s.root, name)
	if err != nil {
		return err
	}
	if isPicture(name) {
		files[name] = raw
		return nil
	}
	return s.renderTemplate(files, "files/"+name+".html", name, fileBody, struct{ Name, Text string }{name, string(raw)})
}

var folderBody = template.Must(template.New("folder").Parse(`<h1>{{.Name}}</h1>
<ul>
{{- range .Entries}}
<li><a href="{{.Link}}">{{.Label}}</a></li>
{{- end}}
</ul>
`))

func (s *site) renderFolder(files map[string][]byte, name string) error {
	at := "files/" + name + "/index.html"
	entries, err := fs.ReadDir(s.root, name)
	if err != nil {
		return err
	}
	var links []entry
	for _, e := range entries {
		to, err := s.add(path.Join(name, e.Name()), e.IsDir())
		if err != nil {
			return err
		}
		label := e.Name()
		if p := s.byName[path.Join(name, e.Name())]; p != nil {
			label = p.title
		}
		links = append(links, entry{Label: label, Link: relative(at, to)})
	}
	return s.renderTemplate(files, at, name, folderBody, struct {
		Name    string
		Entries []entry
	}{name, links})
}

func (s *site) renderTemplate(files map[string][]byte, at, title string, t *template.Template, data any) error {
	var body bytes.Buffer
	if err := t.Execute(&body, data); err != nil {
		return err
	}
	raw, err := s.renderView(at, view{Title: title, Body: template.HTML(body.String())}) //nolint:gosec // a template wrote it
	files[at] = raw
	return err
}

func (s *site) renderView(at string, v view) ([]byte, error) {
	v.Root = strings.Repeat("../", strings.Count(at, "/"))
	v.Menus = s.menus(at)
	var b bytes.Buffer
	err := layout.Execute(&b, v)
	return b.Bytes(), err
}
