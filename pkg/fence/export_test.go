// SPDX-License-Identifier: Apache-2.0

package fence

// Printable is for tests.
var Printable = isPrintable

// KillWaiting ends the children that wait, and returns how many did.
func (f *Fence) KillWaiting() int {
	f.ahead.mu.Lock()
	defer f.ahead.mu.Unlock()
	for _, p := range f.ahead.idle {
		_ = p.command.Process.Kill()
		_, _ = p.command.Process.Wait()
	}
	return len(f.ahead.idle)
}

// IsMemoryComplaint is for tests.
var IsMemoryComplaint = isMemoryComplaint
