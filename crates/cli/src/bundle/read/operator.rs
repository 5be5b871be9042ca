//! The operator's pods, and their log lines about the set.

use std::collections::VecDeque;

use futures::{AsyncBufReadExt, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::LogParams;
use serde_json::Value;

use super::super::collected::Log;
use super::super::{kinds, related};
use super::Reader;
use crate::cluster::OPERATOR;
use crate::exit::Failure;
use crate::json;

/// The newest lines of a log are kept.
const MAX_LINES: usize = 20_000;

impl Reader<'_> {
    /// Searches all namespaces if none is given.
    pub async fn read_operator(&mut self, namespace: Option<&str>) {
        let (cluster, resource) = (self.cluster, kinds::of::<Pod>());
        let pods = cluster.list_raw(&resource, namespace, OPERATOR).await;
        if let Some(line) = explain_missing(&pods, namespace) {
            self.read.missing.push(line);
        }
        self.read.operator = pods.unwrap_or_default();
        for pod in self.read.operator.clone() {
            self.read_logs(&pod).await;
        }
    }

    async fn read_logs(&mut self, pod: &Value) {
        let statuses = pod.pointer("/status/containerStatuses");
        let statuses = statuses.and_then(Value::as_array);
        for status in statuses.into_iter().flatten() {
            let container = json::text(status, "/name");
            let restarts = status.get("restartCount").and_then(Value::as_i64);
            self.read_log(pod, container, false).await;
            if restarts.is_some_and(|count| count > 0) {
                self.read_log(pod, container, true).await;
            }
        }
    }

    async fn read_log(&mut self, pod: &Value, container: &str, previous: bool) {
        let (namespace, pod) = (json::meta(pod, "namespace"), json::meta(pod, "name"));
        let ending = if previous { ".previous" } else { "" };
        let name = format!("{namespace}.{pod}.{container}{ending}");
        match self.lines(namespace, pod, container, previous).await {
            Ok(lines) => self.read.logs.push(Log { name, lines }),
            Err(error) => self.read.missing.push(format!("log {name}: {error}")),
        }
    }

    async fn lines(
        &self,
        namespace: &str,
        pod: &str,
        container: &str,
        previous: bool,
    ) -> Result<Vec<String>, String> {
        let pods = Api::<Pod>::namespaced(self.cluster.client.clone(), namespace);
        let params = LogParams {
            container: Some(container.to_owned()),
            previous,
            ..LogParams::default()
        };
        let log = pods.log_stream(pod, &params).await;
        let mut all = log.map_err(|error| error.to_string())?.lines();
        let mut kept = VecDeque::new();
        while let Some(line) = all.next().await {
            let line = line.map_err(|error| error.to_string())?;
            if related::names_set(&line, &self.read.namespace, &self.read.name) {
                kept.push_back(line);
            }
            if kept.len() > MAX_LINES {
                kept.pop_front();
            }
        }
        Ok(kept.into())
    }
}

/// The reason why nothing of the operator is in the bundle.
fn explain_missing(pods: &Result<Vec<Value>, Failure>, namespace: Option<&str>) -> Option<String> {
    match (pods, namespace) {
        (Ok(pods), _) if !pods.is_empty() => None,
        (Ok(_), None) => Some(format!(
            "the operator: no pod has label {OPERATOR}; if it runs elsewhere, add its version and \
             its log"
        )),
        (Ok(_), Some(namespace)) => Some(format!(
            "the operator: no pod in namespace {namespace} has label {OPERATOR}; without \
             --operator-namespace all namespaces are searched"
        )),
        (Err(failure), None) => Some(format!(
            "the operator: {failure}; if you may read pods where it runs, name that namespace \
             with --operator-namespace"
        )),
        (Err(failure), Some(_)) => Some(format!("the operator: {failure}")),
    }
}
