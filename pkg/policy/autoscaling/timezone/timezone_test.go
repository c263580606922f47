// SPDX-License-Identifier: Apache-2.0

package timezone

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"
)

// Another database has another version, and so other keys.
func TestVersionIsThatOfTheDatabase(t *testing.T) {
	digests := map[string]string{"2025c": "8f55634d05f8bca1f7bc7c69c5933428c69357e0bdf565e5ba224e3f88ff12e8"}
	sum := sha256.Sum256(database)
	if got := hex.EncodeToString(sum[:]); got != digests[Version] {
		t.Errorf("the digest is %s: add it with the version that lib/time/update.bash of Go names", got)
	}
}

// The machine's database plays no part.
func TestLoad(t *testing.T) {
	t.Setenv("ZONEINFO", t.TempDir())
	summer, winter := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, offsets := range map[string][2]time.Duration{
		"UTC":                 {0, 0},
		"Europe/Berlin":       {2 * time.Hour, time.Hour},
		"America/New_York":    {-4 * time.Hour, -5 * time.Hour},
		"Asia/Kolkata":        {5*time.Hour + 30*time.Minute, 5*time.Hour + 30*time.Minute},
		"Australia/Lord_Howe": {10*time.Hour + 30*time.Minute, 11 * time.Hour},
	} {
		zone, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, at := range []time.Time{summer, winter} {
			if _, seconds := at.In(zone).Zone(); time.Duration(seconds)*time.Second != offsets[i] {
				t.Errorf("%s is %d s from UTC at %s, want %s", name, seconds, at, offsets[i])
			}
		}
	}
	for _, name := range []string{"", "Local", "Europe/Nowhere", "europe/berlin", "../Europe/Berlin", "/etc/localtime", "Europe", "Europe/"} {
		if zone, err := Load(name); err == nil {
			t.Errorf("%q is the time zone %s", name, zone)
		}
	}
}
