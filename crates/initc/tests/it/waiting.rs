//! The condition that ends the wait, and the exit.

use std::fs;

use insta::assert_snapshot;

use crate::process::Process;
use crate::volume::Volume;

const AFTER: &str = "demo-0-router:2,demo-0-grp-0-leader:1";

#[test]
fn waits_until_the_kubelet_shows_that_it_may_start() {
    let mut volume = Volume::new(AFTER);
    let mut process = Process::waiting_for(volume.path());
    assert_snapshot!(process.line(), @"waits for ready pods: 2 of demo-0-router, 1 of demo-0-grp-0-leader");
    assert!(process.is_running());
    volume.show("now", AFTER);
    let (status, out, err) = process.end();
    assert_eq!((status.code(), &*out, &*err), (Some(0), "starts\n", ""));
}

#[test]
fn starts_at_once_when_that_is_shown_from_the_beginning() {
    let mut volume = Volume::new(AFTER);
    volume.show("now\n", AFTER);
    let (status, out, _) = Process::waiting_for(volume.path()).end();
    assert_eq!((status.code(), &*out), (Some(0), "starts at once\n"));
}

/// Operators write `now`; numbers count the start signals.
#[test]
fn a_number_above_0_says_that_it_may_start() {
    let mut volume = Volume::new("router:1");
    volume.show("0", "router:1");
    let mut process = Process::waiting_for(volume.path());
    assert_snapshot!(process.line(), @"waits for ready pods: 1 of router");
    assert!(process.is_running());
    volume.show("2", "router:1");
    assert_eq!(process.end().0.code(), Some(0));
}

/// A later operator may write values that this version does not know: it waits, and logs the value.
#[test]
fn waits_through_unknown_values() {
    let mut volume = Volume::new("router");
    let mut process = Process::waiting_for(volume.path());
    assert_snapshot!(process.line(), @"waits for ready pods: router");
    volume.show("later", "");
    assert_snapshot!(process.line(), @r#"waits for annotation grove.io/start; grove.io/start is "later", which is neither "now" nor a number above 0"#);
    volume.show("Now", "");
    assert_snapshot!(process.line(), @r#"waits for annotation grove.io/start; grove.io/start is "Now", which is neither "now" nor a number above 0"#);
    assert!(process.is_running());
    volume.show("now", "");
    assert_eq!(process.end().0.code(), Some(0));
}

/// A user who may edit the pod may write the annotation; its log is read on terminals.
#[test]
fn an_annotation_does_not_act_on_a_terminal() {
    let volume = Volume::new("a\u{1b}]0;x\u{7}:1");
    let mut process = Process::waiting_for(volume.path());
    assert_eq!(
        process.line(),
        r"waits for ready pods: 1 of a\u{1b}]0;x\u{7}"
    );
}

/// One line for each change, however long it waits.
#[test]
fn says_each_thing_once() {
    let mut volume = Volume::new("a:1");
    let mut process = Process::waiting_for(volume.path());
    let first = process.line();
    // Shown again, without a change.
    volume.show("", "a:1");
    volume.show("", "b:1");
    assert_ne!(process.line(), first);
    volume.show("now", "b:1");
    assert_eq!(process.end().1, "starts\n");
}

#[test]
fn waits_for_a_file_that_is_not_there_yet() {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::waiting_for(folder.path());
    assert_snapshot!(process.line(), @"waits for annotation grove.io/start");
    fs::write(folder.path().join("start"), "now").unwrap();
    assert_eq!(process.end().0.code(), Some(0));
}

#[test]
fn names_path_and_remedy_when_there_is_no_volume() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("start-order");
    let (status, out, err) = Process::waiting_for(&missing).end();
    assert_eq!((status.code(), &*out), (Some(1), ""));
    let err = err.replace(missing.to_str().unwrap(), "/missing");
    assert_snapshot!(err, @r#"grove-initc: /missing: there is no such folder: grove-operator gives the pod a downwardAPI volume that is mounted here; check that no webhook removes volume "grove-start-order" or its mount from the pod, or name another folder with --volume"#);
}

#[test]
fn names_the_file_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let start = folder.path().join("start");
    fs::create_dir(&start).unwrap();
    let (status, _, err) = Process::waiting_for(folder.path()).end();
    assert_eq!(status.code(), Some(1));
    let expected = format!("grove-initc: {}: ", start.display());
    assert!(err.starts_with(&expected), "{err}");
}

/// It is process 1 of its container, which signals without a handler do not end.
#[test]
fn ends_on_sigterm_with_a_code_of_its_own() {
    let volume = Volume::new(AFTER);
    let mut process = Process::waiting_for(volume.path());
    // Once it says so it listens for signals.
    process.line();
    process.terminate();
    let (status, _, err) = process.end();
    assert_eq!((status.code(), &*err), (Some(143), ""));
}
