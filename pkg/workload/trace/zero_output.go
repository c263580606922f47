// SPDX-License-Identifier: Apache-2.0

package trace

import "k8s.io/apimachinery/pkg/util/validation/field"

// ZeroOutput is what becomes of rows with an answer of 0 tokens, such as those of requests
// that failed. The empty one is Refuse.
type ZeroOutput string

const (
	// RefuseZeroOutput makes such a row an error.
	RefuseZeroOutput ZeroOutput = "Refuse"
	// SkipZeroOutput leaves such a row out, with those that wait for its end.
	SkipZeroOutput ZeroOutput = "Skip"
	// PrefillOnly sends such a row with an answer of 1 token, which is what an engine makes of
	// a prompt at least.
	PrefillOnly ZeroOutput = "PrefillOnly"
)

// zeroOutputs lists what may become of such rows.
func zeroOutputs() []ZeroOutput {
	return []ZeroOutput{PrefillOnly, RefuseZeroOutput, SkipZeroOutput}
}

func (z ZeroOutput) validate(path *field.Path) field.ErrorList {
	for _, known := range append(zeroOutputs(), "") {
		if z == known {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(path, z, zeroOutputs())}
}
