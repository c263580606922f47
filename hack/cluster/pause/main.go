// SPDX-License-Identifier: Apache-2.0

// Pause keeps the namespaces of a pod open until a signal ends it.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	<-stop
}
