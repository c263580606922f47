// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"reflect"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestEachHistogramOfACellIsRecycled(t *testing.T) {
	var c Cell
	known := c.histograms()
	fields := reflect.ValueOf(&c).Elem()
	for i := range fields.NumField() {
		h, is := fields.Field(i).Addr().Interface().(*stats.Histogram)
		if is && !slices.Contains(known, h) {
			t.Errorf("Recycle leaves %s", fields.Type().Field(i).Name)
		}
	}
}
