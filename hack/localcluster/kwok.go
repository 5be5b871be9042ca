package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	nodestages "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	podstages "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwokcmd "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

func kwok() {
	// The Kubernetes components linked into this binary add a --version flag to the global set;
	// KWOK's command has one of its own and both cannot be.
	pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ContinueOnError)

	// KWOK parses twice: first what configures its log and its config file, then the rest.
	early := pflag.NewFlagSet("global", pflag.ContinueOnError)
	early.ParseErrorsAllowlist.UnknownFlags = true
	early.Usage = func() {}
	ctx, _ := kwoklog.InitFlags(signals.SetupSignalContext(), early)
	ctx, err := kwokconfig.InitFlags(ctx, early)
	if err != nil {
		fatal(1, "kwok: %v", err)
	}
	cmd := kwokcmd.NewCommand(ctx)
	cmd.PersistentFlags().AddFlagSet(early)
	if err := cmd.ExecuteContext(ctx); err != nil {
		fatal(1, "kwok: %v", err)
	}
}

// kwokStages prints the config that KWOK needs: the stages which its own releases ship, by which
// nodes become Ready, bound pods become Ready, and deleted pods go at once.
func kwokStages() {
	stages := []string{nodestages.DefaultNodeInit, podstages.DefaultPodReady, podstages.DefaultPodDelete}
	fmt.Println(strings.Join(stages, "\n---\n"))
}
