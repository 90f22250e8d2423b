//! Which reorderings an execution shows.

use fencewright_ir::{CellId, Program};
use fencewright_memory::{Action, InitialChoices, Model, Overtaking, Trace, overtakings, replay};
use fencewright_testkit::toy::Toy;

use crate::{T0, step};

fn found(p: &Program, model: Model, actions: &[Action]) -> Vec<Overtaking> {
    let trace =
        Trace { model, initial: InitialChoices::default(), actions: actions.to_vec(), repeats_from: None };
    overtakings(&replay(p, &trace).expect("it is an execution"))
}

fn flush(cell: CellId) -> Action {
    Action::Flush { thread: T0, cell }
}

/// x = 1; r = y; r = x.
fn write_then_reads() -> (Program, [CellId; 2]) {
    let mut p = Toy::new("p");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        let r = t.reg("r");
        t.write(x, 1);
        t.read(r, y);
        t.read(r, x);
    });
    (p.finish(), [x, y])
}

#[test]
fn a_read_from_memory_overtakes_a_pending_write_and_a_read_of_the_own_write_does_not() {
    let (p, [x, y]) = write_then_reads();
    let read_overtakes =
        [Overtaking { write: 0, cell: x, of_read: false, overtaken_by: 1, other_cell: y, by_read: true }];
    let late = [step(T0, 0), step(T0, 1), step(T0, 2), flush(x)];
    assert_eq!(found(&p, Model::Tso, &late), read_overtakes);
    let never = [step(T0, 0), step(T0, 1), step(T0, 2)];
    assert_eq!(found(&p, Model::Tso, &never), read_overtakes, "a write that never arrives is late too");
    let early = [step(T0, 0), flush(x), step(T0, 1), step(T0, 2)];
    assert_eq!(found(&p, Model::Tso, &early), []);
    assert_eq!(found(&p, Model::Sc, &[step(T0, 0), step(T0, 1), step(T0, 2)]), []);
}

#[test]
fn a_write_overtakes_another_when_it_reaches_memory_first() {
    let mut p = Toy::new("p");
    let [x, y] = p.vars(["x", "y"]);
    p.thread(|t| {
        t.write(x, 1);
        t.write(y, 1);
    });
    let p = p.finish();
    let writes = [step(T0, 0), step(T0, 1)];
    let overtaken =
        [Overtaking { write: 0, cell: x, of_read: false, overtaken_by: 1, other_cell: y, by_read: false }];
    assert_eq!(found(&p, Model::Pso, &[&writes[..], &[flush(y), flush(x)]].concat()), overtaken);
    assert_eq!(found(&p, Model::Pso, &[&writes[..], &[flush(x), flush(y)]].concat()), []);
    assert_eq!(found(&p, Model::Tso, &[&writes[..], &[flush(x), flush(y)]].concat()), []);
}
