// SPDX-License-Identifier: Apache-2.0

package calibrate

import (
	"encoding/json"
	"errors"
	"fmt"
)

// parseJSONLine reads one line of a JSONL log.
func parseJSONLine(_ int, text []byte) (logRow, bool, error) {
	var row logRow
	err := json.Unmarshal(text, &row)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return row, false, fmt.Errorf("%s: must be a number, got a JSON %s", kind.Field, kind.Value)
	}
	if err != nil {
		return row, false, fmt.Errorf("must be a JSON object: %w", err)
	}
	return row, true, nil
}
