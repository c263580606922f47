// SPDX-License-Identifier: Apache-2.0

// Package timezone has the time zone database, in one version: a time zone is the same on
// every machine and in the container image, which has no files.
package timezone

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"sync"
	"time"
)

// Version is that of the database. Keys of simulations that need a time zone have it.
const Version = "2025c"

// database is lib/time/zoneinfo.zip of Go. It is in the public domain.
//
//go:embed zoneinfo.zip
var database []byte

var files = sync.OnceValue(func() *zip.Reader {
	r, err := zip.NewReader(bytes.NewReader(database), int64(len(database)))
	if err != nil {
		panic(fmt.Sprintf("timezone: %v", err))
	}
	return r
})

// Load returns the time zone of a name in the database, such as Europe/Berlin.
func Load(name string) (*time.Location, error) {
	if name == "UTC" {
		return time.UTC, nil
	}
	data, err := fs.ReadFile(files(), name)
	if err != nil {
		return nil, fmt.Errorf("must be UTC or a name in the time zone database, version %s, such as Europe/Berlin", Version)
	}
	return time.LoadLocationFromTZData(name, data)
}
