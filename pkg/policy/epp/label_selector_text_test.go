// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestSelectorTexts(t *testing.T) {
	for text, fault := range map[string]string{
		"app":                       "",
		"!app":                      "",
		"app=x":                     "",
		"app==x":                    "",
		"app = x , tier != y":       "",
		"app=":                      "",
		"example.com/app in (a, b)": "",
		"app notin (a)":             "",
		"app in (a,,b)":             "",
		"size>5,size<10":            "",
		"x in (in)":                 "",
		"app=x,":                    "the end where a label is expected",
		",app":                      `"," where a label is expected`,
		"in in (x)":                 `"in" where a label is expected`,
		"=x":                        `"=" where a label is expected`,
		"!":                         "the end where a label is expected",
		"!app=x":                    `"=" where a comma is expected`,
		"app x":                     `"x" where an operator is expected`,
		"app=x y":                   `"y" where a comma is expected`,
		"app=(x)":                   `"(" where a value is expected`,
		"app in a":                  `"a" where ( is expected`,
		"app in ()":                 `")" where values of in is expected`,
		"app in (a":                 "the end where a comma or ) is expected",
		"app in (a b)":              `"b" where a comma or ) is expected`,
		"size>big":                  `"big" where an integer is expected`,
		"-app=x":                    "must",
		"app=-x":                    "must",
		"app in (" + strings.Repeat("x", 64) + ")": "must",
	} {
		l := &config.Loader{}
		checkSelectorText(l, text, inline)
		switch {
		case fault == "" && len(l.Faults) > 0:
			t.Errorf("%q: %v", text, l.Faults)
		case fault != "" && (len(l.Faults) != 1 || !strings.Contains(l.Faults[0].Err.Detail, fault)):
			t.Errorf("%q: %v, want %s", text, l.Faults, fault)
		}
	}
}
