// SPDX-License-Identifier: Apache-2.0

package study

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"windtunnel.dev/windtunnel/internal/chart"
)

// WritePage writes a page of documentation and, next to it, its chart with the
// ending svg. The template gets what data makes of the chart's file name. Nothing
// is written unless both could be made.
func WritePage(path string, page *template.Template, data func(chart string) any, picture *chart.Chart) error {
	svg := strings.TrimSuffix(path, filepath.Ext(path)) + ".svg"
	var text, drawn bytes.Buffer
	if err := page.Execute(&text, data(filepath.Base(svg))); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if err := picture.WriteSVG(&drawn); err != nil {
		return err
	}
	if err := os.WriteFile(svg, drawn.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}
