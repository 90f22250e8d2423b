//! Certificates of reachable states: accepted as they are, refused with a state less, a value changed or another model.

use fencewright_base::Meter;
use fencewright_engine::{CertifyingEngine, Context, NotAProof, Options, Task, verify_states};
use fencewright_engine_explicit::Explicit;
use fencewright_ir::{FenceKind, Program};
use fencewright_memory::Model;
use fencewright_testkit::toy::{Toy, eq, reg};

/// x = 1; [fence]; r = y  ∥  y = 1; [fence]; s = x. Never r = s = 0: so with the fences, or under SC.
fn store_buffering(fenced: bool) -> Program {
    let mut p = Toy::new("SB");
    let [x, y] = p.vars(["x", "y"]);
    let conditions = [(x, y), (y, x)].map(|(own, other)| {
        let (t, r) = p.thread(|t| {
            let r = t.reg("r");
            t.write(own, 1);
            if fenced {
                t.fence(FenceKind::Full);
            }
            t.read(r, other);
            r
        });
        eq(reg(t, r), 0)
    });
    let [one, two] = conditions;
    p.never(one.and(two));
    p.finish()
}

fn certificate(program: &Program, model: Model) -> Option<String> {
    let task = Task { program, model, options: Options::default() };
    Explicit.certificate(&task, &mut Context::quiet(Meter::unlimited())).ok()
}

#[test]
fn proofs_are_accepted_and_there_is_none_without_a_proof() {
    for model in Model::OPERATIONAL {
        let program = store_buffering(true);
        let text = certificate(&program, model).expect("it holds");
        let closed = verify_states(&text).unwrap_or_else(|error| panic!("{}: {error}", model.name()));
        assert_eq!((closed.program, closed.model), (program, model));
    }
    assert!(certificate(&store_buffering(false), Model::Sc).is_some());
    assert_eq!(certificate(&store_buffering(false), Model::Tso), None);
}

#[test]
fn a_certificate_that_was_changed_is_refused() {
    let text = certificate(&store_buffering(true), Model::Pso).expect("it holds");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() > 20, "{}", lines.len());
    // The first line is the head, each further one a state, of which the last closes what the first opened; then the seal.
    for left_out in 1..lines.len() - 2 {
        let less: Vec<&str> =
            lines.iter().enumerate().filter(|(nth, _)| *nth != left_out).map(|(_, line)| *line).collect();
        let refused = verify_states(&less.join("\n"));
        assert!(matches!(refused, Err(NotAProof::Missing(_))), "line {left_out}: {refused:?}");
    }
    for (from, to) in
        [("\"memory\":[\"0\"", "\"memory\":[\"7\""), ("\"registers\":[[\"0\"]", "\"registers\":[[\"5\"]")]
    {
        assert!(text.contains(from), "{from}");
        assert!(verify_states(&text.replacen(from, to, 1)).is_err(), "{from}");
    }
    let unfenced =
        fencewright_ir::text::print(&store_buffering(false)).replace('\n', "\\n").replace('"', "\\\"");
    let fenced =
        fencewright_ir::text::print(&store_buffering(true)).replace('\n', "\\n").replace('"', "\\\"");
    assert!(text.contains(&fenced));
    assert!(verify_states(&text.replace(&fenced, &unfenced)).is_err());
    for nonsense in ["", "{}", "[]"] {
        assert!(matches!(verify_states(nonsense), Err(NotAProof::Form(_))), "{nonsense}");
    }
}
