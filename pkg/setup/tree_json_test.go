// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"bytes"
	"encoding/json"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/jsontest"
)

func FuzzTreeJSON(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"b":[],"a":{"c":null,"":true}}`, `[1,-0,1e3,0.10,123456789012345678901234567890]`,
		`"<a> & \"b\" \\ \u2028 ü \u0000 \ud800"`, `{"<":1,"ü":2,"a\nb":3}`,
		`{"q":1,"p":1,"o":1,"n":1,"m":1,"l":1,"k":1,"j":1,"i":1,"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			return
		}
		want := jsontest.Encode(t, v)
		if got := TreeJSON(v); !bytes.Equal(want, got) {
			t.Errorf("%s, json.Marshal %s", got, want)
		}
	})
}
