// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// labelledRows is a format whose rows say all that a row may say: session, tenant,
// class, priority, adapter, model and a header. A row comes every millisecond.
var labelledRows = format{
	name: "labelled",
	newParser: stateless(func(rec *record, n int, text []byte) (bool, error) {
		f := strings.Split(string(text), ",")
		*rec = record{timeField: "line", at: int64(n) * 1e6, input: 10, output: 1, session: f[0]}
		rec.attributes = attributes{tenant: f[1], class: f[2], adapter: f[4], model: f[5]}
		if f[3] != "" {
			priority, err := strconv.Atoi(f[3])
			if err != nil {
				return false, invalidField("priority", "%v", err)
			}
			rec.priority = &priority
		}
		if f[6] != "" {
			rec.headers = map[string]string{"x-user": f[6]}
		}
		return true, nil
	}),
}

func TestNamesModels(t *testing.T) {
	for name, test := range map[string]struct {
		rows []string
		want bool
	}{
		"all rows":            {[]string{",,,,,m,", ",,,,,n,"}, true},
		"all but one":         {[]string{",,,,,m,", ",,,,,,"}, false},
		"none of labelled":    {[]string{",team,,,,,"}, false},
		"none of unlabelled":  {[]string{",,,,,,"}, false},
		"none before the one": {[]string{",,,,,,", ",,,,,m,"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			trace, err := labelledRows.read(Options{}, strings.NewReader(strings.Join(test.rows, "\n")), "rows")
			if err != nil {
				t.Fatal(err)
			}
			if got := trace.NamesModels(); got != test.want {
				t.Errorf("each row names a model: %t, want %t", got, test.want)
			}
		})
	}
}

// requestAttributes is what a request says beside its time and its texts.
type requestAttributes struct {
	Tenant, Class  string
	Priority       int
	Session        int32
	Adapter, Model string
	Header         string
}

// replayedAttributes returns what the requests of a trace of labelled rows say.
func replayedAttributes(t *testing.T, rows ...string) []requestAttributes {
	t.Helper()
	trace, err := labelledRows.read(Options{}, strings.NewReader(strings.Join(rows, "\n")), "rows")
	if err != nil {
		t.Fatal(err)
	}
	s := trace.Replay(Replay{RateScale: 1, Arrivals: AsRecorded, Tenant: "team", Class: "chat", Priority: 3}, 1)
	l := s.Labels()
	// name is the name of an index that 0 leaves out.
	name := func(names []string, i int) string {
		if i == 0 {
			return ""
		}
		return names[i-1]
	}
	var all []requestAttributes
	for r, ok := s.Next(); ok; r, ok = s.Next() {
		q := requestAttributes{
			Tenant: l.Tenants[r.Tenant], Class: l.Classes[r.Class], Priority: r.Priority, Session: r.Session,
			Adapter: name(l.Adapters, r.Adapter), Model: name(l.Models, r.Model),
		}
		if r.Headers > 0 {
			q.Header = l.Headers[r.Headers-1]["x-user"]
		}
		all = append(all, q)
	}
	return all
}

func TestReplayKeepsAttributes(t *testing.T) {
	got := replayedAttributes(t,
		",,,,,,",
		"a,gold,batch,0,sql,llama,ann",
		"b,,,,,,",
		"a,gold,batch,0,sql,llama,ann",
		",gold,batch,0,sql,llama,bob",
		",gold,,,,,",
		",,,-7,,qwen,",
	)
	want := []requestAttributes{
		{Tenant: "team", Class: "chat", Priority: 3},
		{Tenant: "gold", Class: "batch", Session: 1, Adapter: "sql", Model: "llama", Header: "ann"},
		{Tenant: "team", Class: "chat", Priority: 3, Session: 2},
		{Tenant: "gold", Class: "batch", Session: 1, Adapter: "sql", Model: "llama", Header: "ann"},
		{Tenant: "gold", Class: "batch", Adapter: "sql", Model: "llama", Header: "bob"},
		{Tenant: "gold", Class: "chat", Priority: 3},
		{Tenant: "team", Class: "chat", Priority: -7, Model: "qwen"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTraceWithoutAttributesHasNoColumns(t *testing.T) {
	trace, err := Read(Azure, strings.NewReader(azureHeader+"\n2023-11-16 18:17:03.9799600,5,6\n"), "rows")
	if err != nil {
		t.Fatal(err)
	}
	if c := trace.columns; c.sets != nil || c.set != nil || c.session != nil {
		t.Errorf("a trace that names nobody has the columns %+v", c)
	}
}

func TestBlockSizeOfFormats(t *testing.T) {
	blocks := format{name: "blocks", blockTokens: 16, newParser: stateless(func(rec *record, n int, _ []byte) (bool, error) {
		*rec = record{timeField: "line", at: int64(n), input: 40, output: 1, ids: []uint64{1, 2}}
		return true, nil
	})}
	trace, err := blocks.read(Options{}, strings.NewReader("a\nb\n"), "rows")
	if err != nil {
		t.Fatal(err)
	}
	r, _ := trace.Replay(Replay{RateScale: 1, Arrivals: AsRecorded}, 1).Next()
	var tokens []int32
	for _, e := range r.Prompt.Extents {
		tokens = append(tokens, e.Tokens)
	}
	if diff := cmp.Diff([]int32{16, 16, 8}, tokens); diff != "" {
		t.Errorf("extents (-want +got):\n%s", diff)
	}
	s, err := trace.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.ReusableTokens; got != 32 {
		t.Errorf("%d tokens can be reused, want the 2 blocks of 16 of the second prompt", got)
	}
}

// stateless is a format whose lines are independent of each other.
func stateless(p parser) func(Options) parser {
	return func(Options) parser { return p }
}
