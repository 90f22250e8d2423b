//! The SMT solver of a refinement, started when it is first asked and stopped with the run.

use std::time::Duration;

use fencewright_base::{Int, Meter};
use fencewright_logic::{AtMost, Formula, Smt, SmtError};

use crate::interpolate::chain;
use crate::linear::{Atom, Linear};
use crate::system::Move;

/// Time for one question to the solver.
const QUESTION: Duration = Duration::from_secs(5);

/// An SMT solver that is started when it is first asked. Without one there are fewer violations, not other ones.
#[derive(Debug, Default)]
pub(crate) struct Solver {
    smt: Option<Result<Smt, SmtError>>,
    /// Stops it.
    pub(crate) meter: Option<Meter>,
}

impl Solver {
    fn running(&mut self) -> Option<&mut Smt> {
        let Solver { smt, meter } = self;
        let start = || {
            let mut smt = Smt::start(None, QUESTION)?;
            if let Some(meter) = meter.clone() {
                smt.stop_when(move || meter.tick().is_err());
            }
            Ok(smt)
        };
        smt.get_or_insert_with(start).as_mut().ok()
    }

    pub(crate) fn solve(&mut self, guard: &[Atom], n_vars: usize) -> Option<Vec<Int>> {
        let smt = self.running()?;
        let all = guard.iter().map(|Linear { terms, constant }| {
            Formula::AtMost(AtMost { terms: terms.clone(), constant: constant.clone() })
        });
        smt.solve(n_vars, &Formula::All(all.collect())).ok().flatten()
    }

    /// What is known behind each move but the last of a path that cannot be taken.
    pub(crate) fn interpolants(&mut self, path: &[Move]) -> Option<Vec<Formula>> {
        let smt = self.running()?;
        smt.interpolants(&chain(path)).ok().flatten()
    }
}
