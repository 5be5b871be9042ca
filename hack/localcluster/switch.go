package main

import (
	"fmt"
	"net"
	"os"
	"runtime"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// bridge joins the nodes inside the switch.
const bridge = "br0"

// netSwitch is the network of the real nodes: a namespace with a bridge, that the machine does not
// see and that lives as long as one thread of this process.
type netSwitch struct {
	work      chan func()
	namespace *os.File
	path      string
}

// newSwitch makes the network; gateway is its own address with the bits of the nodes' network.
func newSwitch(gateway string) (*netSwitch, error) {
	s := &netSwitch{work: make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the namespace is the thread's
		s.path = fmt.Sprintf("/proc/%d/task/%d/ns/net", os.Getpid(), unix.Gettid())
		if err := setUpSwitch(gateway); err != nil {
			ready <- err
			return
		}
		ready <- nil
		for f := range s.work {
			f()
		}
	}()
	if err := <-ready; err != nil {
		return nil, err
	}
	var err error
	s.namespace, err = os.Open(s.path)
	return s, err
}

// do calls f on the switch's thread: the sockets and processes that it makes are the switch's.
func (s *netSwitch) do(f func() error) error {
	done := make(chan error)
	s.work <- func() { done <- f() }
	return <-done
}

func setUpSwitch(gateway string) error {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("cannot make a network namespace (%w): real nodes need root with CAP_SYS_ADMIN; in a container, start it with --privileged", err)
	}
	if err := netlink.LinkAdd(&netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Name: bridge}}); err != nil {
		return fmt.Errorf("cannot make a bridge (%w): load its kernel module with `modprobe bridge`", err)
	}
	if err := raise("lo"); err != nil {
		return err
	}
	if err := address(bridge, gateway); err != nil {
		return err
	}
	// A node reaches another's pods by this hop; it need not learn a shorter way.
	for _, setting := range []string{"ip_forward=1", "conf/all/send_redirects=0", "conf/" + bridge + "/send_redirects=0"} {
		if err := setIPv4(setting); err != nil {
			return err
		}
	}
	return nil
}

// inNetwork calls f on a thread of its own in that network namespace.
func inNetwork(namespace *os.File, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this function
		err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET)
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

// plug makes the link between the switch and the node whose first process this is. It is made
// inside the switch, straight into the node: the machine's own namespace never sees it.
func plug(node nodeSpec, pid int) error {
	master, err := netlink.LinkByName(bridge)
	if err != nil {
		return err
	}
	// The kernel takes its time with the link of a node that was killed a moment ago.
	if old, err := netlink.LinkByName(node.Name); err == nil {
		_ = netlink.LinkDel(old) // gone meanwhile is as good
	}
	veth := &netlink.Veth{
		LinkAttrs:     netlink.LinkAttrs{Name: node.Name, MasterIndex: master.Attrs().Index},
		PeerName:      "eth0",
		PeerNamespace: netlink.NsPid(pid),
	}
	if err := netlink.LinkAdd(veth); err != nil {
		return fmt.Errorf("cannot link the node to the switch (%w): load the kernel module with `modprobe veth`", err)
	}
	if err := raise(node.Name); err != nil {
		return err
	}
	host, _, err := net.ParseCIDR(node.Address)
	if err != nil {
		return err
	}
	_, pods, err := net.ParseCIDR(node.Pods)
	if err != nil {
		return err
	}
	// The route by a link outlives a node that went, and is there when it comes back.
	return netlink.RouteReplace(&netlink.Route{Dst: pods, Gw: host, LinkIndex: master.Attrs().Index})
}

func raise(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	return netlink.LinkSetUp(link)
}

// address gives the link that address, as ADDRESS/BITS, and sets it up.
func address(name, cidr string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	parsed, err := netlink.ParseAddr(cidr)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, parsed); err != nil {
		return err
	}
	return netlink.LinkSetUp(link)
}

func lower(name string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	return netlink.LinkSetDown(link)
}
