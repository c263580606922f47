// SPDX-License-Identifier: Apache-2.0

package benchmark

import "testing"

// Whatever is read can be written, and what was written reads the same.
func FuzzRead(f *testing.F) {
	f.Add([]byte(measured(f)))
	f.Add([]byte("version: 0.2\nrun: {uid: a}\nresults: {}\n"))
	f.Add([]byte("version: \"0.2.1\"\nrun: {uid: \"yes\", keywords: [on, 1e3]}\nresults: {profiling: {a: [1e300, 1e-7, -0.0, 0x1f, .inf, 2001-01-01]}}\n"))
	f.Add([]byte("- 1\n"))
	f.Add([]byte("version: 0.2.1\nrun: &r {uid: *r}\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, errs := Read(raw)
		if (r == nil) != (len(errs) > 0) {
			t.Fatalf("report %v, errors %v", r, errs)
		}
		if r == nil {
			return
		}
		once := mustEncode(t, r)
		again := mustRead(t, once)
		if twice := mustEncode(t, again); once != twice {
			t.Errorf("written twice:\n%s\n%s", once, twice)
		}
		_, _ = again.Metrics(), again.Load()
		_, _ = again.InputLengths()
	})
}
