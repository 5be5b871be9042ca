//! kubectl against a cluster that a test has started.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What it prints; it must succeed.
pub fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What it says where it fails, which it must.
pub fn refusal(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{command:?} succeeds");
    said(&output)
}

/// Creates an object.
pub fn create(mut kubectl: Command, object: &Value) {
    kubectl.args(["create", "-f", "-"]).stdin(Stdio::piped());
    let mut child = kubectl.stdout(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(object.to_string().as_bytes()).unwrap();
    drop(input);
    assert!(child.wait().unwrap().success());
}

/// All that a program wrote.
pub fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}
