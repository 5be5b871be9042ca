package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// egressSocket is, in the cluster's folder, the API server's way to kubelets, webhooks and pods.
const egressSocket = "egress.sock"

// openIngress lets the nodes reach the API server at the gateway's address. A socket belongs to the
// namespace that it was made in, not to that of the process that accepts from it: it is made in the
// switch, and each accepted connection is passed on to the machine's loopback.
func (s *netSwitch) openIngress(gateway string, port int) error {
	host, _, err := net.ParseCIDR(gateway)
	if err != nil {
		return err
	}
	var ingress net.Listener
	listen := func() (err error) {
		ingress, err = net.Listen("tcp4", fmt.Sprintf("%s:%d", host, port))
		return err
	}
	if err := s.do(listen); err != nil {
		return err
	}
	go accept(ingress, func(down net.Conn) {
		up, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			down.Close()
			return
		}
		join(down, down, up)
	})
	return nil
}

// openEgress is an HTTP proxy (CONNECT) on a Unix socket in the working folder that dials inside
// the switch.
func (s *netSwitch) openEgress() error {
	os.Remove(egressSocket)
	egress, err := net.Listen("unix", egressSocket)
	if err != nil {
		return err
	}
	if err := os.Chmod(egressSocket, 0o600); err != nil {
		return err
	}
	go accept(egress, s.connect)
	return nil
}

// connect serves one request of the proxy.
func (s *netSwitch) connect(down net.Conn) {
	reader := bufio.NewReader(down)
	request, err := http.ReadRequest(reader)
	if err != nil || request.Method != http.MethodConnect {
		down.Close()
		return
	}
	var up net.Conn
	err = inNetwork(s.namespace, func() (err error) {
		// The address is numeric, so that Go makes the socket on this thread.
		up, err = (&net.Dialer{Timeout: 10 * time.Second}).Dial("tcp4", request.Host)
		return err
	})
	if err != nil {
		fmt.Fprintf(down, "HTTP/1.1 502 %s\r\n\r\n", strings.ReplaceAll(err.Error(), "\n", " "))
		down.Close()
		return
	}
	fmt.Fprint(down, "HTTP/1.1 200 OK\r\n\r\n")
	join(down, reader, up)
}

func accept(listener net.Listener, serve func(net.Conn)) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			time.Sleep(10 * time.Millisecond) // too many open files, for example: it passes
			continue
		}
		go serve(connection)
	}
}

// join passes on bytes in both directions until both have ended.
func join(down net.Conn, downReader io.Reader, up net.Conn) {
	defer up.Close()
	defer down.Close()
	sent := make(chan struct{})
	go func() {
		io.Copy(up, downReader)
		closeWrite(up)
		close(sent)
	}()
	io.Copy(down, up)
	closeWrite(down)
	<-sent
}

func closeWrite(connection net.Conn) {
	if half, can := connection.(interface{ CloseWrite() error }); can {
		half.CloseWrite()
	}
}
