//! Redaction of objects.

use cli::bundle::{Counts, REDACTED, Redacted, Shown, mask_text};
use proptest::collection::vec;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Value, json};

mod harmless;
mod properties;

/// With `--with-arguments`: only text that looks like a secret is hidden.
fn redact(value: Value) -> Redacted {
    cli::bundle::redact(value, &Shown::new(true))
}

fn pod(container: &Value) -> Value {
    json!({
        "kind": "Pod",
        "metadata": {"name": "p", "managedFields": [{"manager": "kubectl"}]},
        "spec": {"containers": [container]},
    })
}

#[test]
fn names_of_variables_stay_and_their_values_go() {
    let redacted = redact(pod(&json!({"env": [
        {"name": "DB_HOST", "value": "db.internal"},
        {"name": "EMPTY", "value": ""},
        {"name": "GROVE_PCS_NAME", "value": "svc"},
        {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
    ], "envFrom": [{"secretRef": {"name": "all"}}]})));
    let container = &redacted.value["spec"]["containers"][0];
    assert_eq!(
        *container,
        json!({"env": [
            {"name": "DB_HOST", "value": REDACTED},
            {"name": "EMPTY", "value": ""},
            {"name": "GROVE_PCS_NAME", "value": "svc"},
            {"name": "FROM", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
        ], "envFrom": [{"secretRef": {"name": "all"}}]})
    );
    assert!(redacted.value["metadata"]["managedFields"].is_null());
    let expected = Counts {
        env_values: 1,
        managed_fields: 1,
        ..Counts::default()
    };
    assert_eq!(redacted.counts, expected);
    let said = redacted.counts.to_string();
    assert_eq!(said, "1 environment value, 1 record of managedFields");
}

#[rstest]
#[case(&["--token=abc", "--port=80"], &["--token=REDACTED", "--port=80"])]
#[case(&["--password", "abc", "x"], &["--password", REDACTED, "x"])]
#[case(&["--api-key", "-abc"], &["--api-key", REDACTED])]
#[case(&["--token", "--port=80"], &["--token", "--port=80"])]
#[case(&["--token=$(TOKEN)", "--token", "$(TOKEN)"], &["--token=$(TOKEN)", "--token", "$(TOKEN)"])]
#[case(&["--hfToken=abc"], &["--hfToken=REDACTED"])]
#[case(&["--set", "auth.password=abc"], &["--set", "auth.password=REDACTED"])]
#[case(&["-c", "export API_KEY=abc; run"], &["-c", "export API_KEY=REDACTED run"])]
#[case(&["-c", "PASSWORD='a b' run"], &["-c", "PASSWORD='REDACTED' run"])]
#[case(&["-c", "run --token abc --port 80"], &["-c", "run --token REDACTED --port 80"])]
#[case(&["redis://me:abc@host:1/0"], &["redis://REDACTED@host:1/0"])]
// Settings of tokens for models are no secrets.
#[case(&["--max-tokens=8", "--tokenizer=x", "--author=y"],
       &["--max-tokens=8", "--tokenizer=x", "--author=y"])]
#[case(&["--secret-file", "/etc/x"], &["--secret-file", REDACTED])]
fn arguments_that_look_like_secrets_go(#[case] before: &[&str], #[case] after: &[&str]) {
    for key in ["args", "command"] {
        let redacted = redact(pod(&json!({key: before})));
        assert_eq!(redacted.value["spec"]["containers"][0][key], json!(after));
        let is_changed = before != after;
        assert_eq!(redacted.counts.arguments > 0, is_changed);
    }
}

#[rstest]
#[case("password: hunter2", "password: REDACTED")]
#[case(
    r#"{"password":"hun\"ter2","user":"me"}"#,
    r#"{"password":"REDACTED","user":"me"}"#
)]
#[case(
    r#"msg="{\"token\":\"abc\",\"a\":1}""#,
    r#"msg="{\"token\":\"REDACTED\",\"a\":1}""#
)]
#[case("Authorization: Bearer abc def", "Authorization: Bearer REDACTED def")]
#[case("sent bearer abcdefgh to it", "sent bearer REDACTED to it")]
#[case("got hf_AbCdEfGhIjKlMnOp!", "got REDACTED!")]
#[case("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.aBc", "jwt REDACTED")]
#[case("a\n-----BEGIN RSA PRIVATE KEY-----\nabc", REDACTED)]
#[case("token = abc", "token = REDACTED")]
#[case("token=\"a b\"c d", "token=\"REDACTED\"REDACTED d")]
#[case("päss: ünï secret=größe", "päss: ünï secret=REDACTED")]
#[case("https://user:abc@host/x", "https://REDACTED@host/x")]
#[case("password=REDACTED", "password=REDACTED")]
#[case("password=", "password=")]
#[case(
    "MountVolume.SetUp failed: secret \"db\" not found",
    "MountVolume.SetUp failed: secret \"db\" not found"
)]
#[case(
    "replica 0: clique prefill 1/2 pods scheduled: 0/20 nodes are available",
    "replica 0: clique prefill 1/2 pods scheduled: 0/20 nodes are available"
)]
#[case("token://host/x", "token://host/x")]
#[case("os.environ['HF_TOKEN']='abc'", "os.environ['HF_TOKEN']='REDACTED'")]
#[case(
    r#"environ.setdefault("WANDB_API_KEY", "abc") "#,
    r#"environ.setdefault("WANDB_API_KEY", "REDACTED") "#
)]
#[case(
    "a:\n  password: |\n    hunter 2\n    b\nc",
    "a:\n  password: |\n    REDACTED\nc"
)]
#[case("password: |", "password: |")]
#[case("--pass=abc --otp 12", "--pass=REDACTED --otp REDACTED")]
#[case("https://a/x?sig=abc", "https://a/x?sig=REDACTED")]
fn text_that_looks_like_a_secret_goes(#[case] before: &str, #[case] after: &str) {
    let (masked, hidden) = mask_text(before);
    assert_eq!((&*masked, hidden > 0), (after, before != after));
    assert_eq!(mask_text(&masked), (masked.clone(), 0), "hidden twice");
}

#[test]
fn annotations_with_manifests_go() {
    let inner = json!({"spec": {"env": [{"name": "A", "value": "hunter2"}]}}).to_string();
    let long = "x".repeat(2000);
    let redacted = redact(json!({"metadata": {"annotations": {
        "kubectl.kubernetes.io/last-applied-configuration": inner,
        "example.com/original": inner,
        "example.com/packed": long,
        "example.com/lines": "name: A\nvalue: hunter2",
        "example.com/api-token": "hunter2",
        "example.com/plain": "kept",
        "grove.io/template-keys": long,
    }}}));
    let left = json!({
        "example.com/original": r#"{"spec":{"env":[{"name":"A","value":"REDACTED"}]}}"#,
        "example.com/packed": "<hidden: 2000 characters>",
        "example.com/lines": "<hidden: 22 characters>",
        "example.com/api-token": REDACTED,
        "example.com/plain": "kept",
        "grove.io/template-keys": long,
    });
    assert_eq!(redacted.value["metadata"]["annotations"], left);
    let expected = Counts {
        annotations: 4,
        env_values: 1,
        ..Counts::default()
    };
    assert_eq!(redacted.counts, expected);
}

/// Programs parse this annotation, so it has to stay JSON.
#[test]
fn values_that_are_named_like_secrets_are_hidden_in_json_in_annotations() {
    let checks = json!({"pg": {"instances": [{"host": "db", "password": "hunter2"}]}});
    let logins = json!({"auths": {"r": {"auth": "dXNlcjpwYXNz"}}});
    let redacted = redact(json!({"metadata": {"annotations": {
        "ad.datadoghq.com/main.checks": checks.to_string(),
        "example.com/registry": logins.to_string(),
        "example.com/registry-auth": logins.to_string(),
        "example.com/plain": r#"{"uses_tls":true}"#,
    }}}));
    let left = json!({
        "ad.datadoghq.com/main.checks":
            r#"{"pg":{"instances":[{"host":"db","password":"REDACTED"}]}}"#,
        "example.com/registry": r#"{"auths":{"r":{"auth":"REDACTED"}}}"#,
        "example.com/registry-auth": REDACTED,
        "example.com/plain": r#"{"uses_tls":true}"#,
    });
    assert_eq!(redacted.value["metadata"]["annotations"], left);
    let expected = Counts {
        annotations: 1,
        others: 2,
        ..Counts::default()
    };
    assert_eq!(redacted.counts, expected);
}

#[test]
fn other_places_that_can_hold_a_secret_are_hidden() {
    let redacted = redact(json!({
        "kind": "Secret",
        "data": {"a": "aHVudGVyMg=="},
        "stringData": {"a": "hunter2"},
        "spec": {
            "httpGet": {"httpHeaders": [{"name": "X-Any", "value": "hunter2"}]},
            "csi": {"volumeAttributes": {"storageAccountKey": "hunter2", "share": "a"}},
            "image": "registry.local/token:1.2",
        },
        "status": {"message": "password=hunter2"},
    }));
    let text = redacted.value.to_string();
    assert!(
        !text.contains("hunter2") && !text.contains("aHVudGVyMg"),
        "{text}"
    );
    assert_eq!(
        redacted.value["spec"]["csi"]["volumeAttributes"]["share"],
        "a"
    );
    assert_eq!(redacted.value["spec"]["image"], "registry.local/token:1.2");
    assert_eq!(redacted.counts.others, 5);
}

/// A variable of a user, whose value occurs nowhere else in the object.
fn variable() -> impl Strategy<Value = (String, String)> {
    (
        "[A-Z][A-Z_]{0,12}",
        "[a-zA-Z0-9=:/@ \"'\\\\-]{0,6}#[a-z0-9]{8}",
    )
}

/// The places where kinds have containers.
const PLACES: [&str; 6] = [
    "/spec/containers",
    "/spec/initContainers",
    "/spec/ephemeralContainers",
    "/spec/podSpec/containers",
    "/spec/template/cliques/0/spec/podSpec/initContainers",
    "/status/anything/at/all",
];

/// Puts the value there, with all enclosing objects.
fn nest(place: &str, value: Value) -> Value {
    place
        .rsplit('/')
        .filter(|p| !p.is_empty())
        .fold(value, |inner, part| match part {
            "0" => json!([inner]),
            part => json!({part: inner}),
        })
}

proptest! {
    #[test]
    fn no_env_value_survives(
        variables in vec(variable(), 1..6),
        place in 0..PLACES.len(),
        as_map in any::<bool>(),
        in_annotation in any::<bool>(),
    ) {
        let list = variables.iter().map(|(name, value)| json!({"name": name, "value": value}));
        let env = if as_map {
            Value::Object(variables.iter().map(|(n, v)| (n.clone(), json!(v))).collect())
        } else {
            list.collect()
        };
        let mut object = nest(PLACES[place], json!([{"name": "main", "env": env}]));
        let manifest = object.to_string();
        let key = if in_annotation { "any/original" } else {
            "kubectl.kubernetes.io/last-applied-configuration"
        };
        object["metadata"] = json!({"annotations": {key: manifest}});
        let redacted = redact(object);
        let text = redacted.value.to_string();
        for (name, value) in &variables {
            // The end of the value occurs nowhere else.
            let end = value.rsplit('#').next().unwrap();
            prop_assert!(!text.contains(end), "{value} is in {text}");
            prop_assert!(text.contains(name.as_str()), "{name} is not in {text}");
        }
        prop_assert_eq!(redact(redacted.value.clone()).value, redacted.value);
    }

    #[test]
    fn no_text_is_too_odd(text in any::<String>()) {
        let (masked, hidden) = mask_text(&text);
        prop_assert_eq!(hidden == 0, masked == text);
        prop_assert_eq!(mask_text(&masked).0, masked);
    }

    #[test]
    fn no_value_of_a_flag_survives(
        flag in "--?(token|api-key|db_password|hfToken)",
        value in "[ -~]{0,12}#[a-z]{8}",
        is_apart in any::<bool>(),
    ) {
        prop_assume!(!is_apart || !value.starts_with("--"));
        let arguments = if is_apart {
            json!([flag, value])
        } else {
            json!([format!("{flag}={value}")])
        };
        let redacted = redact(pod(&json!({"args": arguments}))).value.to_string();
        let end = value.rsplit('#').next().unwrap();
        prop_assert!(!redacted.contains(end), "{}", redacted);
        prop_assert!(redacted.contains(&flag), "{}", redacted);
    }

    /// In a script or a log line it ends at a blank or at the end of its quotes.
    #[test]
    fn no_value_in_text_survives(
        name in "(--token|api_key|DB_PASSWORD|hfToken)",
        separator in prop::sample::select(vec!["=", ": ", " = ", "=\"", "='", "\\\":\\\""]),
        value in "[!#-&(-\\[\\]-_a-~]{1,12}#[a-z]{8}",
        rest in "( [a-z]{0,5}){0,3}",
    ) {
        let quote = separator.trim_start_matches(['=', ':', ' ']);
        let quote = if quote.starts_with('\\') { "\\\"" } else { quote };
        let text = format!("run {name}{separator}{value}{quote}{rest}");
        let (masked, _) = mask_text(&text);
        let end = value.rsplit('#').next().unwrap();
        prop_assert!(!masked.contains(end), "{}", masked);
        prop_assert!(masked.ends_with(&rest), "{}", masked);
    }
}
