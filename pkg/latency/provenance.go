// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// SharesSource says how an accelerator's shares of its peaks were found.
type SharesSource string

// The shares are fitted to what was measured on the accelerator, rounded from such
// fits so that they serve other models too, or taken from a publication, which may have
// measured something else.
const (
	Fitted    SharesSource = "Fitted"
	Rounded   SharesSource = "Rounded"
	Published SharesSource = "Published"
)

var sharesSources = []SharesSource{Fitted, Rounded, Published}

// Provenance says where an accelerator's shares come from, and what they hold
// for. An entry without one has shares that its author answers for.
type Provenance struct {
	Shares SharesSource `json:"shares"`
	// Models, by name or alias, and TensorParallelism, in GPUs of a replica, are
	// what the shares were fitted on. Fitted shares have both.
	Models            []string `json:"models,omitempty"`
	TensorParallelism []int    `json:"tensorParallelism,omitempty"`
	// Accelerator names the one that was measured, where it is another one.
	Accelerator string `json:"accelerator,omitempty"`
	// Source names the measurement or the publication, in a few words.
	Source string `json:"source,omitempty"`
	// MeanAbsoluteErrorPercent are the errors that predictions with fitted shares have of
	// the measured means.
	MeanAbsoluteErrorPercent map[CheckedMetric]float64 `json:"meanAbsoluteErrorPercent,omitempty"`
}

// Bounds of a provenance: it becomes a line of a table and part of a status.
const (
	maxFittedModels = 8
	maxSourceBytes  = 128
)

// Covers reports whether the shares were fitted on what an instance serves: its
// accelerator, its model and as many GPUs, in one rank. The catalogue knows the models'
// aliases.
func (p *Provenance) Covers(i Instance, c *Catalogue) bool {
	served := func(name string) bool {
		known, ok := c.Model(name)
		return name == i.Model.Name || ok && known.Name == i.Model.Name
	}
	return p.Shares == Fitted && p.Accelerator == "" && !i.StepTogether() &&
		slices.ContainsFunc(p.Models, served) && slices.Contains(p.TensorParallelism, i.TensorParallelism)
}

// FittedOn names models and numbers of GPUs, such as "Llama-3.1-8B at TP 1".
func (p *Provenance) FittedOn() string {
	return fmt.Sprintf("%s at TP %s", strings.Join(p.Models, ", "), joinGPUs(p.TensorParallelism))
}

// joinGPUs lists numbers of GPUs.
func joinGPUs(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts, ", ")
}

func (p *Provenance) validate(path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	var errs field.ErrorList
	switch p.Shares {
	case Fitted:
		if len(p.Models) == 0 {
			errs = append(errs, field.Required(path.Child("models"), "fitted shares name the models that they were fitted on"))
		}
		if len(p.TensorParallelism) == 0 {
			errs = append(errs, field.Required(path.Child("tensorParallelism"), "fitted shares name the numbers of GPUs that they were fitted on"))
		}
	case Rounded, Published:
	default:
		errs = append(errs, field.NotSupported(path.Child("shares"), p.Shares, sharesSources))
	}
	if len(p.Models) > maxFittedModels {
		errs = append(errs, field.TooMany(path.Child("models"), len(p.Models), maxFittedModels))
	}
	for n, name := range p.Models {
		errs = append(errs, validateLine(name, path.Child("models").Index(n))...)
	}
	if len(p.TensorParallelism) > maxFittedModels {
		errs = append(errs, field.TooMany(path.Child("tensorParallelism"), len(p.TensorParallelism), maxFittedModels))
	}
	for n, gpus := range p.TensorParallelism {
		if gpus < 1 {
			errs = append(errs, field.Invalid(path.Child("tensorParallelism").Index(n), gpus, "must be at least 1"))
		}
	}
	if p.Accelerator != "" {
		errs = append(errs, validateLine(p.Accelerator, path.Child("accelerator"))...)
	}
	if p.Source != "" {
		errs = append(errs, validateLine(p.Source, path.Child("source"))...)
	}
	at := path.Child("meanAbsoluteErrorPercent")
	if len(p.MeanAbsoluteErrorPercent) > 0 && p.Shares != Fitted {
		errs = append(errs, field.Forbidden(at, "only fitted shares have errors of their own"))
	}
	for _, metric := range slices.Sorted(maps.Keys(p.MeanAbsoluteErrorPercent)) {
		if !slices.Contains(checkedMetrics, metric) {
			errs = append(errs, field.NotSupported(at, metric, checkedMetrics))
		}
		errs = append(errs, validateNotNegative(p.MeanAbsoluteErrorPercent[metric], at.Key(string(metric)))...)
	}
	return errs
}

// validateLine reports a text that is empty, long, or more than one line.
func validateLine(text string, path *field.Path) field.ErrorList {
	if text == "" || len(text) > maxSourceBytes || strings.ContainsAny(text, "\r\n") {
		return field.ErrorList{field.Invalid(path, text, fmt.Sprintf("must be one line of 1 to %d bytes", maxSourceBytes))}
	}
	return nil
}
