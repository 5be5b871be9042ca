// Command pause is the one process of a pod's sandbox: it holds the pod's namespaces open, and ends
// when it is asked to.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	<-end
}
