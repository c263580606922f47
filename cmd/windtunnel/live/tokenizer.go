// SPDX-License-Identifier: Apache-2.0

package live

import (
	"bufio"
	"fmt"
	"os"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/live/tokens"
	"windtunnel.dev/windtunnel/pkg/live/vllm"
)

// bytes4 is the value of --tokenizer that names no file.
const bytes4 = "bytes4"

// readTokenizer returns the tokeniser of a value of --tokenizer.
func readTokenizer(name string) (vllm.Tokenizer, error) {
	if name == bytes4 {
		return tokens.Bytes4{}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--tokenizer: %w", err))
	}
	defer file.Close()
	read, err := tokens.Read(bufio.NewReader(file))
	if err != nil {
		return nil, cli.BadInput(fmt.Errorf("--tokenizer %s: %w", name, err))
	}
	return read, nil
}
