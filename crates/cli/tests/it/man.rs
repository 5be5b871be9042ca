//! The manual.

use std::fs;

use clap::CommandFactory;
use cli::args::Args;
use cli::man::{ManArgs, run, write_page};

#[test]
fn one_page_has_every_command_with_its_flags() {
    let page = write_page(Args::command()).unwrap();
    let command = Args::command();
    for subcommand in command.get_subcommands() {
        let heading = format!(
            ".SH \"KUBECTL GROVE {}\"\n",
            subcommand.get_name().to_uppercase()
        );
        assert_eq!(
            page.contains(&heading),
            !subcommand.is_hide_set(),
            "{heading}"
        );
    }
    assert!(
        page.contains(".SS SYNOPSIS") && page.contains("operator\\-namespace"),
        "{page}"
    );
    assert!(
        page.contains(".SH \"EXIT STATUS\"") && !page.contains(".SH EXTRA"),
        "{page}"
    );
    assert_eq!(page.matches("\n.TH ").count(), 1, "one title");
}

#[test]
fn a_folder_gets_a_page_for_each_command() {
    let dir = tempfile::tempdir().unwrap();
    let args = ManArgs {
        dir: Some(dir.path().to_owned()),
    };
    run(&args, Args::command()).unwrap();
    let mut names: Vec<String> = fs::read_dir(dir.path())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let command = Args::command();
    let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
    let mut expected: Vec<String> = shown
        .map(|c| format!("kubectl-grove-{}.1", c.get_name()))
        .collect();
    expected.push("kubectl-grove.1".to_owned());
    expected.sort();
    assert_eq!(names, expected);
    let missing = ManArgs {
        dir: Some(dir.path().join("nope")),
    };
    let text = run(&missing, Args::command()).unwrap_err().to_string();
    assert!(text.contains("choose a folder that exists"), "{text}");
}
