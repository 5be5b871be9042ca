//! The keeper and the watches against an API server, with real certificates, in paused time.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::ByteString;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use webhook::certificates::{
    ConfigurationKind, Mode, Options, SecretWatch, Serving, Target, WriteTurn, keep, make,
    watch_secret,
};
use webhook::metrics::{ByConfiguration, Metrics};

use crate::api_server::ApiServer;
use crate::pairs::{is_believed, names};

const SECRET: &str = "/api/v1/namespaces/grove/secrets/certificate";
const MUTATING: &str =
    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/defaults";
const VALIDATING: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/rules";
const AUTO: Mode = Mode::Auto {
    lifetime: SignedDuration::from_secs(20),
};

/// The world of one test, run by [`Self::pass`].
struct World {
    server: ApiServer,
    began: Instant,
    tasks: FuturesUnordered<BoxFuture<'static, ()>>,
}

impl World {
    fn new() -> Self {
        let server = ApiServer::default();
        server.put(
            SECRET,
            json!({"metadata": {"name": "certificate"}, "type": "Opaque"}),
        );
        let configuration = json!({"metadata": {"name": "any"}, "webhooks": [
            {"name": "one", "timeoutSeconds": 5, "clientConfig": {"service": {"name": "s"}}},
            {"name": "two", "clientConfig": {"url": "https://127.0.0.1", "caBundle": "eA=="}},
        ]});
        server.put(MUTATING, configuration.clone());
        server.put(VALIDATING, configuration);
        Self {
            server,
            began: Instant::now(),
            tasks: FuturesUnordered::new(),
        }
    }

    fn clock(&self) -> impl Fn() -> Timestamp + Send + Sync + use<> {
        let began = self.began;
        move || Timestamp::from_second(1_800_000_000).unwrap() + began.elapsed()
    }

    fn options(&self, mode: Mode) -> Options {
        let target = |kind, name: &str| Target {
            kind,
            name: name.into(),
        };
        Options {
            mode,
            namespace: "grove".into(),
            secret_name: "certificate".into(),
            names: names(),
            configurations: vec![
                target(ConfigurationKind::Mutating, "defaults"),
                target(ConfigurationKind::Validating, "rules"),
            ],
            enter_write: Arc::new(|| Some(Box::new(()) as WriteTurn)),
            clock: Arc::new(self.clock()),
            metrics: Metrics::default(),
        }
    }

    /// Adds a process that serves.
    fn serve(&mut self) -> SecretWatch {
        let (client, clock) = (self.server.client(), Arc::new(self.clock()));
        let (watch, future) = watch_secret(client, "grove", "certificate", clock);
        self.tasks.push(future.boxed());
        watch
    }

    /// Starts its keeper. The returned sender ends and begins its leadership.
    fn keep(&mut self, options: Options, process: &SecretWatch) -> watch::Sender<bool> {
        let (leads, is_leader) = watch::channel(true);
        let keeper = keep(
            self.server.client(),
            options,
            process.secret.clone(),
            is_leader,
        );
        self.tasks.push(keeper.boxed());
        leads
    }

    async fn pass(&mut self, millis: u64) {
        let time = sleep(Duration::from_millis(millis));
        tokio::select! {
            Some(()) = self.tasks.next() => panic!("a task ended"),
            () = time => {}
        }
    }

    fn bundles(&self) -> Vec<Vec<u8>> {
        let objects = [MUTATING, VALIDATING].map(|path| self.server.get(path));
        let webhooks = objects
            .iter()
            .flat_map(|o| o["webhooks"].as_array().unwrap());
        webhooks
            .map(|webhook| decoded(&webhook["clientConfig"]["caBundle"]))
            .collect()
    }

    fn assert_believed(&self, serving: &Serving) {
        let now = (self.clock())();
        for bundle in self.bundles() {
            assert!(is_believed(serving, &bundle, "127.0.0.1", now), "at {now}");
        }
    }
}

fn decoded(value: &Value) -> Vec<u8> {
    serde_json::from_value::<ByteString>(value.clone())
        .unwrap()
        .0
}

fn served(process: &SecretWatch) -> Option<Arc<Serving>> {
    process.serving.borrow().clone()
}

/// Five lifetimes with two processes that lead in turn; of each `trouble` writes, two fail.
async fn rotate(lifetime: i64, trouble: Option<usize>) -> (World, usize) {
    let mode = Mode::Auto {
        lifetime: SignedDuration::from_secs(lifetime),
    };
    let step_millis = lifetime.unsigned_abs() * 1000 / 80;
    let mut world = World::new();
    world.server.state().trouble = trouble;
    let processes = [world.serve(), world.serve()];
    let leads = [0, 1].map(|n| world.keep(world.options(mode), &processes[n]));
    leads[1].send_replace(false);
    world.pass(20 * step_millis).await;
    let (mut rotations, mut last) = (0, served(&processes[0]).unwrap());
    for step in 0..400_u64 {
        leads[0].send_replace(step / 13 % 2 == 0);
        leads[1].send_replace(step / 13 % 2 == 1);
        world.pass(step_millis).await;
        for process in &processes {
            world.assert_believed(&served(process).unwrap());
        }
        let now = served(&processes[0]).unwrap();
        rotations += usize::from(!now.is(&last));
        last = now;
    }
    (world, rotations)
}

#[tokio::test(start_paused = true)]
async fn served_certificates_are_trusted_at_every_moment_of_many_rotations() {
    let (world, rotations) = rotate(20, None).await;
    assert!((7..=10).contains(&rotations), "{rotations} rotations");
    let mutating = world.server.get(MUTATING);
    assert_eq!(mutating["webhooks"][0]["timeoutSeconds"], 5);
    assert_eq!(
        mutating["webhooks"][0]["clientConfig"]["service"]["name"],
        "s"
    );
    assert_eq!(world.server.get(SECRET)["type"], "Opaque");
}

#[tokio::test(start_paused = true)]
async fn served_certificates_are_trusted_though_writes_fail_and_answers_are_lost() {
    for trouble in 2..6 {
        let (_, rotations) = rotate(1000, Some(trouble)).await;
        assert!(rotations >= 4, "{rotations} rotations");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_while_nothing_is_due() {
    let mut world = World::new();
    let process = world.serve();
    let mode = Mode::Auto {
        lifetime: SignedDuration::from_hours(24 * 90),
    };
    let _leads = world.keep(world.options(mode), &process);
    world.pass(24 * 3_600_000).await;
    let put = format!("PUT {SECRET}");
    let patches = [MUTATING, VALIDATING].map(|path| format!("PATCH {path}"));
    assert_eq!(world.server.state().writes, [&[put], &patches[..]].concat());
    world.assert_believed(&served(&process).unwrap());
}

#[tokio::test(start_paused = true)]
async fn only_the_leader_of_mode_auto_writes_and_only_while_it_may() {
    let mut world = World::new();
    let process = world.serve();
    let _manual = world.keep(world.options(Mode::Manual), &process);
    let follower = world.keep(world.options(AUTO), &process);
    follower.send_replace(false);
    let may_not = Options {
        enter_write: Arc::new(|| None),
        ..world.options(AUTO)
    };
    let _doubtful = world.keep(may_not, &process);
    world.pass(60_000).await;
    assert!(world.server.state().writes.is_empty());
    follower.send_replace(true);
    world.pass(2_000).await;
    world.assert_believed(&served(&process).unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_configuration_or_secret_that_comes_late_or_again_is_put_right() {
    let mut world = World::new();
    let process = world.serve();
    let (late, secret) = (world.server.get(VALIDATING), world.server.get(SECRET));
    world.server.remove(VALIDATING);
    world.server.remove(SECRET);
    let mode = Mode::Auto {
        lifetime: SignedDuration::from_hours(1),
    };
    let _leads = world.keep(world.options(mode), &process);
    world.pass(300_000).await;
    assert!(served(&process).is_none());
    world.server.put(SECRET, secret.clone());
    world.pass(61_000).await;
    world.server.put(VALIDATING, late);
    world.pass(2_000).await;
    let first = served(&process).unwrap();
    world.assert_believed(&first);
    world.server.put(SECRET, secret);
    for _ in 0..85 {
        world.pass(2_000).await;
        world.assert_believed(&first);
        world.assert_believed(&served(&process).unwrap());
    }
    assert!(served(&process).unwrap().is(&first));
    world.pass(30_000).await;
    let second = served(&process).unwrap();
    assert!(!second.is(&first));
    world.assert_believed(&first);
    world.assert_believed(&second);
}

#[tokio::test(start_paused = true)]
async fn a_pair_for_other_names_is_trusted_before_it_is_served() {
    let mut world = World::new();
    let process = world.serve();
    let mode = Mode::Auto {
        lifetime: SignedDuration::from_hours(1),
    };
    let leads = world.keep(world.options(mode), &process);
    world.pass(2_000).await;
    let first = served(&process).unwrap();
    leads.send_replace(false);
    let mut options = world.options(mode);
    options.names.push("new.svc".into());
    let _leads = world.keep(options, &process);
    for _ in 0..85 {
        world.pass(2_000).await;
        world.assert_believed(&first);
    }
    assert!(served(&process).unwrap().is(&first));
    world.pass(30_000).await;
    let second = served(&process).unwrap();
    assert!(!second.is(&first));
    world.assert_believed(&second);
}

#[tokio::test(start_paused = true)]
async fn a_write_counts_as_under_way_until_its_answer_though_the_leadership_is_lost() {
    let mut world = World::new();
    let process = world.serve();
    world.server.state().is_deaf = true;
    let turns = Arc::new(());
    let counted = turns.clone();
    let options = Options {
        enter_write: Arc::new(move || Some(Box::new(counted.clone()) as WriteTurn)),
        ..world.options(AUTO)
    };
    let leads = world.keep(options, &process);
    world.pass(1_000).await;
    assert_eq!(Arc::strong_count(&turns), 3, "one write is under way");
    leads.send_replace(false);
    world.pass(30_000).await;
    assert_eq!(Arc::strong_count(&turns), 3, "it is still under way");
    world.pass(10_000).await;
    assert_eq!(Arc::strong_count(&turns), 2, "it is given up");
}

#[tokio::test(start_paused = true)]
async fn repeated_rewrites_of_a_bundle_are_counted() {
    let mut world = World::new();
    let process = world.serve();
    let mode = Mode::Auto {
        lifetime: SignedDuration::from_hours(24 * 90),
    };
    let options = world.options(mode);
    let metrics = options.metrics.clone();
    let _leads = world.keep(options, &process);
    world.pass(2_000).await;
    let mut foreign = world.server.get(MUTATING);
    foreign["webhooks"][0]["clientConfig"]["caBundle"] = json!("eA==");
    for _ in 0..5 {
        world.server.put(MUTATING, foreign.clone());
        world.pass(2_000).await;
        world.assert_believed(&served(&process).unwrap());
    }
    let count = |configuration: &str| {
        let configuration = configuration.to_owned();
        let by = ByConfiguration { configuration };
        metrics.bundle_rewrites.get_or_create(&by).get()
    };
    assert_eq!(count("MutatingWebhookConfiguration defaults"), 5);
    assert_eq!(count("ValidatingWebhookConfiguration rules"), 0);
}

#[tokio::test(start_paused = true)]
async fn an_unusable_pair_leaves_the_former_pair_in_use() {
    let mut world = World::new();
    let process = world.serve();
    let now = (world.clock())();
    let pair = make(&names(), SignedDuration::from_hours(1), now).unwrap();
    let data = |certificate: &str, key: &str| {
        let bytes = |text: &str| ByteString(text.as_bytes().to_vec());
        json!({"metadata": {"name": "certificate"}, "data": {
            "tls.crt": bytes(certificate), "tls.key": bytes(key),
        }})
    };
    world.server.put(SECRET, data(&pair.certificate, &pair.key));
    world.pass(1_000).await;
    let first = served(&process).unwrap();
    world.server.put(SECRET, data(&pair.certificate, "junk"));
    world.pass(1_000).await;
    assert!(served(&process).unwrap().is(&first));
    world.server.remove(SECRET);
    world.pass(1_200_000).await;
    assert!(served(&process).unwrap().is(&first));
    assert!(process.secret.borrow().is_none());
}
