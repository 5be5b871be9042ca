//! The documents describe the program correctly.

use std::fs;
use std::path::Path;

use clap::CommandFactory;
use cli::args::Args;
use cli::exit::Exit;
use rstest::rstest;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join(path)).unwrap()
}

/// Rows of two cells below a heading: `| 0 | done |`.
fn rows(text: &str, heading: &str) -> Vec<(String, String)> {
    let (_, section) = text.split_once(&format!("## {heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        match &*cells {
            ["", code, meaning, ""] => Some(((*code).to_owned(), (*meaning).to_owned())),
            _ => None,
        }
    });
    // Without the heading and the line below it.
    cells.skip(2).collect()
}

#[test]
fn exit_codes_are_those_of_the_document() {
    let documented = rows(&read("docs/kubectl-grove.md"), "Exit codes");
    let real = Exit::ALL.map(|exit| (format!("`{}`", exit as u8), exit.meaning().to_owned()));
    assert_eq!(documented, real);
    let help = Args::command().render_help().to_string();
    for exit in Exit::ALL {
        let line = format!("  {}  {}\n", exit as u8, exit.meaning());
        assert!(
            format!("{help}\n").contains(&line),
            "{line} is not in {help}"
        );
    }
}

#[test]
fn each_command_and_global_flag_has_its_place_in_the_document() {
    let text = read("docs/kubectl-grove.md");
    let command = Args::command();
    for subcommand in command.get_subcommands().filter(|c| !c.is_hide_set()) {
        let heading = format!("\n## {}\n", subcommand.get_name());
        assert!(text.contains(&heading), "{heading}");
    }
    for flag in command.get_arguments().filter_map(clap::Arg::get_long) {
        assert!(text.contains(&format!("`--{flag}")), "--{flag}");
    }
}

/// Flags that the document names exist.
#[rstest]
#[case("bundle", &["file", "operator-namespace", "with-arguments"])]
#[case("man", &["dir"])]
fn flags_of_the_document_exist(#[case] command: &str, #[case] flags: &[&str]) {
    let text = read("docs/kubectl-grove.md");
    let all = Args::command();
    let command = all.find_subcommand(command).unwrap();
    for flag in flags {
        assert!(text.contains(&format!("--{flag}")), "{flag}");
        let is_there = command.get_arguments().any(|a| a.get_long() == Some(*flag));
        assert!(is_there, "{flag}");
    }
}
