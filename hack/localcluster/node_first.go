package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// nodeFirst is the beginning of a node's first process, in namespaces of its own: it joins the
// node's groups, makes them the root of those it sees, and goes on as node-init.
func nodeFirst() {
	// A cgroup namespace is a thread's: the one that makes it must be the one that goes on.
	runtime.LockOSThread()
	var groups []hierarchy
	if err := json.Unmarshal([]byte(os.Args[2]), &groups); err != nil {
		fatal(2, "node-first: %v", err)
	}
	for _, group := range groups {
		if err := os.WriteFile(filepath.Join(group.Path, "cgroup.procs"), []byte("0"), 0o644); err != nil {
			fatal(1, "cannot join a cgroup: %v", err)
		}
	}
	// The present group becomes the root. Exec ends the other threads.
	if err := unix.Unshare(unix.CLONE_NEWCGROUP); err != nil {
		fatal(1, "cannot make a cgroup namespace: %v", err)
	}
	err := syscall.Exec("/proc/self/exe", append([]string{"node-init"}, os.Args[1:]...), os.Environ())
	fatal(1, "node-init: %v", err)
}

// nodeInit is a node's first process: it sets the node up, starts its parts, and is the parent of
// whatever has none. The node ends with it, and it ends as soon as one of the parts ends.
func nodeInit() {
	// containerd's folders become the root of containers, into which every user has to get.
	unix.Umask(0o022)
	var groups []hierarchy
	if err := json.Unmarshal([]byte(os.Args[2]), &groups); err != nil {
		fatal(2, "node-init: %v", err)
	}
	node, err := readNode(os.Args[1])
	if err == nil {
		err = node.setUp(groups)
	}
	if err != nil {
		fatal(1, "the node cannot be set up: %v", err)
	}
	parts := map[int]string{}
	for _, part := range node.Parts {
		pid, err := node.start(part)
		if err != nil {
			fatal(1, "%s: cannot start: %v", part.Name, err)
		}
		parts[pid] = part.Name
	}
	fatal(1, "%s", reap(parts))
}

func (n nodeSpec) setUp(groups []hierarchy) error {
	if err := unix.Sethostname([]byte(n.Name)); err != nil {
		return err
	}
	if err := mountNode(n.home, groups); err != nil {
		return err
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return fmt.Errorf("its supervisor did not link it: %w", err)
	}
	return joinNetwork(n)
}

// start starts a part of the node; its output goes to logs/NAME.log, its number to /run/NAME.pid.
func (n nodeSpec) start(part nodePart) (int, error) {
	log, err := os.Create(filepath.Join(n.home, "logs", part.Name+".log"))
	if err != nil {
		return 0, err
	}
	defer log.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	program, args := "/proc/self/exe", part.Command
	switch {
	case part.After != "":
		args = append([]string{"node-after", part.After}, args...)
	case tools[args[0]] == nil:
		if program, err = exec.LookPath(args[0]); err != nil {
			return 0, err
		}
	}
	// Not by os/exec: all that end here are reaped in one place.
	pid, err := syscall.ForkExec(program, args, &syscall.ProcAttr{
		Env:   append(os.Environ(), "TMPDIR=/run/tmp"),
		Files: []uintptr{null.Fd(), log.Fd(), log.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return 0, err
	}
	return pid, os.WriteFile("/run/"+part.Name+".pid", []byte(strconv.Itoa(pid)), 0o600)
}

// reap waits for all children, the orphans of the namespace as well, until one of the parts has
// ended, and says which.
func reap(parts map[int]string) string {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err.Error()
		case parts[pid] != "" && status.Signaled():
			return fmt.Sprintf("%s ended: signal %s", parts[pid], status.Signal())
		case parts[pid] != "":
			return fmt.Sprintf("%s ended: exit code %d", parts[pid], status.ExitStatus())
		}
	}
}
