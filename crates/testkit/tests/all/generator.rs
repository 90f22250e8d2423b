//! The generator makes what it is meant to make: every construct, and programs that tell the models apart.

use std::collections::BTreeMap;

use fencewright_base::{Budget, CancelToken, Meter};
use fencewright_ir::{Addr, Domain, FenceKind, Init, Lock, Op, Outside, Program, Property, sites};
use fencewright_memory::{Machine, Model};
use fencewright_testkit::generate::{Config, program};
use fencewright_testkit::reference::{Limits, explore};

const PROGRAMS: u64 = 600;

fn programs() -> impl Iterator<Item = Program> {
    (0..PROGRAMS).map(|seed| program(seed, &Config::default()))
}

#[test]
fn every_construct_occurs() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for program in programs() {
        let mut see = |what: &'static str, is: bool| *seen.entry(what).or_default() += usize::from(is);
        see("one thread", program.threads.len() == 1);
        see("three threads", program.threads.len() == 3);
        see("an array", program.vars.iter().any(|var| var.is_array));
        see("an open variable", program.vars.iter().any(|var| var.init.contains(&Init::Any)));
        for var in &program.vars {
            see("a range", matches!(var.domain, Domain::Range { .. }));
            see(
                "a machine integer of 64 bits or more",
                matches!(var.domain, Domain::Machine { bits: 64.., .. }),
            );
            see("the integers", var.domain == Domain::Integers);
        }
        let shared = sites(&program).iter().any(|site| site.places(&program).len() > 1);
        see("a text run by two threads", shared);
        for property in &program.properties {
            see("forbidden locations", matches!(property, Property::Forbidden(_)));
            see("an invariant", matches!(property, Property::Invariant(_)));
            see("a final condition", matches!(property, Property::Final { .. }));
            see("a filter", matches!(property, Property::Final { filter: Some(_), .. }));
        }
        for thread in &program.threads {
            see("an open register", thread.regs.iter().any(|reg| reg.init == Init::Any));
            for edge in &thread.edges {
                see("a way back", edge.to <= edge.from);
                see("a lock on locations", edge.step.lock == Some(Lock::Location));
                see("a full lock", edge.step.lock == Some(Lock::Full));
                see("no operation", edge.step.ops.is_empty());
                see("three operations", edge.step.ops.len() == 3);
                for op in &edge.step.ops {
                    see("havoc", matches!(op, Op::Havoc { .. }));
                    see("assert", matches!(op, Op::Assert(_)));
                    see("a full fence", *op == Op::Fence(FenceKind::Full));
                    see("a store-store fence", *op == Op::Fence(FenceKind::StoreStore));
                    if let Op::Read { addr, .. } | Op::Write { addr, .. } = op {
                        let outside =
                            |wanted| matches!(addr, Addr::Indexed { outside, .. } if *outside == wanted);
                        see("a blocking index", outside(Outside::Blocks));
                        see("a faulting index", outside(Outside::Faults));
                    }
                }
            }
        }
    }
    for (what, times) in seen {
        assert!(times >= 8, "{what}: {times} times in {PROGRAMS} programs");
    }
}

/// Engines go wrong where the models differ: at least one program in six must hold under SC and fail under a weaker
/// model. At most one in fifty may be too large for the oracle.
#[test]
fn many_programs_tell_the_models_apart() {
    let (mut relaxed, mut too_large) = (0, 0);
    for program in programs() {
        let violated = |model: Model| {
            let meter =
                Meter::start(Budget { states: Some(20_000), ..Budget::default() }, CancelToken::new());
            let graph = explore(&Machine::new(&program, model), &Limits::buffer(2), &meter).ok()?;
            Some(graph.violation.is_some())
        };
        let all: Option<Vec<bool>> = Model::OPERATIONAL.into_iter().map(violated).collect();
        match all.as_deref() {
            None => too_large += 1,
            Some([sc, weaker @ ..]) => relaxed += usize::from(!sc && weaker.contains(&true)),
            Some([]) => unreachable!("there are models"),
        }
    }
    assert!(relaxed * 6 >= PROGRAMS as usize, "{relaxed} of {PROGRAMS} fail under a weaker model only");
    assert!(too_large * 50 <= PROGRAMS as usize, "{too_large} of {PROGRAMS} are too large");
}
