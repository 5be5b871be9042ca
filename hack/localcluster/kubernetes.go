package main

import (
	"context"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserverapp "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllerapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxyapp "k8s.io/kubernetes/cmd/kube-proxy/app"
	schedulerapp "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"

	// The upstream binaries register these from their own main packages: JSON logs, and the
	// metrics of the Kubernetes client and of the build.
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

func etcd() {
	etcdmain.Main(os.Args)
}

func apiServer() {
	os.Exit(cli.Run(apiserverapp.NewAPIServerCommand()))
}

func controllerManager() {
	os.Exit(cli.Run(controllerapp.NewControllerManagerCommand()))
}

func scheduler() {
	os.Exit(cli.Run(schedulerapp.NewSchedulerCommand()))
}

func kubelet() {
	os.Exit(cli.Run(kubeletapp.NewKubeletCommand(context.Background())))
}

func kubeProxy() {
	os.Exit(cli.Run(proxyapp.NewProxyCommand()))
}
