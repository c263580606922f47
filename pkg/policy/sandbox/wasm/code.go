// SPDX-License-Identifier: Apache-2.0

package wasm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
)

// features are the parts of the language that modules may use. Of the references only
// their encoding is used, which compilers write for calls through a table.
const features = api.CoreFeatureMutableGlobal | api.CoreFeatureSignExtensionOps | api.CoreFeatureNonTrappingFloatToIntConversion |
	api.CoreFeatureMultiValue | api.CoreFeatureBulkMemoryOperations | api.CoreFeatureReferenceTypes

// Code is a module that was compiled. It implements [sandbox.Code].
//
// Code owns its machine: the memory of the machine and of its compiled functions goes when
// nothing refers to the code and its programs any more.
type Code struct {
	layout     *sandbox.Layout
	limits     sandbox.Limits
	names      []string // of the parameters
	parameters map[string]float64
	machine    wazero.Runtime
	compiled   wazero.CompiledModule
}

// Load reads and compiles a module, and starts it once. parameters are the numbers that
// the module is given by its functions set_NAME.
func Load(module []byte, layout *sandbox.Layout, parameters map[string]float64, limits sandbox.Limits) (*Code, *policy.Fault) {
	c, fault := load(module, layout, parameters, limits, wazero.NewRuntimeConfig())
	if fault == nil {
		fault = c.try()
	}
	if fault != nil {
		fault.Component = string(layout.Component)
		return nil, fault
	}
	return c, nil
}

// background is the context of all that draws nothing.
var background = context.Background()

func load(module []byte, layout *sandbox.Layout, parameters map[string]float64, limits sandbox.Limits, engine wazero.RuntimeConfig) (*Code, *policy.Fault) {
	if len(module) > limits.ModuleBytes {
		return nil, loadFault(policy.MemoryFault, "the module has %d bytes, and may have %d", len(module), limits.ModuleBytes)
	}
	metered, fault := rewrite(module, limits)
	if fault != nil {
		return nil, fault
	}
	c := &Code{
		layout: layout, limits: limits, names: slices.Sorted(maps.Keys(parameters)), parameters: maps.Clone(parameters),
		machine: wazero.NewRuntimeWithConfig(background, engine.WithCoreFeatures(features).WithDebugInfoEnabled(false)),
	}
	_, err := c.machine.NewHostModuleBuilder(hostModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(draw), nil, []api.ValueType{api.ValueTypeF64}).Export(drawName).Instantiate(background)
	if err == nil {
		c.compiled, err = c.machine.CompileModule(background, metered)
	}
	if err != nil {
		return nil, loadFault(policy.SyntaxFault, "%s", firstLine(err))
	}
	return c, c.checkExports()
}

func loadFault(kind policy.FaultKind, format string, values ...any) *policy.Fault {
	return &policy.Fault{Stage: policy.LoadStage, Kind: kind, Message: policy.Said(fmt.Sprintf(format, values...))}
}

// The names of exports that have a meaning.
const (
	memoryName     = "memory"
	frameName      = "frame"
	initializeName = "_initialize"
	setterPrefix   = "set_"
)

// checkExports looks for what the module is to export.
func (c *Code) checkExports() *policy.Fault {
	if c.compiled.ExportedMemories()[memoryName] == nil {
		return loadFault(policy.TypeFault, "the module exports no memory of the name %s", memoryName)
	}
	one, number := []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeF64}
	if f := c.checkFunction(c.layout.Function, one, one); f != nil {
		return f
	}
	if f := c.checkFunction(frameName, one, one); f != nil {
		return f
	}
	if c.compiled.ExportedFunctions()[initializeName] != nil {
		if f := c.checkFunction(initializeName, nil, nil); f != nil {
			return f
		}
	}
	for _, name := range c.names {
		if f := c.checkFunction(setterPrefix+name, number, nil); f != nil {
			return f
		}
	}
	return nil
}

func (c *Code) checkFunction(name string, params, results []api.ValueType) *policy.Fault {
	f := c.compiled.ExportedFunctions()[name]
	switch {
	case f == nil:
		return loadFault(policy.TypeFault, "the module exports no function %s%s", name, signatureText(params, results))
	case !slices.Equal(f.ParamTypes(), params) || !slices.Equal(f.ResultTypes(), results):
		return loadFault(policy.TypeFault, "the function %s is to be %s, and is %s", name, signatureText(params, results), signatureText(f.ParamTypes(), f.ResultTypes()))
	}
	return nil
}

func signatureText(params, results []api.ValueType) string {
	list := func(types []api.ValueType) string {
		var names []string
		for _, t := range types {
			names = append(names, api.ValueTypeName(t))
		}
		return "(" + strings.Join(names, ", ") + ")"
	}
	return list(params) + " -> " + list(results)
}

// drawKey is where a context keeps what gives random numbers.
type drawKey struct{}

// draw gives a number from 0 to below 1.
func draw(ctx context.Context, stack []uint64) {
	next, _ := ctx.Value(drawKey{}).(func() float64)
	if next == nil {
		panic(errors.New("there are no random numbers before the first call"))
	}
	stack[0] = api.EncodeF64(next())
}

// New implements [sandbox.Code]. The instance is closed when nothing refers to the program
// any more.
func (c *Code) New(draw func() float64) (sandbox.Program, *policy.Fault) {
	p, fault := c.start(draw)
	if fault != nil {
		fault.Component = string(c.layout.Component)
		return nil, fault
	}
	runtime.AddCleanup(p, func(m api.Module) { _ = m.Close(background) }, p.instance)
	return p, nil
}

// try starts an instance and ends it.
func (c *Code) try() *policy.Fault {
	p, fault := c.start(nil)
	if fault == nil {
		_ = p.instance.Close(background) // there are no files, whose errors closing would have
	}
	return fault
}

// start makes an instance of the module and gives it its parameters.
func (c *Code) start(draw func() float64) (*program, *policy.Fault) {
	// Several instances share a machine where they have no name. No function of theirs is
	// called on its own.
	instance, err := c.machine.InstantiateModule(background, c.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, loadFault(policy.ErrorFault, "%s", firstLine(err))
	}
	p := &program{
		code: c, instance: instance, ctx: context.WithValue(background, drawKey{}, draw),
		function: instance.ExportedFunction(c.layout.Function), frame: instance.ExportedFunction(frameName),
		steps: instance.ExportedGlobal(stepsName).(api.MutableGlobal), depth: instance.ExportedGlobal(depthName),
	}
	if fault := p.prepare(); fault != nil {
		_ = instance.Close(background)
		fault.Stage = policy.LoadStage
		return nil, fault
	}
	return p, nil
}

// prepare calls what a module wants to be called first.
func (p *program) prepare() *policy.Fault {
	for _, name := range []string{startName, initializeName} {
		if f := p.instance.ExportedFunction(name); f != nil {
			if err := f.CallWithStack(background, nil); err != nil {
				return p.trap(err)
			}
		}
	}
	for _, name := range p.code.names {
		stack := []uint64{api.EncodeF64(p.code.parameters[name])}
		if err := p.instance.ExportedFunction(setterPrefix+name).CallWithStack(background, stack); err != nil {
			return p.trap(err)
		}
	}
	return nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
