//! The output of a failing test.

use serde_json::Value;

use super::client;
use super::namespace::Namespace;

/// Prints the objects of the namespace, its events and the operator's log about it.
pub fn print(namespace: &Namespace<'_>) {
    let show = |args: &[&str]| {
        let output = namespace.command(args).output();
        output.map_or_else(
            |e| e.to_string(),
            |o| String::from_utf8_lossy(&o.stdout).into_owned(),
        )
    };
    eprintln!(
        "--- objects of {}\n{}",
        namespace.name,
        show(&["get", &client::resources(), "--output=wide"])
    );
    match namespace.look() {
        Ok(seen) => seen
            .everything()
            .into_iter()
            .for_each(|object| eprintln!("{}", short(object))),
        Err(error) => eprintln!("{error}"),
    }
    let columns = "--output=custom-columns=TYPE:.type,ON:.involvedObject.name,REASON:.reason,MESSAGE:.message";
    let events = show(&[
        "get",
        "events",
        "--sort-by=.metadata.creationTimestamp",
        columns,
    ]);
    eprintln!("--- events\n{events}");
    let log = namespace.operator.log_end(&[&namespace.name]);
    eprintln!("--- the operator's last words on it\n{log}");
}

/// Kind, name, finalizers, and status; for pods also their gates.
fn short(object: &Value) -> String {
    let meta = &object["metadata"];
    let mut status = object["status"].clone();
    if let Some(status) = status.as_object_mut() {
        status.remove("containerStatuses");
    }
    format!(
        "{} {} generation={} deletionTimestamp={} finalizers={} gates={} status={status}",
        object["kind"],
        meta["name"],
        meta["generation"],
        meta["deletionTimestamp"],
        meta["finalizers"],
        object["spec"]["schedulingGates"],
    )
}
