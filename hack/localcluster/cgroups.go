package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// hierarchy is a node's group in one hierarchy of cgroups.
type hierarchy struct {
	// Options are those of its mount: the controllers of cgroup v1. None: it is cgroup v2.
	Options string
	// Path is the group's folder on the machine.
	Path string
}

// hierarchies names a node's groups, below those that this process is in: limits of those hold for
// the node too.
func hierarchies(dir, node string) ([]hierarchy, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	// The folder's inode: another cluster has another name, and a later start in the same folder
	// finds what was left.
	name := fmt.Sprintf("grove-%d-%s", info.Sys().(*syscall.Stat_t).Ino, node)
	mounts, err := cgroupMounts()
	if err != nil {
		return nil, err
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, fmt.Errorf("%w: real nodes need a kernel with cgroups", err)
	}
	var found []hierarchy
	unified := ""
	for line := range strings.Lines(string(own)) {
		// NUMBER:CONTROLLERS:PATH, of which cgroup v2 has neither number nor controllers.
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		at, mounted := mounts[strings.Split(fields[1], ",")[0]]
		switch {
		case !mounted:
		case fields[1] == "":
			unified = at.folder(fields[2])
		default:
			found = append(found, hierarchy{fields[1], filepath.Join(at.folder(fields[2]), name)})
		}
	}
	if len(found) > 0 {
		return found, nil // beside them, cgroup v2 has no controllers
	}
	return unifiedHierarchy(mounts[""].point, unified, name)
}

// cgroupMount is where a hierarchy is mounted, and which of its groups is there.
type cgroupMount struct{ point, root string }

func (m cgroupMount) folder(group string) string {
	return filepath.Join(m.point, strings.TrimPrefix(group, m.root))
}

// cgroupMounts finds the hierarchies by controller; that of cgroup v2 by the empty name.
func cgroupMounts() (map[string]cgroupMount, error) {
	info, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	mounts := map[string]cgroupMount{}
	for line := range strings.Lines(string(info)) {
		fields := strings.Fields(line)
		separator := slices.Index(fields, "-")
		if separator < 0 || len(fields) < separator+4 {
			continue
		}
		at := cgroupMount{fields[4], fields[3]}
		switch fields[separator+1] {
		case "cgroup":
			for option := range strings.SplitSeq(fields[separator+3], ",") {
				mounts[option] = at
			}
		case "cgroup2":
			mounts[""] = at
		}
	}
	return mounts, nil
}

// make makes the group. A new cpuset takes no process before it has processors and memory.
func (h hierarchy) make() error {
	if err := os.Mkdir(h.Path, 0o755); err != nil {
		return err
	}
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		above, err := os.ReadFile(filepath.Join(h.Path, "..", file))
		if err != nil || h.Options == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(h.Path, file), above, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// clearGroups kills what is in the groups and removes them.
func clearGroups(all []hierarchy) error {
	deadline := time.Now().Add(20 * time.Second)
	for {
		var left error
		for _, h := range all {
			left = errors.Join(left, h.clear())
		}
		if left == nil || time.Now().After(deadline) {
			return left
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// clear kills what is in the group; the error says what is still there.
func (h hierarchy) clear() error {
	var folders []string
	filepath.WalkDir(h.Path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
			killAll(filepath.Join(path, "cgroup.procs"))
		}
		return nil // what is gone meanwhile need not be walked
	})
	var left error
	for _, folder := range slices.Backward(folders) {
		if err := syscall.Rmdir(folder); err != nil && err != syscall.ENOENT {
			left = fmt.Errorf("cannot remove the cgroup %s: %w", folder, err)
		}
	}
	return left
}

func killAll(procs string) {
	pids, _ := os.ReadFile(procs)
	for _, field := range strings.Fields(string(pids)) {
		if pid, _ := strconv.Atoi(field); pid > 0 {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
