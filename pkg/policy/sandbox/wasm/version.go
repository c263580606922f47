// SPDX-License-Identifier: Apache-2.0

package wasm

// Version is that of the module github.com/tetratelabs/wazero: it is part of the key of results
// whose bundle has a program in WebAssembly, as another one may decide otherwise.
const Version = "1.12.0"
