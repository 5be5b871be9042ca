//! Flux: the expressions of `health-checks.yaml`, evaluated in the order of its RFC 0009.

use std::fs;

use cel::{Context, Program, Value as Outcome};
use serde_json::Value;
use xtask::output;

use super::Verdict::{self, Current, Failed, InProgress};

pub fn judge(object: &Value) -> Verdict {
    let observed = &object["status"]["observedGeneration"];
    if !observed.is_null() && *observed != object["metadata"]["generation"] {
        return InProgress;
    }
    let check = find_check(object);
    let order = [
        ("inProgress", InProgress),
        ("failed", Failed),
        ("current", Current),
    ];
    let mut asked = order.iter();
    let found = asked.find(|(key, _)| holds(check[*key].as_str().unwrap(), object));
    found.map_or(InProgress, |(_, verdict)| *verdict)
}

/// The entry of the object's kind.
fn find_check(object: &Value) -> Value {
    let path = output::root().join("config/flux/health-checks.yaml");
    let spec: Value = serde_saphyr::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let all = spec["healthCheckExprs"].as_array().unwrap();
    let is_of_kind = |check: &&Value| {
        check["kind"] == object["kind"] && check["apiVersion"] == object["apiVersion"]
    };
    all.iter().find(is_of_kind).unwrap().clone()
}

/// The fields of the object are the variables.
fn holds(expression: &str, object: &Value) -> bool {
    let mut context = Context::default();
    for (name, value) in object.as_object().unwrap() {
        context.add_variable(name.as_str(), value).unwrap();
    }
    let program = Program::compile(expression).unwrap();
    let value = program.execute(&context).unwrap();
    assert!(matches!(value, Outcome::Bool(_)), "{expression}");
    matches!(value, Outcome::Bool(true))
}
