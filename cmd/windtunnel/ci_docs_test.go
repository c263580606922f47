// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// forge answers as the APIs of GitHub and GitLab do, on comments and check runs.
type forge struct {
	mu       sync.Mutex
	comments []comment
	checks   []map[string]any
	requests []string
	broken   bool
}

// comment is one of a person or of the pipeline; both APIs have the same fields for these.
type comment struct {
	ID     int               `json:"id"`
	Body   string            `json:"body"`
	User   map[string]string `json:"user"`
	Author map[string]int    `json:"author"`
}

func byPipeline(id int, body string) comment {
	return comment{ID: id, Body: body, User: map[string]string{"login": "github-actions[bot]"}, Author: map[string]int{"id": 7}}
}

func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.Method+" "+r.URL.String())
	if f.broken || r.Header.Get("Authorization") != "Bearer s3cret" && r.Header.Get("PRIVATE-TOKEN") != "s3cret" {
		http.Error(w, "{}", http.StatusUnauthorized)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var body map[string]any
	_ = json.Unmarshal(raw, &body)
	text, _ := body["body"].(string)
	last := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	switch {
	case last == "user":
		fmt.Fprint(w, `{"id": 7}`)
	case last == "check-runs":
		f.checks = append(f.checks, body)
		fmt.Fprint(w, "{}")
	case r.Method == http.MethodGet:
		f.list(w, r)
	case r.Method == http.MethodPost:
		f.comments = append(f.comments, byPipeline(1000+len(f.comments), text))
		fmt.Fprint(w, "{}")
	default:
		for i := range f.comments {
			if fmt.Sprint(f.comments[i].ID) == last {
				f.comments[i].Body = text
			}
		}
		fmt.Fprint(w, "{}")
	}
}

// list writes a page of comments.
func (f *forge) list(w http.ResponseWriter, r *http.Request) {
	var page, size int
	_, _ = fmt.Sscan(r.URL.Query().Get("page"), &page)
	_, _ = fmt.Sscan(r.URL.Query().Get("per_page"), &size)
	from := min((page-1)*size, len(f.comments))
	_ = json.NewEncoder(w).Encode(append([]comment{}, f.comments[from:min(from+size, len(f.comments))]...))
}

// own are the comments of the pipeline.
func (f *forge) own() []comment {
	var own []comment
	for _, c := range f.comments {
		if c.Author["id"] == 7 {
			own = append(own, c)
		}
	}
	return own
}

// pipeline runs a script of docs/ci with a stub of windtunnel that ends with a code, and returns
// the exit code of the script.
func (f *forge) pipeline(t *testing.T, script string, code int, more ...string) int {
	t.Helper()
	folder, server := t.TempDir(), httptest.NewServer(f)
	defer server.Close()
	stub := fmt.Sprintf("#!/bin/sh\n[ %d -eq 2 ] || printf '# Report \"of\" %d\\n' >report.md\nexit %d\n", code, code, code)
	if err := os.WriteFile(filepath.Join(folder, "windtunnel"), []byte(stub), 0o700); err != nil {
		t.Fatal(err)
	}
	raw := testfile.Read(t, "../../docs/ci/"+script)
	testfile.Write(t, filepath.Join(folder, script), raw)
	cmd := exec.Command("sh", script, "sweep.yaml")
	cmd.Dir = folder
	cmd.Env = append([]string{
		"PATH=" + folder + ":" + os.Getenv("PATH"), "GITHUB_API_URL=" + server.URL, "GITHUB_REPOSITORY=a/b", "GITHUB_TOKEN=s3cret", "PULL_REQUEST=5", "HEAD_SHA=abc",
		"CI_API_V4_URL=" + server.URL, "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=5", "WINDTUNNEL_GITLAB_TOKEN=s3cret",
	}, more...)
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), "s3cret") {
		t.Errorf("the output has the token:\n%s", out)
	}
	return cmd.ProcessState.ExitCode()
}

func needPrograms(t *testing.T) {
	t.Helper()
	for _, program := range []string{"sh", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s, which the script runs", program)
		}
	}
}

// What a pipeline ends with for each exit code of the sweep, and what its check says.
func TestPipelinesEndWithTheVerdict(t *testing.T) {
	needPrograms(t)
	for name, tc := range map[string]struct {
		script     string
		code, want int
		more       []string
		conclusion string
	}{
		"GitHub, pass":                    {script: "github.sh", code: 0, want: 0, conclusion: "success"},
		"GitHub, fail":                    {script: "github.sh", code: 1, want: 1, conclusion: "failure"},
		"GitHub, bad input":               {script: "github.sh", code: 2, want: 2},
		"GitHub, too little evidence":     {script: "github.sh", code: 3, want: 0, conclusion: "neutral"},
		"GitHub, evidence that is needed": {script: "github.sh", code: 3, want: 0, more: []string{"UNDECIDED=action_required"}, conclusion: "action_required"},
		"GitLab, pass":                    {script: "gitlab.sh", code: 0, want: 0},
		"GitLab, fail":                    {script: "gitlab.sh", code: 1, want: 1},
		"GitLab, bad input":               {script: "gitlab.sh", code: 2, want: 2},
		"GitLab, too little evidence":     {script: "gitlab.sh", code: 3, want: 3},
	} {
		t.Run(name, func(t *testing.T) {
			f := &forge{}
			if got := f.pipeline(t, tc.script, tc.code, tc.more...); got != tc.want {
				t.Errorf("exit code %d, want %d", got, tc.want)
			}
			switch {
			case tc.conclusion == "" && len(f.checks) > 0:
				t.Errorf("there are checks: %v", f.checks)
			case tc.conclusion != "" && (len(f.checks) != 1 || f.checks[0]["conclusion"] != tc.conclusion || f.checks[0]["head_sha"] != "abc"):
				t.Errorf("the checks are %v, want %s", f.checks, tc.conclusion)
			}
			if want := map[bool]int{true: 0, false: 1}[tc.code == 2]; len(f.comments) != want {
				t.Errorf("%d comments, want %d", len(f.comments), want)
			}
		})
	}
}

// A pull request with many comments has one of the pipeline, which each run replaces.
func TestPipelinesWriteOneComment(t *testing.T) {
	needPrograms(t)
	for _, script := range []string{"github.sh", "gitlab.sh"} {
		t.Run(script, func(t *testing.T) {
			f := &forge{}
			for i := range 205 {
				f.comments = append(f.comments, comment{ID: i, Body: "<!-- windtunnel -->\nof another user", User: map[string]string{"login": "eve"}, Author: map[string]int{"id": 1}})
			}
			f.comments = append(f.comments, byPipeline(900, "of another job"))
			for run, code := range []int{1, 0, 1} {
				f.pipeline(t, script, code)
				own := f.own()
				want := fmt.Sprintf("<!-- windtunnel -->\n# Report \"of\" %d\n", code)
				if len(own) != 2 || own[0].Body != "of another job" || own[1].Body != want {
					t.Errorf("after run %d: %+v, want %q", run, own, want)
				}
			}
			for _, r := range f.requests {
				if strings.Contains(r, "s3cret") {
					t.Errorf("a URL has the token: %s", r)
				}
			}
			for _, c := range f.comments[:205] {
				if !strings.HasSuffix(c.Body, "of another user") {
					t.Errorf("a comment of another user is %q", c.Body)
				}
			}
		})
	}
}

// A pipeline that cannot write its comment does not pass.
func TestPipelinesFailWithTheAPI(t *testing.T) {
	needPrograms(t)
	for _, script := range []string{"github.sh", "gitlab.sh"} {
		if got := (&forge{broken: true}).pipeline(t, script, 0); got == 0 {
			t.Errorf("%s passes without a comment", script)
		}
	}
}

// The sweep of the pipelines judges a good file and a bad one.
func TestTheSweepOfThePipelines(t *testing.T) {
	folder := t.TempDir()
	manifest := cmdtest.TextOf(t, "../../docs/ci/sweep.yaml")
	file := func(prefix string) string {
		return "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n- type: kv-cache-utilization-scorer\n- type: prefix-cache-scorer\nschedulingProfiles:\n" +
			"- name: default\n  plugins:\n  - {pluginRef: queue-scorer, weight: 2}\n  - {pluginRef: kv-cache-utilization-scorer, weight: 2}\n  - {pluginRef: prefix-cache-scorer, weight: " + prefix + "}\n"
	}
	for name, text := range map[string]string{"sweep.yaml": manifest, "before.yaml": file("3"), "epp.yaml": file("0")} {
		testfile.Write(t, filepath.Join(folder, name), []byte(text))
	}
	if _, err := windtunnel(t, "sweep", "-f", filepath.Join(folder, "sweep.yaml")); cli.ExitCode(err) != 1 {
		t.Errorf("a scorer of prefixes without weight: %v, want exit code 1", err)
	}
	testfile.Write(t, filepath.Join(folder, "epp.yaml"), []byte(file("3")))
	if _, err := windtunnel(t, "sweep", "-f", filepath.Join(folder, "sweep.yaml")); cli.ExitCode(err) != 0 {
		t.Errorf("the same file: %v, want exit code 0", err)
	}
}
