//! kubectl against the cluster of a test.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The output of a command, which must succeed.
pub fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The error output of a command, which must fail.
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

/// All output of a program.
pub fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&both).into_owned()
}
