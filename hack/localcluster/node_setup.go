package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	criapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sysctls are what a kubelet sets and no namespace holds. In a node a file of its own lies over each
// of them, so that the machine keeps its settings.
var sysctls = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

func (m mount) do() error {
	if err := unix.Mount(m.source, m.target, m.kind, m.flags, m.data); err != nil {
		return fmt.Errorf("cannot mount %s: %w", m.target, err)
	}
	return nil
}

// mountNode makes the node's file system: all of the machine's, to read only, but for the node's own
// folder, which also lies at /var/lib and /var/log, and for /run, in memory.
func mountNode(home string, groups []hierarchy) error {
	lib, log := filepath.Join(home, "lib"), filepath.Join(home, "pod-logs")
	folders := []string{"containerd", "kubelet", "cni"}
	for i := range folders {
		folders[i] = filepath.Join(lib, folders[i])
	}
	folders = append(folders, filepath.Join(log, "pods"), filepath.Join(log, "containers"))
	if err := makeAll(folders); err != nil {
		return err
	}
	err := mountAll([]mount{
		{"", "/", "", unix.MS_REC | unix.MS_PRIVATE, ""},
		{home, home, "", unix.MS_BIND, ""},
		{"", "/", "", unix.MS_REMOUNT | unix.MS_BIND | unix.MS_RDONLY, ""},
		{"run", "/run", "tmpfs", 0, "mode=755"},
		{lib, "/var/lib", "", unix.MS_BIND, ""},
		{log, "/var/log", "", unix.MS_BIND, ""},
		{"proc", "/proc", "proc", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, ""},
		{"sysfs", "/sys", "sysfs", unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC, ""},
	})
	if err != nil {
		return err
	}
	if err := makeAll([]string{"/run/netns", "/run/lock", "/run/tmp"}); err != nil {
		return err
	}
	if err := mountGroups(groups); err != nil {
		return err
	}
	if err := hideSysctls(); err != nil {
		return err
	}
	// Volumes that the kubelet mounts are to be seen in containers.
	return mountAll([]mount{{"", "/", "", unix.MS_REC | unix.MS_SHARED, ""}})
}

func mountAll(mounts []mount) error {
	for _, m := range mounts {
		// What lies there on the machine, with all below it, is not to be seen in the node.
		if m.kind == "proc" || m.kind == "sysfs" {
			_ = unix.Unmount(m.target, unix.MNT_DETACH)
		}
		if err := m.do(); err != nil {
			return err
		}
	}
	return nil
}

func makeAll(folders []string) error {
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func mountGroups(groups []hierarchy) error {
	const root = "/sys/fs/cgroup"
	if groups[0].Options == "" {
		if err := (mount{"cgroup", root, "cgroup2", 0, ""}).do(); err != nil {
			return err
		}
		return shareOut(root)
	}
	if err := (mount{"cgroup", root, "tmpfs", 0, "mode=755"}).do(); err != nil {
		return err
	}
	for _, group := range groups {
		folder := filepath.Join(root, strings.TrimPrefix(group.Options, "name="))
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		if err := (mount{"cgroup", folder, "cgroup", 0, group.Options}).do(); err != nil {
			return err
		}
	}
	return nil
}

func hideSysctls() error {
	for _, name := range sysctls {
		file := "/run/sysctl-" + strings.ReplaceAll(name, "/", "-")
		if err := os.WriteFile(file, []byte("0\n"), 0o644); err != nil {
			return err
		}
		err := mount{file, "/proc/sys/" + name, "", unix.MS_BIND, ""}.do()
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // a kernel without keys has no limits of them
			return err
		}
	}
	return nil
}

// joinNetwork gives eth0, which the supervisor has made, the node's address.
func joinNetwork(n nodeSpec) error {
	if err := raise("lo"); err != nil {
		return err
	}
	if err := address("eth0", n.Address); err != nil {
		return err
	}
	if err := netlink.RouteAdd(&netlink.Route{Gw: net.ParseIP(n.Gateway)}); err != nil {
		return fmt.Errorf("cannot add the route by %s: %w", n.Gateway, err)
	}
	return setIPv4("ip_forward=1")
}

// setIPv4 sets NAME=VALUE in the present network namespace.
func setIPv4(setting string) error {
	name, value, _ := strings.Cut(setting, "=")
	return os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0o644)
}

// nodeAfter becomes another tool or program as soon as a container runtime is initialized:
// localcluster node-after SOCKET COMMAND...
func nodeAfter() {
	for !runtimeIsInitialized(os.Args[1]) {
		time.Sleep(20 * time.Millisecond)
	}
	err := syscall.Exec("/proc/self/exe", os.Args[2:], os.Environ())
	fatal(1, "%s: %v", os.Args[2], err)
}

// runtimeIsInitialized asks the runtime what a kubelet asks it first. A runtime listens before it can
// answer, for long on a busy machine, and a kubelet that meets it then ends.
func runtimeIsInitialized(socket string) bool {
	connection, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		fatal(1, "%s: %v", socket, err)
	}
	defer connection.Close()
	limited, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, err = criapi.NewRuntimeServiceClient(connection).Version(limited, &criapi.VersionRequest{})
	return err == nil
}
