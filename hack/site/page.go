// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdown is that of GitHub, where most people read the pages.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// A page is a Markdown file.
type page struct {
	// name is the path of the file below the root of the repository.
	name   string
	source []byte
	tree   ast.Node
	title  string
	// headings are in the order of the page.
	headings []heading
}

type heading struct {
	level int
	id    string
	text  string
}

// parse reads a Markdown file, which must begin with one title.
func parse(name string, source []byte) (*page, error) {
	p := &page{name: name, source: source}
	context := parser.NewContext(parser.WithIDs(&ids{used: map[string]int{}}))
	p.tree = markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	for n := range children(p.tree) {
		h, is := n.(*ast.Heading)
		if !is {
			continue
		}
		id, _ := h.AttributeString("id")
		p.headings = append(p.headings, heading{level: h.Level, id: string(id.([]byte)), text: plain(h, source)})
	}
	if len(p.headings) == 0 || p.headings[0].level != 1 {
		return nil, fmt.Errorf("%s does not begin with a title", name)
	}
	p.title = p.headings[0].text
	return p, nil
}

// path is where the site has the page.
func (p *page) path() string { return pagePath(p.name) }

func pagePath(name string) string {
	folder, file := path.Split(name)
	if file == "README.md" {
		return folder + "index.html"
	}
	return folder + strings.TrimSuffix(file, ".md") + ".html"
}

// label is the title without what follows a colon, for lists of pages.
func (p *page) label() string {
	label, _, _ := strings.Cut(p.title, ": ")
	return label
}

// has reports whether the page has a heading with the identifier.
func (p *page) has(id string) bool {
	for _, h := range p.headings {
		if h.id == id {
			return true
		}
	}
	return false
}

// children gives the children of a node.
func children(n ast.Node) func(func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if !yield(c) {
				return
			}
		}
	}
}

// plain is the text below a node, without marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock || n.Kind() == east.KindTableCell {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(source))
		case *ast.CodeBlock:
			b.Write(n.Lines().Value(source))
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// ids makes the identifiers of headings as GitHub does: letters, digits, hyphens and
// underscores stay, in lower case; spaces become hyphens; a repetition gets a number.
type ids struct{ used map[string]int }

func (i *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	id := slug(string(value))
	n, repeated := i.used[id]
	i.used[id] = n + 1
	if repeated {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

func (i *ids) Put(value []byte) { i.used[string(value)]++ }

func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}, strings.TrimSpace(heading))
}
