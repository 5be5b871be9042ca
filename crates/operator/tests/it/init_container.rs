//! The image of the init container.

use clap::Parser as _;
use operator::args::Args;
use operator::config::{Config, InitContainerImage};
use rstest::rstest;

const VERSION: &str = env!("CARGO_PKG_VERSION");

#[rstest]
#[case::the_go_operator_s("ghcr.io/grove/grove-initc", true)]
#[case::of_a_registry_with_a_port("registry:5000/grove-initc", true)]
#[case::alone("grove-initc", true)]
#[case::tagged("registry:5000/grove-initc:v2", false)]
#[case::pinned("grove-initc@sha256:9f86d081884c7d659a2f", false)]
fn it_is_of_the_operators_version_unless_it_has_one(#[case] given: &str, #[case] gets_tag: bool) {
    let image = InitContainerImage::parse(given).unwrap();
    let tagged = format!("{given}:{VERSION}");
    let expected = if gets_tag { tagged.as_str() } else { given };
    assert_eq!(image.as_str(), expected);
}

#[test]
fn it_is_given_on_the_command_line() {
    let args = ["grove-operator", "--init-container-image=here/initc"];
    let args = Args::try_parse_from(args).unwrap();
    assert_eq!(
        args.init_container_image.as_str(),
        format!("here/initc:{VERSION}")
    );
    let none = ["grove-operator", "--init-container-image="];
    let refused = Args::try_parse_from(none).unwrap_err().to_string();
    assert!(refused.contains("name an image"), "{refused}");
    assert_eq!(
        Config::default().init_container_image.as_str(),
        format!("grove-initc:{VERSION}")
    );
}
