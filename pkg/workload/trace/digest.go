// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"errors"
	"fmt"
	"io"
)

// Digest returns the digest of a trace that [Open] returns, without looking at what its file says.
// Errors of Open quote the file: a user who need not know what is in it sees them only if the
// digest is the one that was stated.
func Digest(format Format, open Opener, name string) (digest string, err error) {
	file, err := open()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var text io.Reader = file
	if format != Parquet {
		if text, err = decompressed(file); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	if digest, err = digestOf(text); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return digest, nil
}
