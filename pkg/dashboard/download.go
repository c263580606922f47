// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"mime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// download answers with a file, or with nothing if it could not be made.
func (r *reading) download(name, contentType string, write func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	h := r.ResponseWriter.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	_, _ = b.WriteTo(r.ResponseWriter) // the reader may be gone
	return nil
}

// parameters are those of the points as tables of rows have them.
func (r *reading) parameters() dataframe.Parameters {
	p := dataframe.Parameters{}
	for point, values := range r.Parameters {
		p[dataframe.PointName{Point: point}] = values
	}
	return p
}

func (r *reading) rowsJSON() error {
	return r.download(r.object.label()+".jsonl", "application/x-ndjson", func(b *bytes.Buffer) error {
		return new(dataframe.Query).WriteJSON(b, r.Rows, r.parameters())
	})
}

func (r *reading) rowsCSV() error {
	return r.download(r.object.label()+".csv", "text/csv; charset=utf-8", func(b *bytes.Buffer) error {
		return new(dataframe.Query).WriteCSV(b, r.Rows, r.parameters())
	})
}

// reportOf is the report of a sweep or a run. It is an error if there is none.
func (r *reading) reportOf() (page.Report, error) {
	switch {
	case r.Report != nil:
		return r.Report, nil
	case r.RunReport != nil:
		end, err := r.turn()
		if err != nil {
			return nil, err
		}
		defer end()
		return r.RunReport()
	case r.ReportFault != nil:
		return nil, r.ReportFault
	default:
		return nil, ErrNotFound
	}
}

func (r *reading) reportFile() error {
	report, err := r.reportOf()
	if err != nil {
		return err
	}
	return r.download(r.object.label()+".html", "text/html; charset=utf-8", func(b *bytes.Buffer) error { return report.Write(b) })
}

func (r *reading) reportMarkdown() error {
	report, err := r.reportOf()
	if err != nil {
		return err
	}
	return r.download(r.object.label()+".md", "text/markdown; charset=utf-8", func(b *bytes.Buffer) error { return report.Markdown(b) })
}

// report shows the report, that of a sweep below the links to its other pages.
func (r *reading) report() error {
	shown, err := r.reportOf()
	if err != nil {
		return err
	}
	if r.Report != nil {
		var above bytes.Buffer
		if err := aboveTemplate().Execute(&above, r.newStatus()); err != nil {
			return err
		}
		sweep := *r.Report                          // other readers have it, too
		sweep.Above = template.HTML(above.String()) //nolint:gosec // a template made it
		shown = &sweep
	}
	var text bytes.Buffer
	if err := shown.Write(&text); err != nil {
		return err
	}
	h := r.ResponseWriter.Header()
	h.Set("Content-Security-Policy", page.Policy()+"; "+noFrames)
	h.Set("Content-Type", "text/html; charset=utf-8")
	_, _ = text.WriteTo(r.ResponseWriter) // the reader may be gone
	return nil
}

// manifest is the manifest of a run that simulates the point of the path again.
func (r *reading) manifest() error {
	point, _, err := r.pointOf()
	if err != nil {
		return err
	}
	if r.Run == nil {
		return ErrNotFound
	}
	run, err := r.Run(point)
	if err != nil {
		return err
	}
	return r.download(r.manifestName(point), "application/yaml", func(b *bytes.Buffer) error {
		fmt.Fprintf(b, "# %s\n", kubectl.OneLine(r.titleOf(point)+": "+r.pointName(point)))
		return writeManifest(b, run)
	})
}

// writeManifest writes a run as people write it: without a status.
func writeManifest(b *bytes.Buffer, run *v1alpha1.SimulationRun) error {
	type names struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
	}
	raw, err := json.Marshal(struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        names                      `json:"metadata"`
		Spec            v1alpha1.SimulationRunSpec `json:"spec"`
	}{metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: Runs.Kind()}, names{run.Name, run.Namespace}, run.Spec})
	if err != nil {
		return err
	}
	text, err := yaml.JSONToYAML(raw)
	if err != nil {
		return err
	}
	_, err = b.Write(text)
	return err
}
