package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// order is one line of the supervisor's standard input: a tool to start, a switch, or "detach".
type order struct {
	// Switch makes the network of real nodes, and the ways between it and the API server.
	Switch *switchOrder `json:"switch"`
	// Start names the tool of this binary to start; its output goes to logs/<Start>.log.
	Start string `json:"start"`
	// Program is the path of another program to start under that name.
	Program string `json:"program"`
	// Inside starts it in the switch.
	Inside bool `json:"inside"`
	// Args are the flags of the tool.
	Args []string `json:"args"`
	// Nice is how far it gives way to the others when processors are short, as for nice(1).
	Nice int `json:"nice"`
	// Detach makes the supervisor outlive its parent: the end of its input ends nothing any more.
	Detach bool `json:"detach"`
}

type switchOrder struct {
	// Gateway is the switch's own address with the bits of the nodes' network.
	Gateway string `json:"gateway"`
	// Port is that of the API server, on the machine's 127.0.0.1 and at the gateway.
	Port int `json:"port"`
}

// supervise starts the tools that are listed for it, and guarantees that they end: when its
// standard input ends (its parent is gone, however it went), on SIGTERM or SIGINT, and as soon as
// one of them ends by itself, for a control plane without one of its parts only confuses.
//
// Its argument is the folder of the cluster's state. There it writes "pid", its own; "ended", the
// name and fate of the tool that ended by itself; "switch", the path of the network namespace that
// joins real nodes; and "logs". It removes "etcd", the store.
func supervise() {
	// Linux sends a child's parent-death signal when the *thread* that started it ends: all of
	// them are started from this one, which lives as long as the process.
	runtime.LockOSThread()
	if len(os.Args) != 2 {
		fatal(2, "usage: localcluster supervise DIR")
	}
	dir, err := filepath.Abs(os.Args[1])
	if err != nil {
		fatal(1, "supervise %s: %v", os.Args[1], err)
	}
	// A terminal that closes, or a reader of our output that leaves, must not end the cluster.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	// The paths of sockets may be short then, whatever the folder's.
	if err := os.Chdir(dir); err != nil {
		fatal(1, "supervise: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		fatal(1, "supervise: %v", err)
	}

	group := newGroup(dir)
	err = obey(group, readOrders(os.Stdin), stop)
	group.end()
	os.RemoveAll(filepath.Join(dir, "etcd"))
	if err != nil {
		os.WriteFile(filepath.Join(dir, "ended"), []byte(err.Error()), 0o600)
		fatal(1, "%v", err)
	}
}

// obey carries out orders until it is time to end; the error says which tool ended by itself.
func obey(group *group, orders <-chan order, stop <-chan os.Signal) error {
	for {
		select {
		case <-stop:
			return nil
		case exit := <-group.exits:
			group.forget(exit.name)
			return fmt.Errorf("%s: %s", exit.name, exit.fate)
		case next, open := <-orders:
			switch {
			case !open:
				return nil
			case next.Detach:
				orders = nil // never ready again
			case next.Switch != nil:
				if err := group.makeSwitch(next.Switch); err != nil {
					return fmt.Errorf("switch: %w", err)
				}
			default:
				if err := group.start(next); err != nil {
					return fmt.Errorf("%s: cannot start: %w", next.Start, err)
				}
			}
		}
	}
}

// readOrders passes on the lines of the input; the channel is closed when the input ends.
func readOrders(input io.Reader) <-chan order {
	orders := make(chan order)
	go func() {
		defer close(orders)
		lines := json.NewDecoder(input)
		for {
			var next order
			if err := lines.Decode(&next); err != nil {
				if !errors.Is(err, io.EOF) {
					fmt.Fprintf(os.Stderr, "supervise: cannot read an order: %v\n", err)
				}
				return
			}
			orders <- next
		}
	}()
	return orders
}
