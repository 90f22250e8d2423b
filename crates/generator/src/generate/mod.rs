//! Random programs. The same seed and shape give the same program, for ever.
//!
//! A thread has a budget of shared accesses, which loops and calls use up as often as they are made, so that the executions of a
//! program can be counted.

mod bodies;
mod declarations;
mod places;
mod statements;
mod values;

use std::collections::BTreeSet;

use fencewright_testkit::generate::Rng;

use crate::shape::{FEATURES, Feature, Shape};
use crate::tree::{Expr, IntType, Local, Place, Program, Root};

/// The program of a seed.
pub fn generate(seed: u64, shape: &Shape) -> Program {
    let mut rng = Rng::new(seed);
    let mut on = BTreeSet::new();
    for (feature, _) in FEATURES {
        if rng.percent(usize::from(shape.percent(feature))) {
            on.insert(feature);
        }
    }
    let mut generator = Generator { rng, on, program: Program::default(), costs: Vec::new(), seen: None };
    generator.program.uses_posix = generator.has(Feature::Posix);
    generator.declarations();
    generator.functions();
    generator.threads(shape);
    generator.program
}

struct Generator {
    rng: Rng,
    on: BTreeSet<Feature>,
    program: Program,
    /// How many shared accesses a call of each function makes, at most.
    costs: Vec<usize>,
    /// The array that threads leave what they saw in, if they do not give it back.
    seen: Option<usize>,
}

impl Generator {
    fn has(&self, feature: Feature) -> bool {
        self.on.contains(&feature)
    }

    /// Whether there is one of these here: the program has the feature, and chance is for it.
    fn chance(&mut self, feature: Feature, percent: usize) -> bool {
        self.on.contains(&feature) && self.rng.percent(percent)
    }

    fn int_type(&mut self) -> IntType {
        if self.has(Feature::Widths) {
            let bits = *self.rng.pick(&[8, 16, 32, 32, 64]);
            IntType { bits, signed: self.rng.percent(40) }
        } else {
            IntType::U32
        }
    }

    /// A number, most often a small one, sometimes one at the edge of a type.
    fn small(&mut self) -> i64 {
        if self.chance(Feature::Widths, 15) {
            *self.rng.pick(&[-1, 127, 128, 255, 256, 32_767, 65_535, 0x7fff_ffff, -128, 0x1_0000_0000])
        } else {
            self.rng.between(0, 3)
        }
    }
}

/// What is around the piece of a body that is made.
#[derive(Debug, Default)]
struct Around {
    locals: Vec<Local>,
    function: Option<usize>,
    /// Whether helpers may be created here.
    makes_helpers: bool,
    loops: Vec<usize>,
    can_leave: bool,
    mutexes: Vec<usize>,
    heaps: Vec<(usize, IntType)>,
    /// Shared accesses that may still be made.
    budget: usize,
    /// How often what is made here is done.
    times: usize,
    /// How many statements are around.
    depth: usize,
    /// The locals that are no part of what a thread saw.
    unseen: Vec<usize>,
    /// Whether this function has called itself.
    recursed: bool,
}

impl Around {
    /// Takes as many shared accesses out of the budget, if there are.
    fn spend(&mut self, accesses: usize) -> bool {
        let all = accesses * self.times.max(1);
        let fits = all <= self.budget;
        if fits {
            self.budget -= all;
        }
        fits
    }

    /// The locals that are whole numbers of the type, or of any; without how deep a function may go.
    fn numbers(&self, of: Option<IntType>, is_recursive: bool) -> Vec<usize> {
        let is_one = |local: &Local| match (&local.ty, of) {
            (crate::tree::Type::Int(ty), Some(of)) => *ty == of,
            (crate::tree::Type::Int(_), None) => true,
            _ => false,
        };
        let skipped = usize::from(is_recursive);
        let all = self.locals.iter().enumerate().skip(skipped);
        all.filter(|(_, local)| is_one(local)).map(|(number, _)| number).collect()
    }
}

fn local(number: usize) -> Place {
    Place { root: Root::Local(number), path: Vec::new() }
}

fn global(number: usize) -> Place {
    Place { root: Root::Global(number), path: Vec::new() }
}

fn constant(ty: IntType, value: i64) -> Expr {
    Expr::Constant(ty, value)
}
