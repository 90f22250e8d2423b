//! How many writes must be kept in order to exclude a path (SAS 2012, section 7, case 3: the smallest number that does).
//!
//! The steps and flushes of the path are made again on machines that keep more, with all that zones can say of the
//! numbers and no predicates. Only a choice of what to try next depends on the answer.

use fencewright_base::{Meter, Stop};
use fencewright_ir::Program;

use crate::buffer::Keeping;
use crate::known::zone_after;
use crate::system::{Act, ControlId, Move, System};
use crate::zone::Zone;

/// So many more writes than now are tried.
const MOST_MORE: usize = 6;

/// States of one attempt; past these the path is taken to be excluded.
const STATES: usize = 2_000;

/// The smallest number of kept writes, more than now, with which the path cannot be taken; one more if none of those tried is.
pub(crate) fn smallest_that_excludes(
    program: &Program,
    keeping: Keeping,
    path: &[Move],
    meter: &Meter,
) -> Result<usize, Stop> {
    let acts: Vec<&Act> = path.iter().map(|made| &made.act).collect();
    let next = keeping.keep + 1;
    for keep in next..next + MOST_MORE {
        let mut system = System::new(program, Keeping { keep, ..keeping });
        system.limit(meter);
        let mut left = STATES;
        if !can_be_taken(&mut system, None, &Zone::anything(0), &acts, &mut left)? {
            return Ok(keep);
        }
    }
    Ok(next)
}

fn can_be_taken(
    system: &mut System<'_>,
    control: Option<ControlId>,
    zone: &Zone,
    acts: &[&Act],
    left: &mut usize,
) -> Result<bool, Stop> {
    let Some((act, rest)) = acts.split_first() else { return Ok(true) };
    let moves = match control {
        None => system.start(),
        Some(control) => system.moves(control),
    }?;
    for made in moves.iter().filter(|made| is_same(act, &made.act)) {
        if *left == 0 {
            return Ok(false);
        }
        *left -= 1;
        // A path ends where a property is violated, and only there.
        if made.target.is_none() != rest.is_empty() {
            continue;
        }
        if let Ok(zone) = zone_after(made, zone)
            && can_be_taken(system, made.target, &zone, rest, left)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether both are the same on the concrete machine.
fn is_same(act: &Act, other: &Act) -> bool {
    match (act, other) {
        (Act::Start { .. }, Act::Start { .. }) | (Act::Look, Act::Look) => true,
        (Act::Step { thread, edge, .. }, Act::Step { thread: t, edge: e, .. }) => thread == t && edge == e,
        (Act::Flush { thread, cell, .. }, Act::Flush { thread: t, cell: c, .. }) => thread == t && cell == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffer::Part;
    use crate::search::{Found, Precise, search};
    use fencewright_base::{Int, Meter};
    use fencewright_engine::Context;
    use fencewright_ir::{CellId, Domain, Init};
    use fencewright_memory::Model;
    use fencewright_testkit::toy::{Toy, cell, eq};

    /// One thread writes x = 1, y = 1, z = 1. Never y alone: with nothing kept it may come first, with one write kept not. Never x and z
    /// without y: with x kept z may still come second, with two writes kept not.
    #[test]
    fn the_smallest_number_is_found() {
        let of = |bad: [i64; 3]| {
            let mut p = Toy::new("three writes");
            let bit = |p: &mut Toy, name| p.var(name, Domain::range(0, 1), Init::Value(Int::ZERO));
            let all = ["x", "y", "z"].map(|name| bit(&mut p, name));
            p.thread(|t| {
                for var in all {
                    t.write(var, 1);
                }
            });
            let is_other = |(&var, value): (&CellId, i64)| eq(cell(var), 1 - value);
            let others = all.iter().zip(bad).map(is_other).reduce(|a, b| a.or(b));
            p.always(others.expect("three variables"));
            let program = p.finish();
            let keeping = Keeping { model: Model::Tso, part: Part::Oldest, keep: 0, orders: false };
            let mut system = System::new(&program, keeping);
            let mut context = Context::quiet(Meter::unlimited());
            let found = search(&mut system, &Precise::default(), &mut context, "test");
            let Ok(Found::Path { moves, .. }) = found else { panic!("a path") };
            smallest_that_excludes(&program, keeping, &moves, &context.meter).expect("nothing stops it")
        };
        assert_eq!([of([0, 1, 0]), of([1, 0, 1])], [1, 2]);
    }
}
