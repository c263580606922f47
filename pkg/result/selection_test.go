// SPDX-License-Identifier: Apache-2.0

package result

import (
	"reflect"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestEveryFigureOfACellIsMerged(t *testing.T) {
	var cell, sum simulator.Cell
	v := reflect.ValueOf(&cell).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Int:
		case reflect.Int64:
			f.SetInt(int64(i) + 1)
		case reflect.Array:
			for j := range f.Len() {
				f.Index(j).SetInt(int64(i*100 + j))
			}
		default:
			f.Addr().Interface().(*stats.Histogram).RecordN(int64(i), 3)
		}
	}
	mergeCell(&sum, &cell)
	if !reflect.DeepEqual(sum, cell) {
		t.Errorf("the sum of one cell is\n%+v, want\n%+v", sum, cell)
	}
	mergeCell(&sum, &cell)
	if sum.Migrated != 2*cell.Migrated || sum.RejectedBy[1] != 2*cell.RejectedBy[1] || sum.KVLoad.Count() != 2*cell.KVLoad.Count() {
		t.Errorf("the sum of two cells is\n%+v", sum)
	}
}
