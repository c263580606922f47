// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// bill returns the software bill of materials of Go binaries of one module, as CycloneDX
// JSON: the modules that the linker put into them, with their checksums, and the standard
// library. It has no date and no serial number, so that the same binaries give the
// same bytes.
func bill(binaries []string) ([]byte, error) {
	info, err := buildinfo.ReadFile(binaries[0])
	if err != nil {
		return nil, err
	}
	modules := info.Deps
	for _, binary := range binaries[1:] {
		other, err := buildinfo.ReadFile(binary)
		if err != nil {
			return nil, err
		}
		modules = append(modules, other.Deps...)
	}
	slices.SortStableFunc(modules, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	modules = slices.CompactFunc(modules, func(a, b *debug.Module) bool { return a.Path == b.Path })
	main := component(cyclonedx.ComponentTypeApplication, &info.Main)
	std := component(cyclonedx.ComponentTypeLibrary, &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})
	libraries := []cyclonedx.Component{std}
	needs := []string{std.BOMRef}
	for _, module := range modules {
		if module.Replace != nil {
			module = module.Replace
		}
		library := component(cyclonedx.ComponentTypeLibrary, module)
		libraries = append(libraries, library)
		needs = append(needs, library.BOMRef)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &main}
	bom.Components = &libraries
	// Which library needs which the binary does not say.
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	var out bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return out.Bytes(), nil
}

// component makes a component of a module. Its hash is the module's in the Go
// checksum database: of the list of its files, not of an archive.
func component(typ cyclonedx.ComponentType, module *debug.Module) cyclonedx.Component {
	url := "pkg:golang/" + module.Path
	if module.Version != "" {
		url += "@" + strings.ReplaceAll(module.Version, "+", "%2B")
	}
	c := cyclonedx.Component{BOMRef: url, Type: typ, Name: module.Path, Version: module.Version, PackageURL: url}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(module.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	return c
}
