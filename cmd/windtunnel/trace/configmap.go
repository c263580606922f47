// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
)

// maxConfigMapBytes is what an API server takes as a ConfigMap's data.
const maxConfigMapBytes = corev1.MaxSecretSize

// packOptions are the flags of trace configmap.
type packOptions struct {
	FileFlags
	name   string
	output string
}

func newTraceConfigMapCommand() *cobra.Command {
	var o packOptions
	cmd := &cobra.Command{
		Use:   "configmap FILE",
		Short: "Pack a trace into the manifest of a ConfigMap",
		Long: `Check a trace, compress it and write the manifest of a ConfigMap that holds it
under the file's name with .gz at the end. A cluster and --configmap both take it.`,
		Example: `  windtunnel trace configmap conversation_trace.jsonl --name mooncake -o trace.yaml
  kubectl apply --server-side -f trace.yaml`,
		Args: oneTraceFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	o.Add(f)
	f.StringVar(&o.name, "name", "", "name of the ConfigMap (required)")
	cli.FileFlag(f, &o.output, "")
	return cmd
}

func (o packOptions) run(ctx context.Context, stdout io.Writer, file string) error {
	if o.name == "" {
		return cli.BadInput(fmt.Errorf("--name is required"))
	}
	if faults := validation.IsDNS1123Subdomain(o.name); len(faults) > 0 {
		return cli.BadInput(fmt.Errorf("--name: %s", strings.Join(faults, "; ")))
	}
	if err := checkOutput(o.output); err != nil {
		return err
	}
	raw, err := readWhole(ctx, file)
	if err != nil {
		return cli.BadInput(err)
	}
	key := filepath.Base(file) + ".gz"
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		key = filepath.Base(file) + ".tar.gz"
	}
	if _, _, err := o.read(bytes.NewReader(raw), file); err != nil {
		return cli.BadInput(err)
	}
	packed, err := compress(raw)
	if err != nil {
		return err
	}
	if len(packed) > maxConfigMapBytes {
		return cli.BadInput(fmt.Errorf("%s has %d bytes compressed, but a ConfigMap holds at most %d; shorten the trace", file, len(packed), maxConfigMapBytes))
	}
	manifest, err := yaml.Marshal(corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: o.name},
		BinaryData: map[string][]byte{key: packed},
	})
	if err != nil {
		return err
	}
	return cli.WriteOutput(stdout, o.output, cli.Content(manifest))
}

// readWhole reads a file, or the archive of a ServeGen folder.
func readWhole(ctx context.Context, name string) ([]byte, error) {
	in, _, err := openInterruptibly(ctx, nil, name)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(in)
	return raw, errors.Join(err, in.Close())
}

func compress(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(raw); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

var oneTraceFile = cli.Arguments(1, 1, "needs one trace file")
