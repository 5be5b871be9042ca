//! The report of a failed row.

use std::fmt::Write as _;

use node_tests::release;
use serde_json::Value;

use super::Namespace;
use crate::seen::name;

/// Lines of an operator's log.
const LOG_LINES: usize = 30;

/// Objects, statuses, events, `explain`, and the operators' log lines about the namespace.
pub fn of(ns: &Namespace) -> String {
    let mut report = String::new();
    let mut add = |title: &str, text: &str| {
        let _ = writeln!(report, "--- {title}\n{}", text.trim_end());
    };
    let columns = "--output=custom-columns=AT:.lastTimestamp,ON:.involvedObject.name,\
                   REASON:.reason,COUNT:.count,MESSAGE:.message";
    let events = [
        "get",
        "events",
        "--sort-by=.metadata.creationTimestamp",
        columns,
    ];
    add(
        "objects",
        &shown(ns, &["get", "pcs,pcsg,pclq,pg,pods", "--output=wide"]),
    );
    for set in ns.look().iter().flat_map(|seen| seen.all("PodCliqueSet")) {
        add(
            &format!("status of {}", name(set)),
            &set["status"].to_string(),
        );
        add("explain", &shown(ns, &["grove", "explain", name(set)]));
    }
    for pod in ns.look().iter().flat_map(|seen| seen.pods()) {
        let status = &pod["status"];
        let parts = ["conditions", "initContainerStatuses", "containerStatuses"];
        let text = parts.map(|part| status[part].to_string()).join(" ");
        add(&format!("pod {}", name(pod)), &text);
    }
    add("events", &shown(ns, &events));
    add("the operators", &log(ns));
    report
}

fn shown(ns: &Namespace, args: &[&str]) -> String {
    let output = ns.command(args).output();
    output.map_or_else(
        |error| error.to_string(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

fn log(ns: &Namespace) -> String {
    let selector = "--selector=app.kubernetes.io/name=grove-operator";
    let args = [
        "logs",
        selector,
        "--tail=-1",
        "--prefix",
        "-n",
        release::NAMESPACE,
    ];
    let output = ns.site.cluster.tool("kubectl", &args).output();
    let text = output.map_or_else(
        |error| error.to_string(),
        |output| String::from_utf8_lossy(&output.stdout).into_owned(),
    );
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.contains(&ns.name))
        .collect();
    let last = lines.len().saturating_sub(LOG_LINES);
    lines[last..]
        .iter()
        .map(|line| short(line))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A line of the log without the parts that all lines share.
fn short(line: &str) -> String {
    let (_, json) = line.split_once("] ").unwrap_or(("", line));
    let Ok(Value::Object(mut fields)) = serde_json::from_str(json) else {
        return line.to_owned();
    };
    let object = fields
        .remove("span")
        .map_or(Value::Null, |mut span| span["object"].take());
    for key in ["target", "count", "failed"] {
        fields.remove(key);
    }
    let words = fields.values().map(|value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    });
    format!("{} {object}", words.collect::<Vec<_>>().join(" "))
}
