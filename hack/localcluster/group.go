package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// grace is how long the tools may take to end by themselves. kube-apiserver would take 9 seconds;
// nothing of a throwaway cluster is worth that wait.
const grace = 2 * time.Second

// exit is the end of a process.
type exit struct{ name, fate string }

// group is the set of processes that this supervisor started and that have not ended.
type group struct {
	dir     string
	running map[string]*os.Process
	exits   chan exit
	nodes   *netSwitch // nil before it is ordered
}

func newGroup(dir string) *group {
	return &group{dir: dir, running: map[string]*os.Process{}, exits: make(chan exit)}
}

// makeSwitch makes the network of real nodes, and writes down where it is.
func (g *group) makeSwitch(order *switchOrder) error {
	nodes, err := newSwitch(order.Gateway)
	if err != nil {
		return err
	}
	if err := nodes.openIngress(order.Gateway, order.Port); err != nil {
		return err
	}
	if err := nodes.openEgress(); err != nil {
		return err
	}
	g.nodes = nodes
	return os.WriteFile(filepath.Join(g.dir, "switch"), []byte(nodes.path), 0o600)
}

// start carries out an order, on the machine or in the switch.
func (g *group) start(order order) error {
	if !order.Inside {
		return g.run(order)
	}
	if g.nodes == nil {
		return errors.New("there is no switch")
	}
	return g.nodes.do(func() error { return g.run(order) })
}

// run starts a tool of this binary, or a program, under its own name so that `ps` is readable.
func (g *group) run(order order) error {
	name, program := order.Start, order.Program
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		program = self
	}
	log, err := os.Create(filepath.Join(g.dir, "logs", name+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(program)
	cmd.Args = append([]string{name}, order.Args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = g.dir, log, log
	// A group of its own: Ctrl-C in the terminal reaches only us, and we end them in order.
	// The parent-death signal ends them even if we are killed with SIGKILL.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.running[name] = cmd.Process
	if order.Nice > 0 {
		// Of all threads that it has by now; later ones inherit it. Where we may not, as if we give
		// way even further ourselves, it is as good as without.
		_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, order.Nice)
	}
	go func() {
		_ = cmd.Wait() // the state says the same as this error
		g.exits <- exit{name, cmd.ProcessState.String()}
	}()
	return nil
}

func (g *group) forget(name string) {
	delete(g.running, name)
}

// end asks all processes to end, and kills what is left after the grace period.
func (g *group) end() {
	g.signal(syscall.SIGTERM)
	killAt := time.After(grace)
	for len(g.running) > 0 {
		select {
		case exit := <-g.exits:
			g.forget(exit.name)
		case <-killAt:
			g.signal(syscall.SIGKILL)
		}
	}
}

func (g *group) signal(signal os.Signal) {
	for _, process := range g.running {
		_ = process.Signal(signal) // an error means that it has ended meanwhile
	}
}
