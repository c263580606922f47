// SPDX-License-Identifier: Apache-2.0

package result

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// allRecords has a record of each kind, with each field set.
var allRecords = []Record{
	filledRecord(&PriorityRecord{}), filledRecord(&AdmissionRecord{}), filledRecord(&BatchRecord{}), filledRecord(&PreemptionRecord{}),
	filledRecord(&HandOverRecord{}), filledRecord(&TransferRecord{}), filledRecord(&ScalingRecord{}), filledRecord(&ReplicaRecord{}),
}

// filledRecord sets each field of a record to something that is not zero.
func filledRecord[T any](to *T) *T {
	setEach(reflect.ValueOf(to).Elem())
	return to
}

func setEach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			setEach(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setEach(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		setEach(v.Index(0))
	case reflect.String:
		v.SetString("a \"text\"")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.1)
	default:
		v.SetInt(7)
	}
}

// A line of a record is what encoding/json writes, with the kind before it.
func TestLinesOfRecords(t *testing.T) {
	for i, r := range allRecords {
		if r.Kind() != RecordKinds[i] {
			t.Errorf("record %d is of kind %s, want %s", i, r.Kind(), RecordKinds[i])
		}
		fields := jsontest.Encode(t, r)
		want := `{"record":"` + string(r.Kind()) + `",` + strings.TrimPrefix(string(fields), "{") + "\n"
		if diff := cmp.Diff(want, string(AppendRecord(nil, r))); diff != "" {
			t.Errorf("%s (−want +got):\n%s", r.Kind(), diff)
		}
	}
}

// Each field has one name in JSON, and the same with underscores as a column.
func TestColumnsAreNamedAsFields(t *testing.T) {
	for _, r := range allRecords {
		checkColumns(t, reflect.TypeOf(r).Elem())
	}
}

func checkColumns(t *testing.T, of reflect.Type) {
	for i := range of.NumField() {
		f := of.Field(i)
		column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			checkColumns(t, f.Type)
		case name != "-" && snake(name) != column:
			t.Errorf("%v.%s is %s in JSON and %s as a column", of, f.Name, name, column)
		}
	}
}

// snake spells a name with underscores.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// The page on traces has each field of each record, in order.
func TestThePageOnTracesHasEachField(t *testing.T) {
	raw := testfile.Read(t, "../../docs/traces.md")
	for _, r := range allRecords {
		_, section, _ := strings.Cut(string(raw), "\n### `"+string(r.Kind())+"`\n")
		section, _, _ = strings.Cut(section, "\n#")
		var got []string
		for line := range strings.Lines(section) {
			names, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
			if strings.HasPrefix(line, "| `") {
				got = append(got, strings.Split(strings.Trim(names, "`"), "`, `")...)
			}
		}
		if diff := cmp.Diff(fieldsOf(reflect.TypeOf(r).Elem()), got); diff != "" {
			t.Errorf("%s (−fields +page):\n%s", r.Kind(), diff)
		}
	}
}

// fieldsOf are the names in JSON.
func fieldsOf(of reflect.Type) []string {
	var names []string
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			names = append(names, fieldsOf(f.Type)...)
		case name != "-":
			names = append(names, name)
		}
	}
	return names
}
