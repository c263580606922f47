// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"debug/buildinfo"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

// tests is the binary of these tests, which has modules in it.
func tests(t *testing.T) string {
	t.Helper()
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheBillNamesWhatIsInTheBinary(t *testing.T) {
	raw, err := bill([]string{tests(t)})
	if err != nil {
		t.Fatal(err)
	}
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(raw), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(tests(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}
	for _, module := range info.Deps {
		want = append(want, "pkg:golang/"+module.Path+"@"+strings.ReplaceAll(module.Version, "+", "%2B"))
	}
	var got []string
	for _, c := range *bom.Components {
		got = append(got, c.PackageURL)
		if c.Name != "std" && (c.Hashes == nil || len((*c.Hashes)[0].Value) != 64) {
			t.Errorf("%s has no SHA-256: %v", c.Name, c.Hashes)
		}
	}
	if !slices.Equal(got, want) || len(got) < 4 {
		t.Errorf("components %q, want %q", got, want)
	}
	if main := bom.Metadata.Component; main.Name != "windtunnel.dev/windtunnel/hack/image" || main.Type != cyclonedx.ComponentTypeApplication {
		t.Errorf("it is the bill of %+v", main)
	}
}

func TestSameBinarySameBill(t *testing.T) {
	var bills []string
	for range 2 {
		folder := t.TempDir()
		args := []string{"-binary", hello(t), "-output", filepath.Join(folder, "image.tar"), "-sbom", filepath.Join(folder, "new", "sbom.json")}
		if err := run(args, io.Discard, io.Discard); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(args[len(args)-1])
		if err != nil {
			t.Fatal(err)
		}
		bills = append(bills, string(raw))
	}
	if bills[0] != bills[1] || !strings.Contains(bills[0], `"bomFormat": "CycloneDX"`) {
		t.Errorf("bills differ, or are none:\n%s\n%s", bills[0], bills[1])
	}
}
