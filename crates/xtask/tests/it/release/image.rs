//! `make image`, with builders that record their arguments.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use xtask::output;
use xtask::release::chart::VERSION;

/// Runs the script with these builders alone, each a script of one line; `asked` records their
/// arguments.
fn build(builders: &[(&str, &str)], variables: &[(&str, &str)]) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("asked");
    for (name, line) in builders {
        let path = folder.path().join(name);
        let script = format!(
            "#!/bin/sh\n{line}\necho {name} \"$@\" >> {}\n",
            log.display()
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // Programs that the script itself needs, but no builder of this machine.
    for tool in ["bash", "sh", "sed", "head", "dirname", "cat", "git", "env"] {
        link(folder.path(), tool);
    }
    let mut script = Command::new(output::root().join("hack/image.sh"));
    script.env_clear().env("PATH", folder.path());
    let output = script.envs(variables.iter().copied()).output().unwrap();
    let asked = fs::read_to_string(log).unwrap_or_default();
    (output, asked)
}

fn link(folder: &Path, tool: &str) {
    let places = ["/usr/bin", "/bin"].map(|place| Path::new(place).join(tool));
    let found = places.iter().find(|path| path.exists()).unwrap();
    std::os::unix::fs::symlink(found, folder.join(tool)).unwrap();
}

fn refusal((output, _): (Output, String)) -> String {
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

const REGISTRY: (&str, &str) = ("REGISTRY", "r.example.com/t");
const BOTH: (&str, &str) = ("PLATFORMS", "linux/amd64,linux/arm64");
const PUSH: (&str, &str) = ("PUSH", "1");

#[test]
fn a_missing_builder_is_reported_with_the_remedy() {
    let none = refusal(build(&[], &[REGISTRY, BOTH]));
    assert!(none.contains("nothing here builds images"), "{none}");
    let command = "make image REGISTRY=r.example.com/t PLATFORMS=linux/amd64,linux/arm64";
    assert!(none.contains(command), "{none}");
    let asleep = refusal(build(&[("docker", "exit 1")], &[REGISTRY]));
    assert!(asleep.contains("or its daemon does not"), "{asleep}");
    let nowhere = refusal(build(&[("docker", "")], &[]));
    assert!(nowhere.contains("REGISTRY is empty"), "{nowhere}");
    let kept = refusal(build(&[("docker", "")], &[REGISTRY, BOTH]));
    assert!(kept.contains("PUSH=1"), "{kept}");
    let plugin = "[ \"$1\" != buildx ] || exit 1";
    let plain = refusal(build(&[("docker", plugin)], &[REGISTRY, BOTH, PUSH]));
    assert!(plain.contains("buildx, which is not installed"), "{plain}");
}

#[test]
fn docker_builds_both_images_and_pushes_them_on_request() {
    let (output, asked) = build(&[("docker", "")], &[REGISTRY]);
    assert!(output.status.success(), "{output:?}");
    for image in ["grove-operator", "grove-initc"] {
        let target = format!("--target {image} ");
        let tag = format!("--tag r.example.com/t/{image}:{VERSION} .");
        let is_it = |line: &&str| line.contains(&target) && line.contains(&tag);
        assert_eq!(asked.lines().filter(is_it).count(), 1, "{asked}");
    }
    assert!(asked.contains(&format!("--build-arg VERSION={VERSION} ")));
    assert!(!asked.contains("push"), "{asked}");
    let (_, asked) = build(&[("docker", "")], &[REGISTRY, PUSH]);
    let pushed = format!("docker push r.example.com/t/grove-initc:{VERSION}");
    assert!(asked.contains(&pushed), "{asked}");
    let (_, asked) = build(&[("docker", "")], &[REGISTRY, BOTH, PUSH]);
    assert!(asked.contains("docker buildx build --platform linux/amd64,linux/arm64 "));
}

#[test]
fn other_builders_replace_a_missing_docker() {
    for tool in ["buildah", "podman"] {
        let builders = [("docker", "exit 1"), (tool, "")];
        let (output, asked) = build(&builders, &[REGISTRY, BOTH, PUSH]);
        assert!(output.status.success(), "{output:?}");
        let image = format!("r.example.com/t/grove-operator:{VERSION}");
        assert!(asked.contains(&format!("--manifest {image} .")), "{asked}");
        let sent = format!("{tool} manifest push --all {image} docker://{image}");
        assert!(asked.contains(&sent), "{asked}");
        // The builder adds images to a list that is there.
        let (before, _) = asked.split_once(&format!("--manifest {image} ")).unwrap();
        assert!(
            before.contains(&format!("{tool} manifest rm {image}\n")),
            "{asked}"
        );
    }
}

/// cargo takes sources that are older than its cache for those that the cache was built from.
#[test]
fn sources_of_an_image_are_newer_than_the_cache_of_the_build() {
    let text = fs::read_to_string(output::root().join("Dockerfile")).unwrap();
    let (before, _) = text.split_once("cargo build ").unwrap();
    let (_, step) = before.rsplit_once("\nRUN ").unwrap();
    assert!(step.contains("target=/src/target"), "{step}");
    assert!(step.contains("-exec touch {} +"), "{step}");
}

/// buildah and podman know no registry but that in the image's name.
#[test]
fn every_base_image_names_its_registry() {
    let text = fs::read_to_string(output::root().join("Dockerfile")).unwrap();
    let mut stages = vec!["scratch", "$RUST_IMAGE"];
    for line in text.lines().filter_map(|line| line.strip_prefix("FROM ")) {
        let mut words = line.split_whitespace().filter(|w| !w.starts_with("--"));
        let base = words.next().unwrap();
        assert!(stages.contains(&base), "{line}: build on RUST_IMAGE");
        stages.extend(words.nth(1));
    }
    assert!(stages.len() > 4, "{stages:?}");
    let named = ["ARG RUST_IMAGE=", "# syntax="];
    for name in named.map(|head| text.lines().find_map(|l| l.strip_prefix(head))) {
        let (registry, _) = name.unwrap().split_once('/').unwrap();
        assert!(registry.contains('.'), "{name:?}");
    }
}

#[test]
fn a_machine_without_the_registry_of_the_base_image_says_so() {
    let missing = "[ \"$1\" != inspect ] || exit 1";
    let unreachable = format!(
        "{missing}; [ \"$1\" != pull ] || {{ printf 'trying\\nno such host\\n' >&2; exit 125; }}"
    );
    for tool in ["buildah", "podman", "docker"] {
        let said = refusal(build(&[(tool, &unreachable)], &[REGISTRY]));
        let base = "the base image docker.io/library/rust:";
        assert!(said.contains(base), "{said}");
        let cause = format!("is not here and {tool} cannot pull it:\nmake image:   no such host\n");
        assert!(said.contains(&cause), "{said}");
        let remedy = "make image REGISTRY=r.example.com/t RUST_IMAGE=mirror.example.com/rust:";
        assert!(said.contains(remedy), "{said}");
    }
    let mirror = ("RUST_IMAGE", "m.example.com/rust:1");
    let (output, asked) = build(&[("buildah", missing)], &[REGISTRY, mirror]);
    assert!(output.status.success(), "{output:?}");
    assert!(asked.contains("buildah pull --quiet m.example.com/rust:1\n"));
    assert!(asked.contains("--build-arg RUST_IMAGE=m.example.com/rust:1 "));
    let (_, asked) = build(&[("buildah", "")], &[REGISTRY, mirror]);
    assert!(!asked.contains("buildah pull"), "{asked}");
}
