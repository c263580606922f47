// SPDX-License-Identifier: Apache-2.0

package trace_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// The header of a text is refused as the whole text is, and from its first line alone.
func TestHeadersAreCheckedAsTracesAre(t *testing.T) {
	withHeader := []trace.Format{trace.Azure, trace.BurstGPT, trace.GenericCSV, trace.TraceV2, trace.Vidur, trace.Windtunnel}
	for _, f := range trace.Formats() {
		for name, text := range map[string]string{"a row": "x,y\n1,2\n", "no text": "", "a long line": strings.Repeat("x,", 1<<20)} {
			_, want := trace.ReadWith(f, readOptions(f), strings.NewReader(text), "t")
			if !slices.Contains(withHeader, f) || text == "" {
				want = nil
			}
			if err := trace.CheckHeader(f, readOptions(f), strings.NewReader(text), "t"); fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("%s, %s: got %v, want %v: withHeader lists the formats whose first line is no row", f, name, err, want)
			}
		}
	}
	for _, f := range textFormats() {
		text, o := goodFile(t, f)
		rest := &endless{}
		if err := trace.CheckHeader(f, o, io.MultiReader(strings.NewReader(text), rest), "t"); err != nil || rest.read > 1<<20 {
			t.Errorf("%s: %v after %d bytes", f, err, rest.read)
		}
	}
}
