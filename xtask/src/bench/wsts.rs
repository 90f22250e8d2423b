//! What proofs by `wsts` cost on programs that grow: configurations, moves, seconds and megabytes under TSO and PSO.

use std::time::Duration;

use anyhow::{Context as _, Result};
use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_engine::{Context, Guarantee, Options, Task, Verdict};
use fencewright_engine_wsts::Wsts;
use fencewright_memory::Model;

use super::explicit::load;

const PROGRAMS: [&str; 6] = ["burns-3", "burns-4", "burns-5", "lamport-fast-3", "bakery-3", "ticket-3"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return crate::shell::again_in_release("bench", &[&["wsts".to_owned()], arguments].concat());
    }
    crate::shell::only(arguments, &["--timeout"])?;
    let seconds: u64 = match crate::shell::option(arguments, "--timeout")? {
        Some(text) => text.parse().with_context(|| format!("`--timeout {text}`"))?,
        None => 300,
    };
    println!("| program | model | verdict | configurations | moves | seconds | MB | bytes each |");
    println!("|---|---|---|---|---|---|---|---|");
    for name in PROGRAMS {
        let program = load(&crate::shell::root().join(format!("bench/programs/{name}.rmm")))?;
        for model in [Model::Tso, Model::Pso] {
            let time = Some(Duration::from_secs(seconds));
            let budget = Budget { time, memory: Some(4 << 30), ..Budget::default() };
            let mut context = Context::quiet(Meter::start(budget, CancelToken::new()));
            let task = Task { program: &program, model, options: Options::default() };
            let answer = fencewright_engine::run(&Wsts::new(), &task, &mut context)?;
            let verdict = match &answer.verdict {
                Verdict::Holds(Guarantee::Unbounded) => "holds".to_owned(),
                Verdict::Violated(_) => "violated".to_owned(),
                other => format!("{other:?}"),
            };
            let cost = &answer.statistics;
            println!(
                "| {name} | {} | {verdict} | {} | {} | {:.2} | {:.1} | {} |",
                model.name(),
                cost.states,
                cost.transitions,
                cost.seconds,
                cost.peak_bytes as f64 / 1e6,
                cost.state_bytes
            );
        }
    }
    Ok(())
}
