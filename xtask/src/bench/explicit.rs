//! The speed of `explicit` on one large program under TSO: states a second with one thread and with two, bytes a state,
//! and beside them the bare cost of inserting as many random keys of the same width into the same table.
//!
//! Every round measures all of them in turn; the best round of each counts, because whatever else the machine does can
//! only make one slower.

use std::num::NonZeroUsize;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use fencewright_base::{CancelToken, Meter, SourceMap};
use fencewright_engine::{Context, Guarantee, Options, Statistics, Task, Verdict};
use fencewright_engine_explicit::Explicit;
use fencewright_explore::{Candidate, Visited};
use fencewright_ir::Program;
use fencewright_memory::Model;

/// The store buffers of the program never hold more.
const BUFFER: usize = 2;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        return crate::shell::again_in_release("bench", &[&["explicit".to_owned()], arguments].concat());
    }
    let mut rounds = 3;
    let mut path = crate::shell::root().join("bench/programs/bakery-4.rmm");
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rounds" => {
                let value = arguments.next().context("--rounds needs a number")?;
                rounds = value.parse().with_context(|| format!("`{value}` is not a number of rounds"))?;
            }
            file => path = file.into(),
        }
    }
    let program = load(&path)?;
    let mut alone = f64::INFINITY;
    let mut together = f64::INFINITY;
    let mut bare = f64::INFINITY;
    let mut bare_together = f64::INFINITY;
    let mut statistics = Statistics::default();
    println!(
        "program    {} under TSO, buffers up to {BUFFER}",
        path.file_name().unwrap_or_default().display()
    );
    for round in 1..=rounds {
        let one = search(&program, 1)?;
        let bare_one = insert(one.state_bytes, one.states, 1)?;
        let two = search(&program, 2)?;
        let bare_two = insert(one.state_bytes, one.states, 2)?;
        if two.states != one.states || two.transitions != one.transitions {
            bail!("one thread saw {} states, two saw {}", one.states, two.states);
        }
        println!(
            "round {round}    search {:.2} s, {:.2} s by two; bare insertion {bare_one:.2} s, {bare_two:.2} s by two",
            one.seconds, two.seconds
        );
        alone = alone.min(one.seconds);
        together = together.min(two.seconds);
        bare = bare.min(bare_one);
        bare_together = bare_together.min(bare_two);
        statistics = one;
    }
    let states = statistics.states as f64;
    println!("states     {} ({} transitions)", statistics.states, statistics.transitions);
    println!("one thread {:.2} million states a second", states / alone / 1e6);
    println!(
        "two        {:.2} million states a second, {:.2} times one",
        states / together / 1e6,
        alone / together
    );
    println!(
        "memory     {:.1} bytes a state all in ({} of them the state itself)",
        statistics.peak_bytes as f64 / states,
        statistics.state_bytes
    );
    println!(
        "bare       {:.2} million random keys of {} bytes a second into the same table ({:.2} by two threads)",
        states / bare / 1e6,
        statistics.state_bytes,
        states / bare_together / 1e6
    );
    println!("search / bare insertion: {:.2}", alone / bare);
    Ok(())
}

pub(super) fn load(path: &std::path::Path) -> Result<Program> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut sources = SourceMap::new();
    let name = path.display().to_string();
    let file = sources.add(&name, text);
    let language = fencewright_frontend::language_of(&name).context("the file's ending names no language")?;
    match (language.load)(&sources, file) {
        Ok(loaded) => Ok(loaded.program),
        Err(diagnostics) => bail!("{name}: {}", diagnostics[0].message),
    }
}

fn search(program: &Program, jobs: usize) -> Result<Statistics> {
    let jobs = NonZeroUsize::new(jobs).expect("there is at least one job");
    let options = Options { buffer: Some(BUFFER), jobs, ..Options::default() };
    let task = Task { program, model: Model::Tso, options };
    let mut context = Context::quiet(Meter::start(Default::default(), CancelToken::new()));
    let answer = fencewright_engine::run(&Explicit, &task, &mut context)?;
    match answer.verdict {
        Verdict::Holds(Guarantee::Unbounded) => Ok(answer.statistics),
        other => bail!("the program should hold for buffers of any length, but: {other:?}"),
    }
}

/// Seconds to insert `count` different random keys, shared out among `threads` tables.
fn insert(state_bytes: usize, count: u64, threads: u64) -> Result<f64> {
    let one = |thread: u64| match state_bytes / 8 {
        1 => insert_keys::<1>(thread, count / threads),
        2 => insert_keys::<2>(thread, count / threads),
        3 => insert_keys::<3>(thread, count / threads),
        4 => insert_keys::<4>(thread, count / threads),
        6 => insert_keys::<6>(thread, count / threads),
        8 => insert_keys::<8>(thread, count / threads),
        other => bail!("no measurement for keys of {other} words"),
    };
    let start = Instant::now();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|thread| scope.spawn(move || one(thread))).collect();
        let mut results = vec![one(0)];
        results.extend(others.into_iter().map(|thread| thread.join().expect("inserting does not panic")));
        results.into_iter().collect::<Result<Vec<()>>>()
    })?;
    Ok(start.elapsed().as_secs_f64())
}

/// Inserts in batches, with the same hints as the search gives, so that it is the best the table can do.
fn insert_keys<const W: usize>(seed: u64, count: u64) -> Result<()> {
    const BATCH: usize = 64;
    let mut visited = Visited::<W>::new();
    let mut random = seed << 40 | 1;
    let mut batch: Vec<Candidate<W>> = Vec::with_capacity(BATCH);
    let mut left = count;
    while left > 0 {
        batch.clear();
        while left > 0 && batch.len() < BATCH {
            let mut state = [0u64; W];
            for word in &mut state {
                random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mixed = (random ^ random >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                *word = mixed ^ mixed >> 27;
            }
            let hash = Visited::hash(&state);
            visited.expect(hash);
            batch.push(Candidate { state, hash, parent: 0 });
            left -= 1;
        }
        for candidate in &batch {
            visited.expect_next(candidate.hash);
        }
        for candidate in &batch {
            visited.insert(candidate).map_err(|stop| anyhow::anyhow!("insertion stopped: {stop:?}"))?;
        }
    }
    if visited.len() as u64 != count {
        bail!("{count} keys were inserted, {} are there", visited.len());
    }
    Ok(())
}
