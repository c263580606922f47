// SPDX-License-Identifier: Apache-2.0

// Probe checks network connections between pods of a cluster.
//
//	probe serve ADDRESS     accepts connections until a signal ends it
//	probe dial ADDRESS...   prints the result of a connection to each address
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// patience is enough for a connection whose first packet is lost thrice.
const patience = 8 * time.Second

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: probe serve ADDRESS | probe dial ADDRESS...")
		os.Exit(2)
	}
	switch command, addresses := os.Args[1], os.Args[2:]; command {
	case "serve":
		fmt.Fprintln(os.Stderr, "probe:", serve(addresses[0]))
		os.Exit(1)
	case "dial":
		dialAll(os.Stdout, addresses)
	}
}

// serve accepts connections until it cannot any more, and says why.
func serve(address string) error {
	listener, err := net.Listen("tcp", address)
	for err == nil {
		var connection net.Conn
		if connection, err = listener.Accept(); err == nil {
			err = connection.Close()
		}
	}
	return err
}

func dialAll(out io.Writer, addresses []string) {
	var all sync.WaitGroup
	for _, address := range addresses {
		all.Go(func() { fmt.Fprintln(out, address, dial(address)) })
	}
	all.Wait()
}

// dial says "reached", or why not: "timeout" without an answer.
func dial(address string) string {
	connection, err := net.DialTimeout("tcp", address, patience)
	var failed net.Error
	switch {
	case err == nil:
		err = connection.Close()
	case errors.As(err, &failed) && failed.Timeout():
		return "timeout"
	}
	if err != nil {
		return err.Error()
	}
	return "reached"
}
