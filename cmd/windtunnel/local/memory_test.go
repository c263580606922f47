// SPDX-License-Identifier: Apache-2.0

package local

import (
	"os"
	"path/filepath"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func TestAvailableMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal: 9000 kB\nMemAvailable:    2048 kB\nSwapFree:  1024 kB\n": 3 << 20,
		"MemAvailable: 2048 kB": 2 << 20,
		"MemTotal: 9000 kB":     0,
		"MemAvailable: much kB": 0,
	} {
		file := filepath.Join(t.TempDir(), "meminfo")
		testfile.Write(t, file, []byte(text))
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
				testfile.Write(t, path, []byte(text))
			}
			got, ok := cgroupBytes(root, filepath.Join(root, "self"))
			if ok != (tc.want > 0) || ok && got != tc.want {
				t.Errorf("%d, %v; want %d", got, ok, tc.want)
			}
		})
	}
}
