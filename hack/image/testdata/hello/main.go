// SPDX-License-Identifier: Apache-2.0

package main

func main() { println("hello") }
