// SPDX-License-Identifier: Apache-2.0

package parquetfile

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"windtunnel.dev/windtunnel/internal/testdata"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// plainSchema is what a program that reads our files must know: optional numbers, texts, and a list
// in the three levels of the Parquet specification.
const plainSchema = `message ParquetRow {
	optional int64 arrival_ns (INT(64,true));
	optional int64 delay_ns (INT(64,true));
	optional int64 input_tokens (INT(64,true));
	optional int64 output_tokens (INT(64,true));
	required group blocks (LIST) {
		repeated group list {
			required int64 element (INT(64,false));
		}
	}
	optional binary session (STRING);
	optional binary tenant (STRING);
	optional binary class (STRING);
	optional int64 priority (INT(64,true));
	optional binary model (STRING);
	optional binary adapter (STRING);
}`

func TestOurFilesHaveAPlainSchema(t *testing.T) {
	ours := smallFiles(t)["ours"]
	file, err := parquet.OpenFile(bytes.NewReader(ours), int64(len(ours)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plainSchema, file.Schema().String()); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

// Files of other programs, which are no traces, pass the checks of pages and footers.
func TestPublishedFilesPassTheChecks(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testdata.Dir(t), "traces", "aiconfigurator-ops", "*", "*.parquet"))
	if err != nil || len(paths) == 0 {
		t.Skipf("the open data sets have no Parquet files here: %v", err)
	}
	for _, path := range paths {
		raw := testfile.Read(t, path)
		in, size := bytes.NewReader(raw), int64(len(raw))
		if err := checkFooter(in, size); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		file, err := parquet.OpenFile(in, size)
		if err != nil {
			t.Fatal(err)
		}
		pages := newPageChecker(in, size)
		for _, leaf := range file.Root().Columns() {
			c := &column{name: leaf.Name(), repetitions: leaf.MaxRepetitionLevel(), definitions: leaf.MaxDefinitionLevel()}
			for _, group := range file.Metadata().RowGroups {
				if err := pages.check(c, &group.Columns[leaf.Index()].MetaData); err != nil {
					t.Errorf("%s: %s of %s: %v", path, leaf.Name(), file.Metadata().CreatedBy, err)
				}
			}
		}
		t.Logf("%s: %d columns of %s", filepath.Base(path), len(file.Root().Columns()), file.Metadata().CreatedBy)
	}
}
