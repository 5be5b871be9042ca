package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// nodeSpec is the file node.json in a node's folder.
type nodeSpec struct {
	// Name is that of the node, and of its link in the switch.
	Name string `json:"name"`
	// Address is the node's own, with the bits of the nodes' network.
	Address string `json:"address"`
	// Pods are the addresses of its pods, as ADDRESS/BITS.
	Pods string `json:"pods"`
	// Gateway is the switch's address.
	Gateway string `json:"gateway"`
	// Parts run in the node. It ends when one of them ends.
	Parts []nodePart `json:"parts"`

	home string
}

// nodePart is a program that runs in a node.
type nodePart struct {
	Name string `json:"name"`
	// After is a Unix socket on which another part must listen before this one starts.
	After string `json:"after"`
	// Command is a tool of this binary or a program in PATH, and its arguments.
	Command []string `json:"command"`
}

func readNode(home string) (nodeSpec, error) {
	node := nodeSpec{home: home}
	content, err := os.ReadFile(filepath.Join(home, "node.json"))
	if err != nil {
		return node, err
	}
	return node, json.Unmarshal(content, &node)
}

// cluster is the folder of the cluster's state: a node's is CLUSTER/nodes/NAME.
func (n nodeSpec) cluster() string { return filepath.Join(n.home, "..", "..") }

// runNode is a node's supervisor, on the machine: nothing of the node outlives it, and it does not
// outlive the cluster's supervisor. Its argument is the node's folder, with a node.json. There it
// writes "pid", its own, once the node is set up; "first", the number of the node's first process;
// and "lock", which is held as long as anything is left of the node.
func runNode() {
	// As in supervise: the first process gets its parent-death signal when this thread ends.
	runtime.LockOSThread()
	if len(os.Args) != 2 {
		fatal(2, "usage: localcluster node DIR")
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	node, err := readNode(os.Args[1])
	if err == nil {
		err = node.run(stop)
	}
	if err != nil {
		fatal(1, "%s: %v", node.Name, err)
	}
}

func (n nodeSpec) run(stop <-chan os.Signal) (err error) {
	lock, err := lockFolder(n.home)
	if err != nil {
		return err
	}
	os.Remove(filepath.Join(n.home, "pid"))
	clusterEnds, err := n.watchCluster()
	if err != nil {
		return err
	}
	groups, err := hierarchies(n.cluster(), n.Name)
	if err != nil {
		return err
	}
	if err := clearGroups(groups); err != nil {
		return err
	}
	dismiss, err := startJanitor(groups, lock)
	if err != nil {
		return err
	}
	clusterEnded := false
	defer func() {
		err = errors.Join(err, clearGroups(groups), dismiss())
		if clusterEnded { // what is on its disk is for a node that comes back
			err = errors.Join(err, os.RemoveAll(filepath.Join(n.home, "lib")))
		}
	}()
	for _, group := range groups {
		if err := group.make(); err != nil {
			return fmt.Errorf("cannot make a cgroup (%w): in a container, start it with --privileged", err)
		}
	}
	first, ended, err := n.startFirst(groups)
	if err != nil {
		return err
	}
	defer func() { first.Kill(); <-ended }()
	if err := os.WriteFile(filepath.Join(n.home, "pid"), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	select {
	case <-stop:
		return nil
	case <-clusterEnds:
		clusterEnded = true
		return nil
	case fate := <-ended:
		close(ended)
		return fmt.Errorf("its first process ended: %s", fate)
	}
}

// lockFolder fails while another supervisor of the same folder, or its janitor, lives. No death
// leaves the lock behind.
func lockFolder(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, fmt.Errorf("%s is in use (%w)", dir, err)
	}
	return file, nil
}

// watchCluster gives a channel that is closed when the cluster's supervisor ends.
func (n nodeSpec) watchCluster() (<-chan struct{}, error) {
	content, err := os.ReadFile(filepath.Join(n.cluster(), "pid"))
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return nil, err
	}
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("the cluster's supervisor does not run: %w", err)
	}
	ends := make(chan struct{})
	go func() {
		defer close(ends)
		for {
			ready, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, -1)
			if ready > 0 || (err != nil && err != unix.EINTR) {
				return
			}
		}
	}()
	return ends, nil
}

// startFirst starts the node's first process in namespaces of its own and links it to the switch.
func (n nodeSpec) startFirst(groups []hierarchy) (*os.Process, chan string, error) {
	log, err := os.Create(filepath.Join(n.home, "logs", "node.log"))
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	described, err := json.Marshal(groups)
	if err != nil {
		return nil, nil, err
	}
	first := exec.Command("/proc/self/exe")
	first.Args = []string{"node-first", n.home, string(described)}
	first.Stdout, first.Stderr = log, log
	first.SysProcAttr = &syscall.SysProcAttr{
		Pdeathsig: syscall.SIGKILL,
		Setsid:    true,
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
	}
	linked, err := first.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := first.Start(); err != nil {
		return nil, nil, fmt.Errorf("cannot make namespaces (%w): in a container, start it with --privileged", err)
	}
	ended := make(chan string, 1)
	go func() {
		_ = first.Wait() // the state says the same as this error
		ended <- first.ProcessState.String()
	}()
	if err := n.introduce(first.Process.Pid, linked); err != nil {
		first.Process.Kill()
		<-ended
		return nil, nil, err
	}
	return first.Process, ended, nil
}

// introduce writes down the first process, links it, and lets it go on.
func (n nodeSpec) introduce(pid int, linked io.Writer) error {
	if err := os.WriteFile(filepath.Join(n.home, "first"), []byte(strconv.Itoa(pid)), 0o600); err != nil {
		return err
	}
	if err := n.inSwitch(func() error { return plug(n, pid) }); err != nil {
		return err
	}
	_, err := io.WriteString(linked, "linked\n")
	return err
}

// inSwitch calls f in the network of the cluster's switch.
func (n nodeSpec) inSwitch(f func() error) error {
	path, err := os.ReadFile(filepath.Join(n.cluster(), "switch"))
	if err != nil {
		return err
	}
	namespace, err := os.Open(string(path))
	if err != nil {
		return err
	}
	defer namespace.Close()
	return inNetwork(namespace, f)
}
