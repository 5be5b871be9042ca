package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

// startJanitor starts the process that removes the groups when this one is gone, however it went:
// of all that a node is made of, nothing in the kernel ends groups. It holds the lock as long as it
// lives. The function that is returned ends it.
func startJanitor(groups []hierarchy, lock *os.File) (func() error, error) {
	described, err := json.Marshal(groups)
	if err != nil {
		return nil, err
	}
	janitor := exec.Command("/proc/self/exe")
	janitor.Args = []string{"node-janitor", string(described)}
	janitor.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	janitor.Stderr = os.Stderr
	janitor.ExtraFiles = []*os.File{lock}
	alive, err := janitor.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := janitor.Start(); err != nil {
		return nil, err
	}
	return func() error {
		alive.Close()
		return janitor.Wait()
	}, nil
}

// nodeJanitor waits for the end of its input and clears the groups.
func nodeJanitor() {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	var groups []hierarchy
	if err := json.Unmarshal([]byte(os.Args[1]), &groups); err != nil {
		fatal(2, "node-janitor: %v", err)
	}
	io.Copy(io.Discard, os.Stdin)
	if err := clearGroups(groups); err != nil {
		fatal(1, "node-janitor: %v", err)
	}
}

// nodeSweep removes the groups of a node whose supervisor and janitor were both killed. Its
// argument is the node's folder.
func nodeSweep() {
	if len(os.Args) != 2 {
		fatal(2, "usage: localcluster node-sweep DIR")
	}
	if err := sweep(os.Args[1]); err != nil {
		fatal(1, "node-sweep: %v", err)
	}
}

func sweep(home string) error {
	groups, err := hierarchies(filepath.Join(home, "..", ".."), filepath.Base(home))
	if err != nil {
		return err
	}
	if err := clearGroups(groups); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(home), err)
	}
	return nil
}

// nodeLink cuts a node off the switch or links it again: localcluster node-link DIR cut|mend.
func nodeLink() {
	if len(os.Args) != 3 || (os.Args[2] != "cut" && os.Args[2] != "mend") {
		fatal(2, "usage: localcluster node-link DIR cut|mend")
	}
	node, err := readNode(os.Args[1])
	if err == nil {
		err = node.inSwitch(func() error {
			if os.Args[2] == "cut" {
				return lower(node.Name)
			}
			return raise(node.Name)
		})
	}
	if err != nil {
		fatal(1, "node-link %s: %v", os.Args[1], err)
	}
}
