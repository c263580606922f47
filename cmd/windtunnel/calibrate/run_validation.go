// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/calibrate"
)

// validate returns the faults that the file has by itself.
func (f *runFile) validate() field.ErrorList {
	var errs field.ErrorList
	switch {
	case f.Report != nil:
		errs = append(errs, f.validateReport()...)
	case f.Requests.File == "":
		errs = append(errs, field.Required(field.NewPath("requests", "file"), "the log of measured requests; or name a result file of a benchmark in report.file"))
	}
	if !slices.Contains(calibrate.Formats(), f.Requests.Format) {
		errs = append(errs, field.NotSupported(field.NewPath("requests", "format"), f.Requests.Format, calibrate.Formats()))
	}
	if f.Blocks != nil {
		errs = append(errs, atLeast(1, f.Blocks.BlockSize, "blocks", "blockSize")...)
	}
	errs = append(errs, atLeast(0, f.FitRequests, "fitRequests")...)
	errs = append(errs, atLeast(1, f.Engine.MaxNumSeqs, "engine", "maxNumSeqs")...)
	errs = append(errs, atLeast(1, f.Engine.MaxNumBatchedTokens, "engine", "maxNumBatchedTokens")...)
	errs = append(errs, atLeast(1, f.Engine.BlockSize, "engine", "blockSize")...)
	errs = append(errs, atLeast(0, f.Engine.MaxModelLen, "engine", "maxModelLen")...)
	errs = append(errs, atLeast(0, f.Engine.LongPrefillTokenThreshold, "engine", "longPrefillTokenThreshold")...)
	errs = append(errs, onOff(f.Engine.PrefixCaching, "engine", "prefixCaching")...)
	errs = append(errs, onOff(f.Engine.ReserveFullPrompt, "engine", "reserveFullPrompt")...)
	if f.Engine.AsynchronousScheduling != "" {
		errs = append(errs, onOff(f.Engine.AsynchronousScheduling, "engine", "asynchronousScheduling")...)
	}
	if blocks := f.KVCache.Blocks; blocks != 0 && (blocks < minKVBlocks || blocks > maxKVBlocks) {
		errs = append(errs, field.Invalid(field.NewPath("kvCache", "blocks"), blocks, fmt.Sprintf("must be between %d and %d", minKVBlocks, maxKVBlocks)))
	}
	if u, err := strconv.ParseFloat(f.KVCache.MemoryUtilization, 64); err != nil || !(u > 0 && u <= 1) {
		errs = append(errs, field.Invalid(field.NewPath("kvCache", "memoryUtilization"), f.KVCache.MemoryUtilization, `must be greater than 0 and at most 1, such as "0.9"`))
	}
	errs = append(errs, notNegativeBytes(f.KVCache.ActivationBytes, "activationBytes")...)
	errs = append(errs, notNegativeBytes(f.KVCache.RuntimeBytes, "runtimeBytes")...)
	return errs
}

// The bounds of kvCache.blocks, as in a scenario.
const (
	minKVBlocks = 2
	maxKVBlocks = 100_000_000
)

func atLeast(least, value int, first string, more ...string) field.ErrorList {
	if value >= least {
		return nil
	}
	path := field.NewPath(first, more...)
	if value == 0 {
		return field.ErrorList{field.Required(path, "a setting of the engine that was measured")}
	}
	return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must be at least %d", least))}
}

func notNegativeBytes(bytes *int64, name string) field.ErrorList {
	if bytes == nil || *bytes >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("kvCache", name), *bytes, "must be 0 or more")}
}

func onOff(value, first string, more ...string) field.ErrorList {
	if value == "Enabled" || value == "Disabled" {
		return nil
	}
	return field.ErrorList{field.NotSupported(field.NewPath(first, more...), value, []string{"Enabled", "Disabled"})}
}
