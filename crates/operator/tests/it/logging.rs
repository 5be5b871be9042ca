//! The operator neither ends nor stands still when no reader takes the log.

use std::fs::{File, OpenOptions};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use operator::probe::probe;

const DEADLINE: Duration = Duration::from_mins(1);

/// An operator whose API server is away.
struct Running {
    process: Child,
    health: u16,
    folder: PathBuf,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn start(name: &str, log: impl Into<Stdio>) -> Running {
    let folder = std::env::temp_dir().join(format!("grove-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [health, metrics, server] = [free_port(), free_port(), free_port()];
    let config = format!(
        "apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\nserver:\n  \
         healthProbes: {{bindAddress: 127.0.0.1, port: {health}}}\n  \
         metrics: {{bindAddress: 127.0.0.1, port: {metrics}}}\n"
    );
    let cluster = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: away\n\
         clusters: [{{name: away, cluster: {{server: \"http://127.0.0.1:{server}\"}}}}]\n\
         contexts: [{{name: away, context: {{cluster: away, user: nobody}}}}]\n\
         users: [{{name: nobody, user: {{}}}}]\n"
    );
    std::fs::write(folder.join("config.yaml"), config).unwrap();
    std::fs::write(folder.join("kubeconfig"), cluster).unwrap();
    let process = Command::new(env!("CARGO_BIN_EXE_grove-operator"))
        .arg("--config")
        .arg(folder.join("config.yaml"))
        .env("KUBECONFIG", folder.join("kubeconfig"))
        .env("RUST_LOG", "debug")
        .stderr(log)
        .spawn()
        .unwrap();
    Running {
        process,
        health,
        folder,
    }
}

/// Alive, and still there after its first lines were written.
async fn stays_alive(mut running: Running) {
    let url = format!("http://127.0.0.1:{}/healthz", running.health);
    let url = url.parse().unwrap();
    let began = Instant::now();
    let mut healthy = 0;
    while healthy < 5 {
        let ended = running.process.try_wait().unwrap();
        assert_eq!(ended, None, "the operator ended");
        assert!(began.elapsed() < DEADLINE, "it answers no probe");
        match probe(&url).await {
            Ok(_) => healthy += 1,
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn a_full_disk_costs_the_log_only() {
    let full: File = OpenOptions::new().write(true).open("/dev/full").unwrap();
    stays_alive(start("full", full)).await;
}

#[tokio::test]
async fn a_closed_log_costs_the_log_only() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    stays_alive(start("closed", writer)).await;
}
