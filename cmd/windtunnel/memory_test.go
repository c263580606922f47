// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// thereIs has the process told that there is so much memory.
func thereIs(t *testing.T, mebibytes int64) {
	t.Helper()
	before := debug.SetMemoryLimit(mebibytes << 20)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
}

// TestMemoryIsCheckedBeforehand: little too much is a warning, much too much is not
// started, and neither is bad input.
func TestMemoryIsCheckedBeforehand(t *testing.T) {
	folder := writeFiles(t, map[string]string{"sweep.yaml": tinySweepOf("a", "2"), "epp.yaml": smallPicker})
	sweep := []string{"sweep", "-f", filepath.Join(folder, "sweep.yaml"), "--parallelism", "1"}
	run := []string{"run", "-f", "testdata/run.yaml", "--name", "small", "--parallelism", "1"}
	for name, tc := range map[string]struct {
		args      []string
		mebibytes int64
		code      int
		stderr    string
		err       string
	}{
		"enough for a run":       {run, 4096, exitOK, "", ""},
		"a little less":          {run, 60, exitOK, "windtunnel: warning: SimulationRun small may take about 87 MiB", ""},
		"much too little":        {run, 20, exitFailed, "", "SimulationRun small: not started: it would take about 87 MiB"},
		"enough for a sweep":     {sweep, 4096, exitOK, "", ""},
		"a little less for it":   {sweep, 100, exitOK, "MiB of memory, but 100 MiB are available (GOMEMLIMIT): reduce --parallelism (1), the points, the seeds or the replicas", ""},
		"much too little for it": {sweep, 20, exitFailed, "", "PolicySweep a: not started: it would take about 1"},
	} {
		t.Run(name, func(t *testing.T) {
			thereIs(t, tc.mebibytes)
			root := newRootCommand()
			var stdout, stderr strings.Builder
			root.SetOut(&stdout)
			root.SetErr(&stderr)
			root.SetArgs(tc.args)
			err := root.ExecuteContext(t.Context())
			if exitCode(err) != tc.code || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("exit code %d, %v; want %d and %q", exitCode(err), err, tc.code, tc.err)
			}
			if got := stderr.String(); !strings.Contains(got, tc.stderr) || (tc.stderr == "") != (got == "") {
				t.Errorf("standard error %q, want %q", got, tc.stderr)
			}
			if (stdout.Len() == 0) != (tc.code == exitFailed) {
				t.Errorf("it prints %q", stdout.String())
			}
		})
	}
}

func TestAvailableMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal: 9000 kB\nMemAvailable:    2048 kB\nSwapFree:  1024 kB\n": 3 << 20,
		"MemAvailable: 2048 kB": 2 << 20,
		"MemTotal: 9000 kB":     0,
		"MemAvailable: much kB": 0,
	} {
		file := filepath.Join(t.TempDir(), "meminfo")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, ok := availableBytes(file)
		if ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, ok, want)
		}
	}
	if _, ok := availableBytes("testdata/none"); ok {
		t.Error("a machine without such a file has memory")
	}
}

func TestMemoryOfCgroups(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  int64 // 0 is no limit
	}{
		"none":                   {map[string]string{"self": "0::/a/b\n"}, 0},
		"no limit":               {map[string]string{"self": "0::/a\n", "a/memory.max": "max\n"}, 0},
		"its own":                {map[string]string{"self": "0::/a/b\n", "a/b/memory.max": "1000\n"}, 1000},
		"one above":              {map[string]string{"self": "0::/a/b\n", "a/memory.max": "500\n", "a/b/memory.max": "1000\n"}, 500},
		"of a container":         {map[string]string{"self": "0::/\n", "memory.max": "700\n"}, 700},
		"of version 1":           {map[string]string{"self": "4:memory:/x\n", "memory/memory.limit_in_bytes": "800\n"}, 800},
		"of version 1, no limit": {map[string]string{"self": "4:memory:/x\n", "memory/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for file, text := range tc.files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got, ok := cgroupBytes(root, filepath.Join(root, "self"))
			if ok != (tc.want > 0) || ok && got != tc.want {
				t.Errorf("%d, %v; want %d", got, ok, tc.want)
			}
		})
	}
}
