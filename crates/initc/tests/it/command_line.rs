//! Arguments.

use rstest::rstest;

use crate::process::Process;

#[rstest]
#[case::long("--version")]
#[case::short("-V")]
fn prints_its_version(#[case] argument: &str) {
    let (status, out, _) = Process::with(&[argument]).end();
    let expected = concat!("grove-initc ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!((status.code(), &*out), (Some(0), expected));
}

#[test]
fn explains_itself() {
    let (status, out, _) = Process::with(&["--help"]).end();
    assert_eq!(status.code(), Some(0));
    for words in [
        "--volume DIRECTORY",
        "/var/grove/start-order",
        "143 on SIGTERM",
    ] {
        assert!(out.contains(words), "{out}");
    }
}

#[rstest]
#[case::unknown(&["--podcliques=a:1"], "unknown argument \"--podcliques=a:1\"; see --help")]
#[case::nothing_named(&["--volume"], "--volume: name a folder")]
fn refuses_unknown_arguments(#[case] args: &[&str], #[case] problem: &str) {
    let (status, out, err) = Process::with(args).end();
    assert_eq!((status.code(), &*out), (Some(1), ""));
    assert_eq!(err, format!("grove-initc: {problem}\n"));
}
