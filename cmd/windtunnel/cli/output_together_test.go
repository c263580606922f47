// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

func TestFilesAreWrittenTogether(t *testing.T) {
	for name, tc := range map[string]struct {
		files []string
		want  map[string]string
	}{
		"all":                          {[]string{"old", "new"}, map[string]string{"old": "2", "new": "2"}},
		"not where one is a folder":    {[]string{"old", "new", "folder"}, map[string]string{"old": "1"}},
		"not where a folder is absent": {[]string{"old", "new", "absent/file"}, map[string]string{"old": "1"}},
		"not where one is put no more": {[]string{"old", "new", "twice", "twice"}, map[string]string{"old": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			testfile.Write(t, filepath.Join(folder, "old"), []byte("1"))
			if err := os.Mkdir(filepath.Join(folder, "folder"), 0o755); err != nil {
				t.Fatal(err)
			}
			var files []cli.FileContent
			for _, name := range tc.files {
				files = append(files, cli.FileContent{Name: filepath.Join(folder, name), Content: "2"})
			}
			err := cli.WriteTogether(files)
			if written := len(tc.want) == len(tc.files); (err == nil) != written {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(tc.want, cmdtest.ContentsIn(t, folder)); diff != "" {
				t.Errorf("(−want +got):\n%s", diff)
			}
			if info, err := os.Stat(filepath.Join(folder, "old")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

func TestALinkStaysALink(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	testfile.Write(t, file, []byte("1"))
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := cli.WriteTogether([]cli.FileContent{{Name: link, Content: "2"}}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if diff := cmp.Diff(map[string]string{"file": "2", "link": "2"}, cmdtest.ContentsIn(t, folder)); diff != "" {
		t.Errorf("(−want +got):\n%s", diff)
	}
}
