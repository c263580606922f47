// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"reflect"

	"windtunnel.dev/windtunnel/internal/printable"
)

// makePrintable has every text of a status printable: texts of specs, traces, programs, services and pods
// reach it, and people print a status.
func makePrintable(s subject) {
	switch s := s.(type) {
	case run:
		printTexts(reflect.ValueOf(&s.Status).Elem())
	case sweep:
		printTexts(reflect.ValueOf(&s.Status).Elem())
	}
}

func printTexts(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(printable.Masked(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			printTexts(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			printTexts(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				printTexts(v.Field(i))
			}
		}
	}
}
