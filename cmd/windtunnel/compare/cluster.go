// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"context"
	"os"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/cmd/windtunnel/results"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/result"
)

// isObject reports whether a name is that of an object of a cluster: there is no such file, and the
// name has no ending, as files have. With --scenario, both sides are files.
func (o *compareOptions) isObject(name string) bool {
	if _, err := os.Stat(name); err == nil || o.scenario != "" || name == "-" || strings.Contains(name, ".") {
		return false
	}
	_, _, err := kubectl.ParseRef(name)
	return err == nil
}

// checkCluster refuses the flags of a cluster where neither side is an object of one.
func (o *compareOptions) checkCluster(args []string) error {
	for _, name := range args {
		file, _, err := splitPointSuffix(name)
		if err != nil || o.isObject(file) {
			return err
		}
	}
	return o.cluster.Unused()
}

// clusterSide is one side of a comparison from the results of an object of a cluster.
func (o *compareOptions) clusterSide(ctx context.Context, name, object string, point int) (func() (*side, error), error) {
	c, of, err := o.cluster.Object(ctx, object)
	if err != nil {
		return nil, err
	}
	set, err := results.ReadCluster(ctx, c.Client, of)
	if err != nil {
		return nil, err
	}
	rows := set.Rows
	if point >= 0 {
		rows = slices.DeleteFunc(rows, func(r result.Row) bool { return r.Point != point })
	}
	return func() (*side, error) { return &side{name: name, rows: rows, stepTimes: set.StepTimes}, nil }, nil
}
