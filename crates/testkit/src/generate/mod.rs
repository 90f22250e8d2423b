//! Random programs for the agreement of engines: every construct of the representation, small enough that the oracle
//! explores one under all models in about a millisecond.
//!
//! The same seed gives the same program. A part of the programs gets a property that holds under SC and fails under a
//! weaker model, found by exploring: random properties rarely do that, and it is where engines go wrong.

pub mod dve;
mod formula;
mod property;
mod relaxed;
mod rng;
mod thread;

use fencewright_base::{Int, SourceMap};
use fencewright_ir::{CellId, Claim, Domain, Init, Program, ProgramBuilder, Property};

pub use relaxed::relaxed_program;
pub use rng::Rng;
use thread::Kinds;

/// What the programs look like.
#[derive(Debug, Clone)]
pub struct Config {
    /// The most threads.
    pub threads: usize,
    /// The most cells.
    pub cells: usize,
    /// The most statements of a thread, those inside loops and branches counted.
    pub statements: usize,
    /// In how many of 100 programs the property is sought among those that hold under SC and fail under TSO or PSO.
    pub relaxed: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { threads: 3, cells: 3, statements: 4, relaxed: 60 }
    }
}

/// The program of this seed.
pub fn program(seed: u64, config: &Config) -> Program {
    let mut rng = Rng::new(seed);
    let mut builder = threads(seed, &mut rng, config, Kinds::All);
    property::generate(&mut rng, &mut builder, config);
    builder.finish().expect("a generated program is well-formed")
}

/// The program of this seed without branches and loops, and a condition on final states that observes everything.
pub fn straight_line_program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let config = Config { statements: 6, ..Config::default() };
    let mut builder = threads(seed, &mut rng, &config, Kinds::StraightLine);
    let property = property::last(&mut rng, builder.program());
    builder.property(property);
    builder.finish().expect("a generated program is well-formed")
}

/// Variables and threads.
fn threads(seed: u64, rng: &mut Rng, config: &Config, kinds: Kinds) -> ProgramBuilder {
    let mut builder = ProgramBuilder::new(format!("seed_{seed}"));
    let cells = variables(rng, &mut builder, config);
    let n_threads = match rng.below(10) {
        0 => 1,
        1..=7 => 2,
        _ => 3,
    };
    let n_threads = n_threads.min(config.threads);
    // More threads get shorter texts, so that the size of the graph stays about the same.
    let statements = (config.statements * 2 / (n_threads + 1)).max(1);
    let shape = if cells.len() >= 2 && n_threads >= 2 { Shape::pick(rng) } else { Shape::Free };
    let mut text = None;
    for number in 0..n_threads {
        // Some threads run the same text as the one before and share its statements.
        let again = text.take().filter(|_| rng.percent(15));
        let core = shape.accesses(number);
        let text_of = (kinds, again);
        text = Some(thread::generate(rng, &mut builder, &cells, statements, &core, text_of));
    }
    builder
}

/// The program of this seed with a temporal property, and no other, of at most three temporal operators.
pub fn temporal_program(seed: u64) -> Program {
    let mut program = program(seed, &Config { relaxed: 0, ..Config::default() });
    let temporal = formula::temporal(&mut Rng::new(seed), &program, 3);
    program.properties = vec![Property::Temporal(temporal)];
    program
}

/// A DVE model of this seed, with channels and committed states, and a temporal property instead of its own: a formula, or
/// an automaton.
pub fn temporal_model(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let text = dve::model(&mut rng, true, dve::TAME);
    let mut sources = SourceMap::new();
    let file = sources.add("model.dve", &text);
    let loaded = (fencewright_frontend::dve::LANGUAGE.load)(&sources, file);
    let mut program = loaded.unwrap_or_else(|problems| panic!("{problems:#?}\n{text}")).program;
    let mut temporal = formula::temporal(&mut rng, &program, 3);
    if rng.percent(40) {
        temporal.claim = Claim::Never(formula::automaton(&mut rng, &program));
    }
    program.name = format!("seed_{seed}");
    program.properties = vec![Property::Temporal(temporal)];
    program
}

/// What the threads have in the middle of their random statements. Wholly random threads seldom show a relaxed
/// behaviour; these are the classic ways to it, which the statements around them spoil or not.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Shape {
    /// Nothing.
    Free,
    /// Each thread writes one of two cells and reads the other.
    StoreBuffering,
    /// One thread writes two cells, the others read them in the opposite order.
    MessagePassing,
    /// Each thread writes both cells, in opposite orders.
    TwoWrites,
    /// One thread writes two cells, the others write the second and read the first.
    WriteThenRead,
}

/// An access to the first or second cell.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
enum Access {
    Write(usize),
    Read(usize),
}

impl Shape {
    fn pick(rng: &mut Rng) -> Self {
        *rng.weighted(&[
            (35, Shape::Free),
            (25, Shape::StoreBuffering),
            (20, Shape::MessagePassing),
            (10, Shape::TwoWrites),
            (10, Shape::WriteThenRead),
        ])
    }

    fn accesses(self, thread: usize) -> Vec<Access> {
        use Access::{Read, Write};
        let (own, other) = (thread % 2, 1 - thread % 2);
        match self {
            Shape::Free => Vec::new(),
            Shape::StoreBuffering => vec![Write(own), Read(other)],
            Shape::MessagePassing if thread == 0 => vec![Write(0), Write(1)],
            Shape::MessagePassing => vec![Read(1), Read(0)],
            Shape::TwoWrites => vec![Write(own), Write(other)],
            Shape::WriteThenRead if thread == 0 => vec![Write(0), Write(1)],
            Shape::WriteThenRead => vec![Write(1), Read(0)],
        }
    }
}

/// A cell and the values it can hold.
#[derive(Debug, Clone)]
struct Cell {
    id: CellId,
    domain: Domain,
}

fn variables(rng: &mut Rng, builder: &mut ProgramBuilder, config: &Config) -> Vec<Cell> {
    let n_cells = if rng.percent(10) { 1 } else { 2 + rng.below(config.cells.max(2) - 1) };
    let mut cells = Vec::new();
    let common = rng.percent(60).then(|| domain(rng));
    while cells.len() < n_cells {
        let domain = common.clone().unwrap_or_else(|| domain(rng));
        let name = format!("x{}", cells.len());
        if n_cells - cells.len() >= 2 && rng.percent(30) {
            let init = vec![init(rng, &domain), init(rng, &domain)];
            let var = builder.array(name, domain.clone(), init, None);
            let first = builder.program().vars[var].first_cell;
            cells.extend([0, 1].map(|i| Cell { id: CellId(first.0 + i), domain: domain.clone() }));
        } else {
            let init = init(rng, &domain);
            let id = builder.scalar(name, domain.clone(), init, None);
            cells.push(Cell { id, domain });
        }
    }
    cells
}

fn domain(rng: &mut Rng) -> Domain {
    let machine = |bits, signed| Domain::Machine { bits, signed };
    rng.weighted(&[
        (8, Domain::range(0, 1)),
        (8, Domain::range(0, 2)),
        (3, Domain::range(-1, 1)),
        (2, Domain::range(3, 5)),
        (2, machine(1, false)),
        (2, machine(2, true)),
        (2, machine(8, false)),
        (2, machine(32, true)),
        (1, machine(64, false)),
        (1, machine(64, true)),
        (1, machine(128, false)),
        (5, Domain::Integers),
    ])
    .clone()
}

/// Whether all values can be tried without making the graph large.
fn is_small(domain: &Domain) -> bool {
    domain.bounds().is_some_and(|(lo, hi)| hi.sub(&lo) <= Int::from(2))
}

fn init(rng: &mut Rng, domain: &Domain) -> Init {
    if is_small(domain) && rng.percent(8) {
        Init::Any
    } else if rng.percent(80) {
        Init::Value(domain.default_value())
    } else {
        Init::Value(value(rng, domain))
    }
}

/// A value of the domain: mostly near its default, sometimes at its ends.
fn value(rng: &mut Rng, domain: &Domain) -> Int {
    let near = domain.default_value().add(&Int::from(rng.between(0, 2)));
    match domain.bounds() {
        Some((lo, _)) if rng.percent(4) => lo,
        Some((_, hi)) if rng.percent(4) => hi,
        None if rng.percent(4) => Int::power_of_two(63 + rng.below(3) as u32),
        Some((lo, _)) if !domain.contains(&near) => lo,
        Some(_) | None => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_program_and_another_seed_another() {
        let config = Config::default();
        assert_eq!(program(7, &config), program(7, &config));
        assert_ne!(program(7, &config), program(8, &config));
    }
}
