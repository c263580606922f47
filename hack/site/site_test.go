// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// The documentation has neither a dead link, in Markdown or on the site, nor a row outside of its table.
func TestTheDocumentationHasNoDeadLinkOrBrokenTable(t *testing.T) {
	s, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.render()
	if err != nil {
		t.Fatal(err)
	}
	checkLinks(t, files)
}

var (
	reference  = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	identifier = regexp.MustCompile(` id="([^"]*)"`)
)

// checkLinks looks up each link of each page among the files of the site.
func checkLinks(t *testing.T, files map[string][]byte) {
	t.Helper()
	count := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) != ".html" {
			continue
		}
		for _, match := range reference.FindAllStringSubmatch(string(files[name]), -1) {
			link := match[1]
			if strings.Contains(link, ":") {
				continue // another site, or data
			}
			count++
			link, err := url.PathUnescape(link)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			to, fragment, _ := strings.Cut(link, "#")
			at := path.Join(path.Dir(name), to)
			if to == "" {
				at = name
			}
			switch raw, found := files[at]; {
			case !found:
				t.Errorf("%s: %s leads nowhere", name, link)
			case fragment != "" && !hasID(raw, fragment):
				t.Errorf("%s: %s leads to no heading", name, link)
			}
		}
	}
	if count == 0 {
		t.Error("the site has no link")
	}
}

func hasID(raw []byte, id string) bool {
	for _, match := range identifier.FindAllStringSubmatch(string(raw), -1) {
		if match[1] == id {
			return true
		}
	}
	return false
}

// small is a repository with the pages of the list of contents.
func small(change map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	put := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	for _, name := range first {
		put(name, "# Page\n")
	}
	put("docs/README.md", "# Documentation\n")
	for _, c := range contents {
		for _, name := range c.names {
			put("docs/"+name+".md", "# Page: "+name+"\n")
		}
	}
	put("docs/adr/0001-one.md", "# 1. One\n")
	put("config/a.yaml", "a: <b>\n")
	put("config/more/b.yaml", "b: 1\n")
	put("docs/picture.svg", "<svg/>")
	for name, text := range change {
		put(name, text)
	}
	return files
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	cases := map[string]struct {
		change map[string]string
		want   string
	}{
		"a page that is not there": {
			map[string]string{"docs/api.md": "# API\n\nSee [it](nothing.md).\n"}, "docs/api.md:3: there is no docs/nothing.md",
		},
		"a heading that is not there": {
			map[string]string{"docs/api.md": "# API\n[it](sweeps.md#seeds)\n"}, "docs/api.md:2: docs/sweeps.md has no heading #seeds",
		},
		"a heading of the same page": {
			map[string]string{"docs/api.md": "# API\n[it](#fields)\n"}, "docs/api.md:2: docs/api.md has no heading #fields",
		},
		"a picture that is not there": {
			map[string]string{"docs/api.md": "# API\n![it](it.svg)\n"}, "docs/api.md:2: there is no docs/it.svg",
		},
		"a link that leaves the repository": {
			map[string]string{"docs/api.md": "# API\n[it](../../it.md)\n"}, "docs/api.md:2: there is no ../it.md",
		},
		"a row after an empty line": {
			map[string]string{"docs/api.md": "# API\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n"}, "docs/api.md:7: a row outside of a table",
		},
		"a table without a header": {
			map[string]string{"docs/api.md": "# API\n\n|---|---|\n| 1 | 2 |\n"}, "docs/api.md:3: a row outside of a table",
		},
		"a cell too many": {
			map[string]string{"docs/api.md": "# API\n\n- item\n\n  | a | b |\n  |---|---|\n  | 1 | `x|y` |\n"}, "docs/api.md:7: a row of 3 cells in a table of 2 columns",
		},
		"a cell too few": {
			map[string]string{"docs/api.md": "# API\n\n| a | b |\n|---|---|\n| 1 |\n"}, "docs/api.md:5: a row of 1 cells in a table of 2 columns",
		},
		"a page without a title": {
			map[string]string{"docs/api.md": "## API\n"}, "docs/api.md does not begin with a title",
		},
		"a page that no chapter has": {
			map[string]string{"docs/new.md": "# New\n"}, "contents.go lists docs/new.md 0 times, want once",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := load(small(c.change))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestAllFaultsAreReported(t *testing.T) {
	_, err := load(small(map[string]string{"docs/api.md": "# API\n[a](a.md) and [b](b.md)\n", "docs/new.md": "# New\n"}))
	for _, want := range []string{"docs/a.md", "docs/b.md", "docs/new.md"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a fault about %s", err, want)
		}
	}
}

// Bars in code blocks, and bars after a backslash, are no faults.
func TestSoundTablesAreAccepted(t *testing.T) {
	_, err := load(small(map[string]string{
		"docs/api.md": "# API\n\n| | |\n|---|---|\n| 1 | `x\\|y` |\n| 2 | |\n\n```\n| a |\n\n| b |\n```\n",
	}))
	if err != nil {
		t.Error(err)
	}
}

func TestHeadingsHaveTheAnchorsOfGitHub(t *testing.T) {
	p, err := parse("a.md", []byte("# values.yaml in, values.yaml out\n\n## `spec.trace` and *more*\n\n## Twice\n\n## Twice\n\n## K & R – über\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range p.headings {
		got = append(got, h.id)
	}
	want := []string{"valuesyaml-in-valuesyaml-out", "spectrace-and-more", "twice", "twice-1", "k--r--über"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLinkedFilesAndFoldersArePages(t *testing.T) {
	s, err := load(small(map[string]string{
		"docs/api.md": "# API\n[one](../config/a.yaml), [all](../config), [decisions](adr), ![picture](picture.svg)\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.render()
	if err != nil {
		t.Fatal(err)
	}
	checkLinks(t, files)
	for name, want := range map[string]string{
		"files/config/a.yaml.html":      "a: &lt;b&gt;",
		"files/config/index.html":       `<a href="more/index.html">more</a>`,
		"files/config/more/b.yaml.html": "b: 1",
		"files/docs/adr/index.html":     `<a href="../../../docs/adr/0001-one.html">1. One</a>`,
		"docs/picture.svg":              "<svg/>",
	} {
		if !strings.Contains(string(files[name]), want) {
			t.Errorf("%s lacks %s", name, want)
		}
	}
}

func TestPagesHaveNoHTMLOfTheirOwn(t *testing.T) {
	s, err := load(small(map[string]string{"docs/api.md": "# API <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>\n\n`<b>`\n"}))
	if err != nil {
		t.Fatal(err)
	}
	files, err := s.render()
	if err != nil {
		t.Fatal(err)
	}
	page := string(files["docs/api.html"])
	for _, bad := range []string{"<img", "alert(1)</script>", "<b>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
}

func TestTheSearchHasEachSection(t *testing.T) {
	s, err := load(small(map[string]string{
		"docs/api.md": "<!-- generated -->\n# API\n\nIntro *text*.\n\n## Fields\n\n| a | b |\n|--|--|\n| c | d |\n\n```sh\nrun it\n```\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := s.index()
	if err != nil {
		t.Fatal(err)
	}
	var all []section
	list := strings.TrimSuffix(strings.TrimPrefix(string(raw), "globalThis.sections = "), ";\n")
	if err := json.Unmarshal([]byte(list), &all); err != nil {
		t.Fatal(err)
	}
	for _, want := range []section{
		{Link: "docs/api.html", Page: "API", Title: "API", Text: "Intro text."},
		{Link: "docs/api.html#fields", Page: "API", Title: "Fields", Text: "a b c d run it"},
	} {
		if !slices.Contains(all, want) {
			t.Errorf("the search lacks %+v", want)
		}
	}
}

func TestWritingReplacesTheSite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dist", "site")
	for _, text := range []string{"# One\n", "# Two\n"} {
		s, err := load(small(map[string]string{"README.md": text}))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.write(out); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil || !strings.Contains(string(raw), "Two</h1>") {
		t.Errorf("the first page is not the new one (%v)", err)
	}
	left, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the site there are %v (%v)", left, err)
	}
}
