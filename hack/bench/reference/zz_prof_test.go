package reference

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"

	"windtunnel.dev/windtunnel/pkg/simulator"
)

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func TestMinR(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	for _, i := range []int{16, 64, 256} {
		if os.Getenv("I") != "" && os.Getenv("I") != strconv.Itoa(i) {
			continue
		}
		best := 1e9
		for k := 0; k < n; k++ {
			c := R(50000, i, 1)
			a := cpu()
			if _, err := simulator.Run(context.Background(), c); err != nil {
				t.Fatal(err)
			}
			best = min(best, cpu()-a)
		}
		fmt.Printf("R(50000,%d) best %.4f s CPU, %.0f k/s\n", i, best, 50/best)
	}
}
