// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"runtime"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

// eventually waits for what the garbage collector brings about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 500 {
		if runtime.GC(); is() {
			return
		}
		time.Sleep(10 * time.Millisecond) // cleanups run beside the test
	}
	t.Errorf("not %s", what)
}

// The instance of a program that nothing refers to is closed, and so is the machine of code
// that nothing refers to.
func TestNothingStays(t *testing.T) {
	l := sandbox.RoutingLayout(names)
	module := wasmtest.Weighted("score", l.Scalars(), l.Columns(), map[int]float64{1: -1}).Bytes()
	code, fault := Load(module, l, nil, few)
	if fault != nil {
		t.Fatal(fault)
	}
	p, _ := code.New(draws(0))
	if fault := p.Run(routing(l, 1), make([]float64, 1)); fault != nil {
		t.Fatal(fault)
	}
	instance := p.(*program).instance
	if instance.IsClosed() {
		t.Error("the instance is closed while the program is there")
	}
	runtime.KeepAlive(p)
	p = nil
	eventually(t, "closed", instance.IsClosed)

	collected := make(chan bool, 1)
	runtime.AddCleanup(code, func(c chan bool) { c <- true }, collected)
	code = nil
	eventually(t, "collected", func() bool { return len(collected) == 1 })
}
