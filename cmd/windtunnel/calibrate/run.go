// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/input"
	"windtunnel.dev/windtunnel/pkg/calibrate"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// runFile is the YAML that describes a measured run. Fields that a scenario has
// too have the same names. Paths are relative to the file.
type runFile struct {
	Requests struct {
		File   string           `json:"file"`
		Format calibrate.Format `json:"format"`
	} `json:"requests"`
	// Report is a result file of a benchmark in place of Requests.
	Report *runReport `json:"report"`
	// Blocks are the identities of the prompts' blocks of BlockSize tokens.
	Blocks *struct {
		File      string `json:"file"`
		BlockSize int    `json:"blockSize"`
	} `json:"blocks"`
	// FitRequests is how many of the first requests the fit sees; 0 is all.
	FitRequests       int             `json:"fitRequests"`
	Catalogue         []string        `json:"catalogue"`
	Model             string          `json:"model"`
	Accelerator       string          `json:"accelerator"`
	TensorParallelism int             `json:"tensorParallelism"`
	Quantization      runQuantization `json:"quantization"`
	Engine            runEngine       `json:"engine"`
	KVCache           runKVCache      `json:"kvCache"`
	// Latency is what is known of the coefficients.
	Latency     runLatency     `json:"latency"`
	RequestCost runRequestCost `json:"requestCost"`
}

type runQuantization struct {
	Weights     latency.Precision `json:"weights"`
	KVCache     latency.Precision `json:"kvCache"`
	Activations latency.Precision `json:"activations"`
}

type runEngine struct {
	MaxNumSeqs          int    `json:"maxNumSeqs"`
	MaxNumBatchedTokens int    `json:"maxNumBatchedTokens"`
	BlockSize           int    `json:"blockSize"`
	MaxModelLen         int    `json:"maxModelLen"`
	PrefixCaching       string `json:"prefixCaching"`
	ReserveFullPrompt   string `json:"reserveFullPrompt"`

	LongPrefillTokenThreshold int `json:"longPrefillTokenThreshold"`
	// Version is a release of vLLM, which says whether it schedules asynchronously where
	// AsynchronousScheduling is empty.
	Version                string `json:"version"`
	AsynchronousScheduling string `json:"asynchronousScheduling"`
}

type runKVCache struct {
	Blocks            int    `json:"blocks"`
	MemoryUtilization string `json:"memoryUtilization"`
	// What engine and model take in addition to the weights; nil is as usual.
	ActivationBytes *int64 `json:"activationBytes"`
	RuntimeBytes    *int64 `json:"runtimeBytes"`
}

// measuredRun is a run that was read, and what its user should know.
type measuredRun struct {
	*calibrate.Run
	warnings []string
}

func readRuns(names []string) ([]measuredRun, error) {
	var all []measuredRun
	for _, name := range names {
		runs, err := readRun(name)
		if err != nil {
			return nil, cli.BadInput(err)
		}
		all = append(all, runs...)
	}
	return all, nil
}

// parseRunFile reads a run's YAML over the defaults.
func parseRunFile(raw []byte) (*runFile, error) {
	f := &runFile{TensorParallelism: 1}
	f.Requests.Format = calibrate.JSONL
	f.Engine = runEngine{BlockSize: 16, PrefixCaching: "Enabled", ReserveFullPrompt: "Enabled"}
	f.KVCache.MemoryUtilization = "0.9"
	return f, decodeRunFile(raw, f)
}

// readRun reads a run's file and all that it names: one run, or several where it names
// results of several benchmarks.
func readRun(name string) ([]measuredRun, error) {
	raw, err := input.Read(name)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, input.Unfit(name, raw, "windtunnel calibrate reads a YAML file that describes a measured run")
	}
	f, err := parseRunFile(raw)
	if err != nil {
		if other := input.Unfit(name, raw, "windtunnel calibrate reads a YAML file that describes a measured run"); other != nil {
			return nil, other
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	folder := filepath.Dir(name)
	engine, warnings, err := f.engine(name, folder)
	if err != nil {
		return nil, err
	}
	title := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	if f.Report != nil {
		runs, err := f.reported(title, folder, engine)
		for i := range runs {
			for k, text := range runs[i].warnings {
				runs[i].warnings[k] = name + ": " + text
			}
		}
		if len(runs) > 0 {
			runs[0].warnings = append(warnings, runs[0].warnings...)
		}
		return runs, err
	}
	requests, err := f.requests(folder)
	if err != nil {
		return nil, err
	}
	run := calibrate.NewRun(title, engine, requests)
	run.Fitted = f.FitRequests
	for _, text := range run.Warnings() {
		warnings = append(warnings, name+": "+text)
	}
	return []measuredRun{{run, warnings}}, nil
}

// engine returns the engine that the file describes.
func (f *runFile) engine(name, folder string) (calibrate.Engine, []string, error) {
	catalogue, err := f.catalogue(folder)
	if err != nil {
		return calibrate.Engine{}, nil, fmt.Errorf("%s: %w", name, err)
	}
	instance, errs := f.instance(catalogue)
	given, es := f.Latency.given(instance.Accelerator)
	cost, ces := f.RequestCost.cost()
	errs = slices.Concat(errs, f.validate(), es, ces)
	if len(errs) > 0 {
		return calibrate.Engine{}, nil, fmt.Errorf("%s is invalid:\n%s", name, cli.BulletList(errs))
	}
	e := calibrate.Engine{
		Instance:            instance,
		Given:               given,
		Cost:                cost,
		BlockTokens:         f.Engine.BlockSize,
		KVBlocks:            f.KVCache.Blocks,
		MaxNumSeqs:          f.Engine.MaxNumSeqs,
		MaxNumBatchedTokens: f.Engine.MaxNumBatchedTokens,
		LongPrefillTokens:   f.Engine.LongPrefillTokenThreshold,
		MaxModelLen:         f.Engine.MaxModelLen,
		PrefixCaching:       f.Engine.PrefixCaching == "Enabled",
		ReserveFullPrompt:   f.Engine.ReserveFullPrompt == "Enabled",

		AsynchronousScheduling: f.schedulesAsynchronously(instance.EngineVersion),
	}
	if e.MaxModelLen == 0 {
		e.MaxModelLen = instance.Model.ContextTokens
	}
	groups, _ := instance.KVWindows(e.BlockTokens)
	least := minKVBlocks + groups
	if e.KVBlocks >= least {
		return e, nil, nil
	}
	if e.KVBlocks > 0 {
		return e, nil, fmt.Errorf("%s: kvCache.blocks: must be at least %d: a request takes a block, and one for each of the %d groups of layers with sliding windows", name, least, groups)
	}
	e.KVBlocks, err = instance.KVBlocks(e.BlockTokens, f.KVCache.budget(instance))
	if err == nil && e.KVBlocks < least {
		err = fmt.Errorf("there is memory for %d", e.KVBlocks)
	}
	if err != nil {
		return e, nil, fmt.Errorf("%s: kvCache.blocks: %w", name, err)
	}
	return e, []string{fmt.Sprintf("%s: kvCache.blocks is not given, %d are computed; if the run filled the KV cache, its errors are this guess's: take num_gpu_blocks from the engine's log",
		name, e.KVBlocks)}, nil
}

// schedulesAsynchronously says whether a request waits for a step that is scheduled already,
// where the file does not say it. The clock of an engine's log starts when that wait is over.
func (f *runFile) schedulesAsynchronously(version latency.EngineVersion) bool {
	if set := f.Engine.AsynchronousScheduling; set != "" {
		return set == "Enabled"
	}
	return f.Report != nil && version.AsynchronousScheduling()
}

// budget returns how memory is divided where no number of blocks is given.
func (k *runKVCache) budget(instance latency.Instance) latency.MemoryBudget {
	b := instance.DefaultMemoryBudget()
	b.Utilization, _ = strconv.ParseFloat(k.MemoryUtilization, 64) // validated
	if k.ActivationBytes != nil {
		b.ActivationBytes = *k.ActivationBytes
	}
	if k.RuntimeBytes != nil {
		b.RuntimeBytes = *k.RuntimeBytes
	}
	return b
}

func (f *runFile) catalogue(folder string) (*latency.Catalogue, error) {
	catalogue := latency.Builtin()
	for i, file := range f.Catalogue {
		raw, err := os.ReadFile(resolvePath(folder, file))
		if err != nil {
			return nil, fmt.Errorf("catalogue[%d]: %w", i, err)
		}
		entries, errs := latency.ParseEntries(raw, nil)
		if len(errs) > 0 && isHuggingFace(raw) {
			return nil, fmt.Errorf("catalogue[%d]: %s is a model's config.json; make an entry of it: windtunnel catalogue --model NAME=%s NAME -o yaml > entry.yaml",
				i, file, file)
		}
		if len(errs) > 0 {
			return nil, fmt.Errorf("%s is invalid:\n%s", resolvePath(folder, file), cli.BulletList(errs))
		}
		catalogue = catalogue.With(entries)
	}
	return catalogue, nil
}

// isHuggingFace reports whether a file is what a model is published with rather
// than entries.
func isHuggingFace(raw []byte) bool {
	var config struct {
		ModelType     string   `json:"model_type"`
		Architectures []string `json:"architectures"`
	}
	return yaml.Unmarshal(raw, &config) == nil && (config.ModelType != "" || len(config.Architectures) > 0)
}

// instance looks up what the file names.
func (f *runFile) instance(catalogue *latency.Catalogue) (latency.Instance, field.ErrorList) {
	var errs field.ErrorList
	model, ok := catalogue.Model(f.Model)
	if !ok {
		errs = append(errs, unknownEntry("model", f.Model, catalogue.ModelNames()))
	}
	accelerator, ok := catalogue.Accelerator(f.Accelerator)
	if !ok {
		errs = append(errs, unknownEntry("accelerator", f.Accelerator, catalogue.AcceleratorNames()))
	}
	var version latency.EngineVersion
	if f.Engine.Version != "" {
		parsed, fault := latency.ParseEngineVersion(f.Engine.Version, field.NewPath("engine", "version"))
		if fault != nil {
			errs = append(errs, fault)
		}
		version = parsed
	}
	i := latency.Instance{
		Model:             model,
		Accelerator:       accelerator,
		TensorParallelism: f.TensorParallelism,
		EngineVersion:     version,
		Quantization:      latency.Quantization{Weights: autoPrecision(f.Quantization.Weights), KVCache: autoPrecision(f.Quantization.KVCache), Activations: autoPrecision(f.Quantization.Activations)},
	}
	if len(errs) == 0 {
		errs = i.Validate(nil)
	}
	return i, errs
}

// unknownEntry says that a catalogue has no such entry, and which ones are near.
func unknownEntry(what, name string, known []string) *field.Error {
	if name == "" {
		return field.Required(field.NewPath(what), "windtunnel catalogue lists all")
	}
	detail := "the catalogue has no such " + what
	if near := spelling.Nearest(name, known); len(near) > 0 {
		detail += "; near to it are " + strings.Join(near, ", ")
	}
	return &field.Error{
		Type:     field.ErrorTypeNotSupported,
		Field:    what,
		BadValue: name,
		Detail:   detail + "; windtunnel catalogue lists all, and an entry of your own goes into a file under catalogue",
	}
}

// autoPrecision returns a format as package latency takes it.
func autoPrecision(p latency.Precision) latency.Precision {
	if p == "auto" {
		return ""
	}
	return p
}

// requests reads the log and the blocks.
func (f *runFile) requests(folder string) ([]calibrate.Request, error) {
	var requests []calibrate.Request
	err := readFileWith(resolvePath(folder, f.Requests.File), func(r io.Reader, name string) (err error) {
		requests, err = calibrate.ReadLog(f.Requests.Format, r, name)
		return err
	})
	if err != nil || f.Blocks == nil {
		return requests, err
	}
	return requests, readFileWith(resolvePath(folder, f.Blocks.File), func(r io.Reader, name string) error {
		return calibrate.ReadBlocks(r, name, f.Blocks.BlockSize, requests)
	})
}

func readFileWith(name string, read func(r io.Reader, name string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return read(file, name)
}

// resolvePath returns a path that is relative to a folder.
func resolvePath(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}
