// SPDX-License-Identifier: Apache-2.0

package result

import (
	"fmt"
	"strings"

	"windtunnel.dev/windtunnel/pkg/spelling"
)

// didYouMean suggests a metric in place of one that there is not: the same letters with another
// separator, order or case, as in ttft_p99, p99_ttft and TTFT.p99, or a slip of the keyboard.
func didYouMean(m Metric) string {
	written := letters(m.Name + m.Statistic)
	var spelt, names []string
	for _, f := range families {
		for _, s := range f.statistics {
			name := Metric{Name: f.name, Statistic: s.name}.String()
			for _, way := range []string{letters(f.name + s.name), letters(s.name + f.name)} {
				if way == written {
					return fmt.Sprintf("; did you mean %q?", name)
				}
				spelt, names = append(spelt, way), append(names, name)
			}
		}
	}
	near := spelling.Slip(written, spelt)
	for i := range spelt {
		if near != "" && spelt[i] == near {
			return fmt.Sprintf("; did you mean %q?", names[i])
		}
	}
	if near := spelling.Slip(m.Name, familyNames()); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// letters are the letters and digits of a name in lower case.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(name))
}
