//! The recipes of the tools: Go modules, packages and flags.

/// How a tool is built.
pub(super) struct Recipe {
    /// The folder in `hack`, and the name of the binary of its own package.
    pub(super) module: &'static str,
    /// The packages in it, or that its go.mod requires: a binary each, named as its folder.
    pub(super) packages: &'static [&'static str],
    /// Flags of `go build` and their values, one after the other.
    pub(super) flags: &'static [&'static str],
    /// The flags that change the binary: part of the cache's key.
    pub(super) settings: &'static str,
    /// Names in `bin`, and the binary that each is a link to.
    pub(super) links: &'static [(&'static str, &'static str)],
    /// How long the build takes, for the waiting user.
    pub(super) takes: &'static str,
    /// The remedy if it cannot be built.
    pub(super) remedy: &'static str,
}

/// Kubernetes reads its version from variables that the linker sets. Every build must use the same
/// flags: with others Go compiles all of Kubernetes again.
const LINKER_FLAGS: &str = "-s -w \
    -X k8s.io/component-base/version.gitVersion=v1.37.1 \
    -X k8s.io/component-base/version.gitMajor=1 \
    -X k8s.io/component-base/version.gitMinor=37";

pub(super) const LOCALCLUSTER: Recipe = Recipe {
    module: "localcluster",
    packages: &[".", "./helm", "./kubectl", "./pause"],
    flags: &["-ldflags", LINKER_FLAGS],
    settings: LINKER_FLAGS,
    links: &[
        ("etcd", "localcluster"),
        ("helm", "helm"),
        ("kube-apiserver", "localcluster"),
        ("kube-controller-manager", "localcluster"),
        ("kube-scheduler", "localcluster"),
        ("kubectl", "kubectl"),
        ("kwok", "localcluster"),
        ("localcluster", "localcluster"),
    ],
    takes: "about 12 minutes on 2 cores",
    remedy: "install Go 1.26 or newer, or set KUBECONFIG to a cluster of your own",
};

pub(super) const DNS: Recipe = Recipe {
    module: "dns",
    packages: &["."],
    flags: &["-ldflags", "-s -w"],
    settings: "",
    links: &[],
    takes: "1 or 2 minutes",
    remedy: "install Go 1.26 or newer",
};

pub(super) const ACTIONLINT: Recipe = Recipe {
    module: "actionlint",
    packages: &["github.com/rhysd/actionlint/cmd/actionlint"],
    flags: &["-ldflags", "-s -w"],
    settings: "",
    links: &[],
    takes: "a minute",
    remedy: "install Go 1.26 or newer",
};

/// Leaves out the code that finds the targets of a Prometheus server in two dozen clouds: two
/// thirds of the build, and no rule needs it.
const PROMTOOL_TAGS: &str = "remove_all_sd";

pub(super) const PROMTOOL: Recipe = Recipe {
    module: "promtool",
    packages: &["github.com/prometheus/prometheus/cmd/promtool"],
    flags: &["-tags", PROMTOOL_TAGS, "-ldflags", "-s -w"],
    settings: PROMTOOL_TAGS,
    links: &[],
    takes: "1 or 2 minutes",
    remedy: "install Go 1.26 or newer",
};
