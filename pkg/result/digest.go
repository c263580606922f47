// SPDX-License-Identifier: Apache-2.0

package result

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// RowsDigest returns the SHA-256, in hex, of rows as [WriteRows] writes them,
// sorted by point, share and seed, each once: the same results, the same digest,
// in whatever order and pieces they came. Two different rows of one simulation
// are an error.
func RowsDigest(rows []Row) (string, error) {
	sorted, err := inOrder(rows)
	if err != nil {
		return "", fmt.Errorf("digest of rows: %w", err)
	}
	h, lines := sha256.New(), rowWriter{texts: map[sharedMetrics][]byte{}}
	for few := range slices.Chunk(sorted, 100) {
		if err := lines.write(h, few); err != nil {
			return "", fmt.Errorf("digest of rows: %w", err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
