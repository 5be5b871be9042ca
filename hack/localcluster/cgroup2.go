package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// needed are the controllers without which a kubelet does not start.
var needed = []string{"cpu", "cpuset", "memory", "pids"}

// unifiedHierarchy is a node's group where the machine has cgroup v2 alone. There a group that
// gives controllers to those below may hold no process, so it cannot be that of this process; it
// is the nearest above it which gives the needed ones already, for no group of the machine is
// changed.
func unifiedHierarchy(mount, own, name string) ([]hierarchy, error) {
	if mount == "" || own == "" {
		return nil, fmt.Errorf("no cgroups are mounted at /sys/fs/cgroup: real nodes need cgroup v1 or v2; `mount -t cgroup2 cgroup2 /sys/fs/cgroup` mounts the second")
	}
	for group := own; ; group = filepath.Dir(group) {
		if given := controllers(filepath.Join(group, "cgroup.subtree_control")); containsAll(given, needed) {
			return []hierarchy{{Path: filepath.Join(group, name)}}, nil
		}
		if group == mount || group == "/" {
			return nil, fmt.Errorf("no cgroup from %s up to %s gives its groups the controllers %s: `echo +cpu +cpuset +memory +pids > %s/cgroup.subtree_control` makes the last one do so; in a container, start it with --cgroupns=host",
				own, mount, strings.Join(needed, ", "), mount)
		}
	}
}

// shareOut lets the node's first process, alone in the root of its cgroups, give all controllers to
// the groups of pods: the process moves to a group of its own.
func shareOut(root string) error {
	leaf := filepath.Join(root, "node")
	if err := os.Mkdir(leaf, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(leaf, "cgroup.procs"), []byte("0"), 0o644); err != nil {
		return err
	}
	var give []string
	for _, controller := range controllers(filepath.Join(root, "cgroup.controllers")) {
		give = append(give, "+"+controller)
	}
	return os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte(strings.Join(give, " ")), 0o644)
}

func controllers(file string) []string {
	content, _ := os.ReadFile(file)
	return strings.Fields(string(content))
}

func containsAll(given, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(one string) bool { return !slices.Contains(given, one) })
}
