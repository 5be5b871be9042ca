//! The chart, installed as a user installs it, and its parts for the operator: an identity with its
//! rights, a configuration, a command line.
//!
//! Its Deployment has no pods, as nothing here runs containers: the tests start the operator.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::control_plane::{CHECKOUT, ControlPlane, printed};

/// The name of the release and of its namespace.
pub const RELEASE: &str = "grove";
pub const SYSTEM: &str = "grove-system";

/// The parts of an installed chart that the operator uses.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Has the operator's identity.
    kubeconfig: PathBuf,
    /// The pod in the Deployment's template.
    pod: Value,
    /// The files of the ConfigMap.
    files: Value,
}

impl Installation {
    /// Installs the chart of this checkout, or upgrades the installed one, with these values.
    pub fn on(control_plane: &ControlPlane, values: &[&str]) -> Self {
        let chart = chart();
        let mut args = vec![
            "upgrade",
            "--install",
            RELEASE,
            &chart,
            "--create-namespace",
        ];
        // Takes over definitions that kubectl applied.
        args.extend(["--take-ownership", "--force-conflicts", "--reset-values"]);
        // All tests run under the policy: some fail if it forbids too much.
        args.extend(["--set", "replicaCount=0,admissionPolicy.enabled=true"]);
        // Tests of these features have their own operator.
        let alone = "webhooks.enabled=false,config.leaderElection.enabled=false";
        args.extend(["--set", alone]);
        args.extend(values.iter().flat_map(|value| ["--set", value]));
        helm(control_plane, &args);
        if !values.contains(&"crds.install=false") {
            control_plane.wait_for_definitions();
        }
        Self::found(control_plane)
    }

    /// The installed parts.
    pub fn found(control_plane: &ControlPlane) -> Self {
        let get = |what: &str| {
            let object = ["get", what, "--namespace", SYSTEM, "--output=json"];
            serde_json::from_str::<Value>(&control_plane.kubectl(object)).unwrap()
        };
        let pod = get("deployment/grove-operator")["spec"]["template"]["spec"].take();
        let files = pod["volumes"][0]["configMap"]["name"].as_str().unwrap();
        let files = get(&format!("configmap/{files}"))["data"].take();
        let account = pod["serviceAccountName"].as_str().unwrap();
        Self {
            kubeconfig: operators_kubeconfig(control_plane, account),
            pod,
            files,
        }
    }

    /// The same operator with another kubeconfig.
    pub fn seen_through(&self, kubeconfig: &Path) -> Self {
        Self {
            kubeconfig: kubeconfig.to_owned(),
            ..self.clone()
        }
    }

    /// The same operator with one more variable.
    pub fn with_variable(&self, name: &str, value: &str) -> Self {
        let mut changed = self.clone();
        let all = changed.pod["containers"][0]["env"].as_array_mut().unwrap();
        all.push(json!({"name": name, "value": value}));
        changed
    }

    /// The operator's kubeconfig.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Writes the operator's files into `dir`, with this address to listen on and more lines of
    /// configuration.
    pub fn write_files(&self, dir: &Path, address: SocketAddr, more: &str) {
        let listener = json!({"bindAddress": address.ip(), "port": address.port()});
        let server = json!({"server": {"healthProbes": listener, "metrics": listener}});
        let more: Value = serde_saphyr::from_str(more).unwrap();
        for (name, text) in self.files.as_object().unwrap() {
            let mut config = serde_saphyr::from_str(text.as_str().unwrap()).unwrap();
            json_patch::merge(&mut config, &server);
            if config["server"]["webhooks"].is_object() {
                config["server"]["webhooks"]["bindAddress"] = json!(address.ip());
            }
            if more.is_object() {
                json_patch::merge(&mut config, &more);
            }
            fs::write(dir.join(name), config.to_string()).unwrap();
        }
    }

    /// The variables with literal values in the Deployment.
    pub fn variables(&self) -> Vec<(String, String)> {
        let all = self.pod["containers"][0]["env"].as_array();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let all = all.into_iter().flatten();
        all.filter_map(|v| Some((text(&v["name"])?, text(&v["value"])?)))
            .collect()
    }

    /// The operator's command line, with its files in `dir`.
    pub fn args(&self, dir: &Path) -> Vec<String> {
        let container = &self.pod["containers"][0];
        let mounted = container["volumeMounts"][0]["mountPath"].as_str().unwrap();
        let args = container["args"].as_array().unwrap().iter();
        args.map(|arg| {
            let arg = arg.as_str().unwrap();
            arg.replace(mounted, dir.to_str().unwrap())
        })
        .collect()
    }
}

/// Writes the operator's kubeconfig.
fn operators_kubeconfig(control_plane: &ControlPlane, account: &str) -> PathBuf {
    let copy = control_plane.dir.join("operator.kubeconfig");
    kubeconfig_of(control_plane, (SYSTEM, account), &copy);
    copy
}

/// Writes the administrator's kubeconfig with the token of this account instead of the
/// administrator's certificate.
pub fn kubeconfig_of(
    control_plane: &ControlPlane,
    (namespace, account): (&str, &str),
    copy: &Path,
) {
    let token = [
        "create",
        "token",
        account,
        "--namespace",
        namespace,
        "--duration=24h",
    ];
    let token = format!("--token={}", control_plane.kubectl(token).trim());
    fs::copy(&control_plane.kubeconfig, copy).unwrap();
    let config = |args: &[&str]| {
        let file = format!("--kubeconfig={}", copy.display());
        control_plane.kubectl([&["config", &file][..], args].concat());
    };
    config(&["set-credentials", account, &token]);
    config(&["set-context", "--current", "--user", account]);
}

/// The output of helm for the release's namespace; it must succeed.
pub fn helm(control_plane: &ControlPlane, args: &[&str]) -> String {
    printed(
        control_plane
            .tool("helm", args)
            .args(["--namespace", SYSTEM]),
    )
}

/// The folder of the chart.
pub fn chart() -> String {
    CHECKOUT.join("charts/grove").to_str().unwrap().to_owned()
}
